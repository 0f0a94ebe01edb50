"""Signing in, and what only some may do."""
