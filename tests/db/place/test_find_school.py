"""place.find_school: a school as it is today."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask_rows
from tests.registers import merge_postcodes, merge_school_links, merge_schools

Found = tuple[str | None, str | None, str | None]


@pytest.fixture
def places(reference: psycopg.Connection) -> psycopg.Connection:
    merge_schools(
        reference,
        {"urn": "100001", "gss": "E08000025", "status": "closed"},
        {"urn": "100002", "gss": "E08000025", "status": "closed"},
        {"urn": "100003", "gss": "E10000016", "status": "open"},
        {"urn": "100004", "gss": "E10000016", "status": "open"},
        {"urn": "100005", "gss": "E08000025", "status": "closed"},
    )
    return reference


def _find(db: psycopg.Connection, urn: str | None) -> Found:
    (row,) = ask_rows(db, "select school_urn, la_code, problem from place.find_school(%s)", urn)
    school_urn, la_code, problem = row
    return school_urn, la_code, problem


def test_an_open_school_is_itself(places: psycopg.Connection) -> None:
    assert _find(places, " 990001 ") == ("990001", "E08000025", None)


@pytest.mark.parametrize(
    ("urn", "problem"),
    [("123456", "unknown"), ("99000", "malformed"), ("x" * 9999, "malformed"), ("", None),
     (None, None), ("100005", "closed")],
)  # fmt: skip
def test_what_cannot_be_used_says_why(
    places: psycopg.Connection, urn: str | None, problem: str | None
) -> None:
    assert _find(places, urn) == (None, None, problem)


def test_a_closed_school_is_followed_to_the_open_one(places: psycopg.Connection) -> None:
    """A school that becomes an academy gets a new number; families keep the old one."""
    merge_school_links(places, ("100001", "100002", "Successor"), ("100002", "100003", "Successor"))
    assert _find(places, "100001") == ("100003", "E10000016", None)


def test_a_school_that_was_split_is_not_guessed(places: psycopg.Connection) -> None:
    merge_school_links(
        places,
        ("100001", "100003", "Successor - Split School"),
        ("100001", "100004", "Successor - Split School"),
    )
    assert _find(places, "100001") == (None, None, "closed")


def test_schools_that_follow_each_other_end(places: psycopg.Connection) -> None:
    merge_school_links(places, ("100001", "100002", "Successor"), ("100002", "100001", "Successor"))
    assert _find(places, "100001") == (None, None, "closed")


def test_the_schools_postcode_decides_after_its_county_was_split(
    places: psycopg.Connection,
) -> None:
    merge_schools(
        places,
        {"urn": "100006", "gss": "E10000016", "postcode": "CT1 2EH"},
        {"urn": "100007", "gss": "E10000016"},
    )
    merge_postcodes(places, {"CT1 2EH": "E07000106"})
    split = {"gss": "E10000016", "name": "Kent", "successors": ["E06000063", "E06000064"]}
    moved = {"lad_gss": "E07000106", "name": "Canterbury", "authority_gss": "E06000064"}
    places.execute("select place.load_authorities(%s)", [Jsonb([split])])
    places.execute("select place.load_districts(%s)", [Jsonb([moved])])
    assert _find(places, "100006") == ("100006", "E06000064", None)
    assert _find(places, "100007") == (None, None, "split")
