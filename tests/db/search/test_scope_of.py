"""search.scope_of: who a question is asked for, with names."""

from typing import Any

import psycopg

from tests.registers import merge_postcodes, merge_schools
from tests.rows import Row, rows_of
from tests.sandbox import refused


def scope_of(
    db: psycopg.Connection[Any],
    la: str | None = None,
    home_la: str | None = None,
    urn: str | None = None,
    postcode: str | None = None,
) -> Row:
    (row,) = rows_of(db, "search.scope_of(%s, %s, %s, %s)", [la, home_la, urn, postcode])
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


def test_a_school_alone_is_asked_for_its_authority(kb: psycopg.Connection[Any]) -> None:
    found = scope_of(kb, urn="990003")
    assert (found["la_code"], found["la_name"]) == ("E10000016", "Kent")
    assert (found["home_la_code"], found["school_urn"]) == (None, "990003")
    # an authority given on purpose is the one meant
    assert scope_of(kb, "E08000025", urn="990003")["la_code"] == "E08000025"


def test_a_school_stands_under_the_code_of_today(kb: psycopg.Connection[Any]) -> None:
    merge_schools(kb, {"urn": "100001", "gss": "E08000038"})
    # as it would stand had the code changed after the school was loaded
    kb.execute("update place.school set la_code = 'E08000016' where urn = '100001'")
    assert scope_of(kb, urn="100001")["la_code"] == "E08000038"
    kb.execute("update place.school set la_code = 'E10000006' where urn = '100001'")
    assert scope_of(kb, urn="100001")["la_code"] is None
    merge_postcodes(kb, {"CA1 1AA": "E06000063"})
    kb.execute("update place.school set postcode = 'CA1 1AA' where urn = '100001'")
    assert scope_of(kb, urn="100001")["la_code"] == "E06000063"


def test_a_postcode_is_the_home_beside_an_authority_or_a_school_and_else_the_place(
    kb: psycopg.Connection[Any],
) -> None:
    merge_postcodes(kb, {"CT1 2EH": "E07000106", "CA1 1AA": "E06000063"})
    alone = scope_of(kb, postcode="ct12eh")
    assert (alone["la_code"], alone["home_la_code"]) == ("E10000016", None)
    for asked in ({"la": "E08000025"}, {"urn": "990001"}):
        across = scope_of(kb, **asked, postcode="CT1 2EH")
        assert (across["la_code"], across["home_la_code"]) == ("E08000025", "E10000016")
        assert across["home_la_name"] == "Kent"
    at_home = scope_of(kb, urn="990003", postcode="CT1 2EH")
    assert (at_home["la_code"], at_home["home_la_code"]) == ("E10000016", None)
    # a home authority given on purpose is the one meant
    assert scope_of(kb, "E08000025", "E08000038", postcode="CT1 2EH")["home_la_code"] == (
        "E08000038"
    )
    # and a county that was split is the part the postcode lies in
    assert scope_of(kb, "E10000006", postcode="CA1 1AA")["la_code"] == "E06000063"


def test_a_postcode_that_tells_nothing_is_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PL005") as caught:
        scope_of(kb, "E08000025", postcode="ZZ1 1ZZ")
    assert "ZZ1" not in str(caught.value)
    assert set(scope_of(kb, postcode=" ").values()) == {None}
