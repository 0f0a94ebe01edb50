"""The filled database, for the tests of schema crawl."""

from tests.db.corpus_fixtures import filled_url, kept, reference

__all__ = ["filled_url", "kept", "reference"]
