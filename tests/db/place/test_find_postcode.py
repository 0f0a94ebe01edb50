"""place.find_postcode and place.authority_of_postcode: postcode, district, authority."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.plans import plans_of
from tests.registers import merge_postcodes

POSTCODES = {
    "CT1 2EH": "E07000106",  # a district of Kent
    "CT1 3AA": "E07000106",
    "B1 1AA": "E08000025",
    "B1 2AA": "E08000025",
    "B11 1AA": "E10000016",  # not of the outward code B1
    "S75 1AA": "E08000016",  # Barnsley under its old code
    "S75 1AB": "E08000025",  # one sector, two authorities
    "B99 9ZZ": "E08000025",
}


@pytest.fixture
def places(reference: psycopg.Connection) -> psycopg.Connection:
    merge_postcodes(reference, POSTCODES, ended=["B99 9ZZ"])
    return reference


def _find(db: psycopg.Connection, postcode: str | None) -> tuple[str | None, str | None]:
    ((la_code, problem),) = ask_rows(
        db, "select la_code, problem from place.find_postcode(%s)", postcode
    )
    return la_code, problem


@pytest.mark.parametrize(
    ("postcode", "la_code"),
    [
        ("CT1 2EH", "E10000016"),  # a two-tier county answers for its district
        ("ct12eh", "E10000016"),
        ("B1 1AA", "E08000025"),
        ("S75 1AA", "E08000038"),  # the code of today
        ("S75 1AB", "E08000025"),
    ],
)
def test_a_postcode_gives_the_authority_of_its_district(
    places: psycopg.Connection, postcode: str, la_code: str
) -> None:
    assert _find(places, postcode) == (la_code, None)
    assert ask(places, "select place.authority_of_postcode(%s)", postcode) == la_code


@pytest.mark.parametrize(
    ("part", "la_code", "problem"),
    [
        ("CT1", "E10000016", None),
        ("CT1 2", "E10000016", None),
        ("B1", "E08000025", None),
        ("S75 1", None, "several"),
        ("S75", None, "several"),
        ("B1 9", None, "unknown"),
        ("ZE1", None, "unknown"),
    ],
)
def test_a_part_gives_an_authority_only_when_all_its_postcodes_share_it(
    places: psycopg.Connection, part: str, la_code: str | None, problem: str | None
) -> None:
    assert _find(places, part) == (la_code, problem)


@pytest.mark.parametrize(
    ("postcode", "problem"),
    [("B1 1ZZ", "unknown"), ("Birmingham", "malformed"), ("B1 1", None), (None, None), (" ", None)],
)
def test_what_tells_nothing_says_why_and_never_raises(
    places: psycopg.Connection, postcode: str | None, problem: str | None
) -> None:
    assert _find(places, postcode)[1] == problem


def test_a_postcode_that_has_ended_says_so_and_still_tells(places: psycopg.Connection) -> None:
    assert _find(places, "B99 9ZZ") == ("E08000025", "ended")


def test_a_district_that_moves_takes_its_postcodes_along(places: psycopg.Connection) -> None:
    """No register has to be loaded again when councils are reorganised."""
    moved = [{"lad_gss": "E07000106", "name": "Canterbury", "authority_gss": "E06000063"}]
    places.execute("select place.load_districts(%s)", [Jsonb(moved)])
    assert _find(places, "CT1 2EH") == ("E06000063", None)


@pytest.mark.parametrize("postcode", ["B1 1ZZ", "Birmingham", "S75 1", "B99 9ZZ"])
def test_a_postcode_given_on_purpose_is_refused_and_never_repeated(
    places: psycopg.Connection, postcode: str
) -> None:
    with refused(places, "PL005"):
        places.execute("select place.authority_of_postcode(%s)", [postcode])
    with pytest.raises(psycopg.Error) as caught, places.transaction():
        places.execute("select place.authority_of_postcode(%s)", [postcode])
    assert postcode not in f"{caught.value.diag.message_primary} {caught.value.diag.message_hint}"


def test_no_postcode_is_no_authority(places: psycopg.Connection) -> None:
    assert ask(places, "select place.authority_of_postcode(null)") is None
    assert ask(places, "select place.authority_of_postcode('  ')") is None


@pytest.mark.parametrize("postcode", ["CT1 2EH", "CT1 2", "CT1"])
def test_looking_up_reads_the_key(places: psycopg.Connection, postcode: str) -> None:
    with plans_of(places) as plans:
        _find(places, postcode)
    assert "postcode_sector_pk" in plans.text


def test_the_view_shows_one_row_for_each_postcode(places: psycopg.Connection) -> None:
    rows = ask_rows(places, "select postcode, lad_gss, ended from place.postcode")
    assert {p: d for p, d, _ in rows} == POSTCODES
    assert [p for p, _, ended in rows if ended] == ["B99 9ZZ"]
