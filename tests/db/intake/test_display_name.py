"""intake.display_name: a name is one short line and no path, whatever is given."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask, refused


@pytest.mark.parametrize("name", [None, "", " ", ".", "..", "a/..", "a\\", "\u202e\u200b", "\n"])
def test_a_name_of_which_nothing_is_left_is_refused(
    reference: psycopg.Connection, name: str | None
) -> None:
    with refused(reference, "UL001"):
        ask(reference, "select intake.display_name(%s)", name)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=400))
def test_a_name_is_one_short_line_without_a_path(reference: psycopg.Connection, name: str) -> None:
    # an ending of one's own: nothing else may be left of it
    kept = ask(reference, "select intake.display_name(%s)", name + "x")
    assert 1 <= len(kept) <= 200
    assert not set(kept) & set("/\\\r\n\t\u202e\u200b")
    assert kept == kept.strip(" ")
    # a name that is fit stays as it is
    assert ask(reference, "select intake.display_name(%s)", kept) == kept
