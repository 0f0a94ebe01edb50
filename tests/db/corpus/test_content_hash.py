"""corpus.content_hash: the same words give the same hash."""

import hashlib

import psycopg
import pytest

from tests.db.corpus_fixtures import ask

PLAIN = "The fee is £25. Don’t pay twice — ask the café."


def _hash(db: psycopg.Connection, content: str | None) -> bytes | None:
    found: bytes | None = ask(db, "select corpus.content_hash(%s::text)", content)
    return found


@pytest.mark.parametrize(
    "same",
    [
        PLAIN,
        f"  {PLAIN}\n\n",
        PLAIN.replace(" ", "\r\n"),
        PLAIN.replace(" ", " \t\n "),
        PLAIN.replace(" ", "\u00a0"),
        PLAIN.replace("é", "e\u0301"),
    ],
)
def test_white_space_and_unicode_form_do_not_count(
    reference: psycopg.Connection, same: str
) -> None:
    """P-12."""
    assert _hash(reference, same) == hashlib.sha256(PLAIN.encode()).digest()


@pytest.mark.parametrize(
    "other", ["", PLAIN.upper(), PLAIN.replace("25", "26"), PLAIN.replace("’", "'")]
)
def test_any_other_difference_counts(reference: psycopg.Connection, other: str) -> None:
    assert _hash(reference, other) != _hash(reference, PLAIN)


def test_no_text_has_no_hash(reference: psycopg.Connection) -> None:
    assert _hash(reference, None) is None
