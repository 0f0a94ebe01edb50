"""embedding.active_set and named_set: which model searches use."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask_rows, refused


def test_the_offline_set_is_active_at_first(reference: psycopg.Connection) -> None:
    assert ask_rows(reference, "select name, provider, width from embedding.active_set()") == [
        ("local-minilm", "local", 384)
    ]


def test_without_an_active_set_every_use_is_refused(reference: psycopg.Connection) -> None:
    reference.execute("update embedding.set set active = false")
    for call in (
        b"select embedding.active_set()",
        b"select embedding.named_set(null)",
        b"select embedding.cached_query('kim', 'a question')",
        b"select embedding.store_vectors('{}', '{}')",
    ):
        with refused(reference, "VE004", "embedding.activate"):
            reference.execute(call)


def test_two_sets_are_never_active(reference: psycopg.Connection) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation), reference.transaction():
        reference.execute("update embedding.set set active = true")


def test_an_unknown_name_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "VE005", "word2vec", "embedding.set"):
        reference.execute("select embedding.named_set('word2vec')")
