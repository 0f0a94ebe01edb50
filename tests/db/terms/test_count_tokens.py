"""terms.count_tokens: the length of a text for BM25."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        ("", 0),
        ("the of and", 0),
        ("the tribunal hears the tribunal", 3),
        ("s.36", 3),  # section, 36 and the identifier, which has no position
    ],
)
def test_every_token_counts_and_stop_words_do_not(
    reference: psycopg.Connection, content: str, tokens: int
) -> None:
    assert ask(reference, "select terms.count_tokens(terms.to_index(%s))", content) == tokens
