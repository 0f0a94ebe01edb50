"""Runs that judge what nobody has decided on."""
