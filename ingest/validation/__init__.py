"""Runs that judge documents; every rule of it is SQL (schema validation)."""
