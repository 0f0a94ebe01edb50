"""The databases these tests share."""

from tests.db.corpus_fixtures import filled_url, kept, reference
from tests.db.shared_databases import kb, kb_url

__all__ = ["filled_url", "kb", "kb_url", "kept", "reference"]
