"""place.check_school: the authority of a school."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused


@pytest.mark.parametrize(
    ("urn", "la_code"),
    [("990001", "E08000025"), (" 990003 ", "E10000016"), (None, None)],
)
def test_a_school_gives_its_authority(
    reference: psycopg.Connection, urn: str | None, la_code: str | None
) -> None:
    assert ask(reference, "select place.check_school(%s)", urn) == la_code


@pytest.mark.parametrize("urn", ["999999", "99000", "", "Hollybrook Primary School"])
def test_an_unknown_school_is_refused(reference: psycopg.Connection, urn: str) -> None:
    with refused(reference, "PL002", f'school "{urn}" is not known', "place.school"):
        reference.execute("select place.check_school(%s)", [urn])
