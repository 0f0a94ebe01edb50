"""A database with reference data, for the tests of schema account."""

from tests.db.shared_databases import kb, kb_url

__all__ = ["kb", "kb_url"]
