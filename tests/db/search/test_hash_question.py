"""search.hash_question: equal questions can be counted, none can be looked up."""

from typing import Any

import psycopg

from tests.rows import value_of


def fingerprint(db: psycopg.Connection[Any], question: str | None) -> bytes | None:
    found: bytes | None = value_of(db, "select search.hash_question(%s)", [question])
    return found


def test_spelling_that_folds_alike_is_one_question(kb: psycopg.Connection[Any]) -> None:
    first = fingerprint(kb, "They won't assess")
    assert first is not None
    assert len(first) == 32
    assert fingerprint(kb, " they  WON\u2019T assess ") == first
    assert fingerprint(kb, "They will assess") != first
    assert fingerprint(kb, None) is None


def test_a_record_cannot_be_joined_to_a_viewers_cached_question(
    kb: psycopg.Connection[Any],
) -> None:
    assert fingerprint(kb, "taxi") != value_of(kb, "select embedding.question_hash('taxi')")
    assert fingerprint(kb, "taxi") != value_of(kb, "select sha256('taxi')")


def test_every_database_has_a_key_of_its_own_and_another_key_makes_strangers(
    kb: psycopg.Connection[Any], db: psycopg.Connection[Any]
) -> None:
    before = fingerprint(kb, "taxi")
    kb.execute("update search.hash_key set key = sha256('another')")
    assert fingerprint(kb, "taxi") != before
    assert value_of(db, "select count(*) from search.hash_key where octet_length(key) = 32") == 1
