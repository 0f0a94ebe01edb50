"""The databases these tests share, see tests/db/shared_databases.py."""

from tests.db.shared_databases import kb, kb_url, large, large_url

__all__ = ["kb", "kb_url", "large", "large_url"]
