"""terms.check_pattern: a pattern that cannot run, or fires always, is refused."""

import psycopg
import pytest

from tests.db.corpus_fixtures import refused


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", "*", "\\", "a**"])
def test_what_is_no_regular_expression_is_refused_with_its_owner(
    reference: psycopg.Connection, pattern: str
) -> None:
    with refused(reference, "TE001", "kicked out", "regular expression"):
        reference.execute("select terms.check_pattern(%s, 'kicked out')", [pattern])


@pytest.mark.parametrize("pattern", ["", None, ".*", "a|", "(a)?", "^", "$", ".", r"\w+", "[a-z]"])
def test_what_matches_every_question_is_refused(
    reference: psycopg.Connection, pattern: str | None
) -> None:
    with refused(reference, "TE001", "kicked out", "every question"):
        reference.execute("select terms.check_pattern(%s::text, 'kicked out')", [pattern])


def test_a_usable_pattern_is_taken(reference: psycopg.Connection) -> None:
    reference.execute("select terms.check_pattern(%s, 'x')", [r"\ytaxi\y|transport"])
