"""The filled database, for the tests of schema chat."""

from tests.db.corpus_fixtures import filled_url, kept, reference

__all__ = ["filled_url", "kept", "reference"]
