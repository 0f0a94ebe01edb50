"""place.find_authority: the same answers as resolve_authority, and reasons instead of refusals."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.registers import merge_postcodes

CUMBRIA, CUMBERLAND, WESTMORLAND = "E10000006", "E06000063", "E06000064"


@pytest.fixture
def places(reference: psycopg.Connection) -> psycopg.Connection:
    merge_postcodes(
        reference, {"CA1 1AA": CUMBERLAND, "LA9 4AA": WESTMORLAND, "B1 1AA": "E08000025"}
    )
    return reference


@pytest.mark.parametrize(
    ("code", "la_code", "named"),
    [
        ("E08000025", "E08000025", "E08000025"),
        ("e08000016", "E08000038", "E08000016"),
        ("E07000106", "E10000016", "E10000016"),
        ("370", "E08000038", "E08000038"),
        (CUMBRIA, None, CUMBRIA),
        ("909", None, CUMBRIA),
        ("E99999999", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_code_is_followed_or_left_without_answer(
    places: psycopg.Connection, code: str | None, la_code: str | None, named: str | None
) -> None:
    assert ask_rows(places, "select la_code, named from place.find_authority(%s)", code) == [
        (la_code, named)
    ]


@pytest.mark.parametrize("code", [CUMBRIA, "909"])
@pytest.mark.parametrize(("postcode", "gss"), [("ca11aa", CUMBERLAND), ("LA9", WESTMORLAND)])
def test_a_postcode_decides_which_part_of_a_split_county_is_meant(
    places: psycopg.Connection, code: str, postcode: str, gss: str
) -> None:
    assert ask(places, "select place.resolve_authority(%s, %s)", code, postcode) == gss


@pytest.mark.parametrize("postcode", ["B1 1AA", "CA9 9ZZ", "nowhere", "", None])
def test_a_postcode_outside_the_county_decides_nothing(
    places: psycopg.Connection, postcode: str | None
) -> None:
    with refused(places, "PL003", "E06000063 and E06000064"):
        places.execute("select place.resolve_authority(%s, %s)", [CUMBRIA, postcode])


def test_a_postcode_does_not_move_an_authority_that_was_not_split(
    places: psycopg.Connection,
) -> None:
    assert ask(places, "select place.resolve_authority('E10000016', 'B1 1AA')") == "E10000016"
