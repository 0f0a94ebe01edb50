"""The parts of the embedded server: binaries, account, settings and process.

`db/server.py` composes them and is the only door; nothing else imports this package.
"""
