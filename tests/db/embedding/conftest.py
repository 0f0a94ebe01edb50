"""The filled database, for the tests of schema embedding."""

from tests.db.corpus_fixtures import filled_url, kept, reference
from tests.db.shared_databases import large, large_url

__all__ = ["filled_url", "kept", "large", "large_url", "reference"]
