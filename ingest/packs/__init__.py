"""Packs of a domain: their files read and checked, then stored in one transaction."""
