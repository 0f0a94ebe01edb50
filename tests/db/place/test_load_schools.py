"""place.load_schools: schools by unique reference number."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import SCHOOLS
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.registers import merge_postcodes


def _load(db: psycopg.Connection, *rows: dict[str, Any]) -> int:
    count: int = ask(db, "select place.load_schools(%s)", Jsonb(list(rows)))
    return count


def test_the_authority_of_a_school_may_be_given_by_any_code(
    reference: psycopg.Connection,
) -> None:
    """The register of schools gives the three-digit code of the Department for Education."""
    count = _load(
        reference,
        {"urn": "990011", "name": "A", "la_code": "370"},
        {"urn": "990012", "name": "B", "la_code": "E08000016"},
        {"urn": "990013", "name": "C", "la_code": "E07000106", "status": "closed"},
    )
    assert count == 3
    assert ask_rows(
        reference, "select la_code, status from place.school where urn > '990010' order by urn"
    ) == [("E08000038", "open"), ("E08000038", "open"), ("E10000016", "closed")]


def test_loading_the_same_rows_again_changes_nothing(reference: psycopg.Connection) -> None:
    before = ask_rows(reference, "select * from place.school order by urn")
    assert _load(reference, *SCHOOLS) == len(SCHOOLS)
    assert ask_rows(reference, "select * from place.school order by urn") == before


def test_a_school_of_an_unknown_authority_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection,
) -> None:
    with refused(reference, "PL001", "999"):
        _load(
            reference,
            {"urn": "990011", "name": "A", "la_code": "330"},
            {"urn": "990012", "name": "B", "la_code": "999"},
        )
    assert ask(reference, "select count(*) from place.school") == len(SCHOOLS)


@pytest.mark.parametrize(
    "row",
    [
        {"urn": "99001", "name": "Short", "la_code": "330"},
        {"name": "No number", "la_code": "330"},
        {"urn": "990011", "la_code": "330"},
        {"urn": "990011", "name": "  ", "la_code": "330"},
        {"urn": "990010", "name": "Twice", "la_code": "330"},
        {"urn": "990011", "name": "Nowhere"},
    ],
)
def test_a_row_that_cannot_be_a_school_is_refused_and_nothing_is_stored(
    reference: psycopg.Connection, row: dict[str, Any]
) -> None:
    with refused(reference, "PL006", "school row 2 cannot be used"):
        _load(reference, {"urn": "990010", "name": "Fine", "la_code": "330"}, row)
    assert ask(reference, "select count(*) from place.school") == len(SCHOOLS)


def test_the_authority_may_be_left_to_the_postcode(reference: psycopg.Connection) -> None:
    merge_postcodes(reference, {"CT1 2EH": "E07000106", "CA1 1AA": "E06000063"})
    _load(
        reference,
        {"urn": "990011", "name": "A", "postcode": "CT1 2EH"},
        {"urn": "990012", "name": "B", "la_code": "E10000006", "postcode": "CA1 1AA"},
    )
    assert ask_rows(
        reference, "select la_code from place.school where urn > '990010' order by urn"
    ) == [("E10000016",), ("E06000063",)]
