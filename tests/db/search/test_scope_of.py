"""search.scope_of: who a question is asked for, with names."""

from typing import Any

import psycopg

from tests.rows import Row, rows_of
from tests.sandbox import refused


def scope_of(
    db: psycopg.Connection[Any],
    la: str | None = None,
    home_la: str | None = None,
    urn: str | None = None,
) -> Row:
    (row,) = rows_of(db, "search.scope_of(%s, %s, %s)", [la, home_la, urn])
    return row


def test_codes_resolve_to_names(kb: psycopg.Connection[Any]) -> None:
    assert scope_of(kb, "E08000025", "E10000016", "990001") == {
        "la_code": "E08000025",
        "la_name": "Birmingham",
        "home_la_code": "E10000016",
        "home_la_name": "Kent",
        "school_urn": "990001",
        "school_name": "Hollybrook Primary School",
    }


def test_an_old_a_district_and_a_three_digit_code_resolve_to_the_authority_of_today(
    kb: psycopg.Connection[Any],
) -> None:
    assert scope_of(kb, "E08000016")["la_code"] == "E08000038"
    assert scope_of(kb, "E07000106")["la_code"] == "E10000016"
    assert scope_of(kb, "370")["la_code"] == "E08000038"
    assert scope_of(kb, " e08000025 ")["la_code"] == "E08000025"


def test_nothing_given_is_nobody(kb: psycopg.Connection[Any]) -> None:
    assert set(scope_of(kb).values()) == {None}
    assert set(scope_of(kb, "", " ", "").values()) == {None}


def test_an_unknown_code_is_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PL001"):
        scope_of(kb, "E99999999")
    with refused(kb, "PL001"):
        scope_of(kb, None, "E99999999")
    with refused(kb, "PL002"):
        scope_of(kb, None, None, "123456")
    with refused(kb, "PL003"):
        scope_of(kb, "E10000006")
