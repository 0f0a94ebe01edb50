"""place.load_schools: schools by unique reference number."""

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.corpus import SCHOOLS
from tests.db.corpus_fixtures import ask, ask_rows, refused


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
