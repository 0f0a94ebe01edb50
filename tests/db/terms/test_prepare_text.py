"""terms.prepare_text: spelled so that the server's parser finds the words."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("folded", "prepared"),
    [
        ("s.36 s36 §36", "section 36 section 36 section 36"),
        ("inc-48211", "inc 48211"),
        ("send/ehcp", "send ehcp"),
        ("2024/25", "2024/25"),
        ("she's 15", "she's 15"),
        ("self-help", "self-help"),
        ("a " + "x" * 3000 + " b", "a   b"),
        ("x" * 199, "x" * 199),
        ("", ""),
    ],
)
def test_references_numbers_and_pairs_are_taken_apart(
    reference: psycopg.Connection, folded: str, prepared: str
) -> None:
    assert ask(reference, "select terms.prepare_text(%s)", folded) == prepared
