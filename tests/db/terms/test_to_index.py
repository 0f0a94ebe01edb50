"""terms.to_index: the lexemes of a text, the same for documents and questions."""

import itertools
import string
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.errors import Diagnostic

from tests.db.corpus_fixtures import ask


def _lexemes(db: psycopg.Connection, content: str) -> set[str]:
    return set(ask(db, "select tsvector_to_array(terms.to_index(%s))", content))


@contextmanager
def _silence(db: psycopg.Connection) -> Iterator[None]:
    """No notice may come while the block runs."""
    notices: list[str | None] = []

    def collect(message: Diagnostic) -> None:
        notices.append(message.message_primary)

    db.add_notice_handler(collect)
    try:
        yield
    finally:
        db.remove_notice_handler(collect)
    assert notices == []


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("duty under s.36", "section 36"),
        ("duty under section 36", "s36"),
        ("the duty in § 36", "s.36"),
        ("ticket INC-48211", "48211"),
        ("ticket INC-48211", "INC 48211"),
        ("ticket INC-48211", "inc-48211"),
        ("SEND/EHCP", "EHCP"),
        ("SEND/EHCP", "send"),
        ("the tribunal hears appeals", "how long does a tribunal appeal usually take"),
        ("speciﬁc", "specific"),
        ("assess\u00adment", "assessment"),
        ("tri\u200bbunal", "tribunal"),
        ("provi-\nsion", "provision"),
        ("they won’t assess", "won't assess"),
        ("cafe\u0301", "café"),
    ],
)
def test_the_text_is_found_by_the_question(
    reference: psycopg.Connection, content: str, question: str
) -> None:
    """F-01, F-02, P-01."""
    assert ask(reference, "select terms.to_index(%s) @@ terms.build_tsquery(%s)", content, question)


def test_section_36_and_section_360_share_only_the_word_section(
    reference: psycopg.Connection,
) -> None:
    """F-02."""
    shared = _lexemes(reference, "s.36") & _lexemes(reference, "s.360")
    assert shared == {"section"}


def test_every_column_of_an_identifier_is_there(reference: psycopg.Connection) -> None:
    assert _lexemes(reference, "INC-48211") == {"inc", "48211", "#inc-48211"}


def test_an_endless_token_is_skipped_and_the_rest_stays_searchable(
    reference: psycopg.Connection,
) -> None:
    """F-06."""
    with _silence(reference):
        found = _lexemes(reference, "taxi " + "QUJD" * 750 + " transport")
    assert found == {"taxi", "transport"}


def test_a_row_of_a_table_without_spaces_stays_searchable(
    reference: psycopg.Connection,
) -> None:
    """Only a token of one word can be endless, not a list parted by commas."""
    row = ",".join(["Birmingham", "Kent", "transport", "12"] * 20)
    assert {"birmingham", "kent", "transport", "12"} <= _lexemes(reference, row)
    assert "transport" in _lexemes(reference, row.replace(",", ";"))
    assert "transport" in _lexemes(reference, row.replace(",", "|"))


@pytest.mark.parametrize(
    "letters",
    [string.ascii_lowercase, "".join(map(chr, range(0x3300, 0x3358)))],
    ids=["plain", "growing"],
)
def test_two_hundred_thousand_distinct_words_are_indexed_up_to_a_bound(
    reference: psycopg.Connection, letters: str
) -> None:
    """F-06; the second alphabet grows fivefold when it is folded."""
    words = itertools.islice(itertools.product(letters, repeat=4), 200_000)
    content = " ".join(map("".join, words))
    with _silence(reference):
        assert ask(reference, "select length(terms.to_index(%s))", content) > 1000


@pytest.mark.parametrize("content", ["", " ", "the of and", "??? !!!", "👍", "'", "\\", "\ufeff"])
def test_text_without_words_has_no_lexemes(reference: psycopg.Connection, content: str) -> None:
    with _silence(reference):
        assert _lexemes(reference, content) == set()


def test_another_text_configuration_is_used_when_set(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.text_config = 'simple'")
    assert _lexemes(reference, "the appeals") == {"the", "appeals"}


def test_what_stands_between_angle_brackets_is_text_and_no_tag(
    reference: psycopg.Connection,
) -> None:
    assert {"age", "five", "cost", "travel"} <= _lexemes(reference, "aged <five and costs> travel")
