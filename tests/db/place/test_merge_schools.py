"""place.merge_schools and place.merge_school_links: a register of schools, set by set."""

from typing import Any

import psycopg
import pytest

from tests.corpus import SCHOOLS, add
from tests.db.corpus_fixtures import ask, ask_rows
from tests.registers import counts, merge_postcodes, merge_school_links, merge_schools

SCHOOL = {
    "urn": "100001",
    "name": "St John\u2019s",
    "dfe_code": "330",
    "gss": "E08000025",
    "phase": "Primary",
    "postcode": "b11aa",
    "website": "www.stjohns.example",
    "status": "1",
    "opened": "2001-09-01",
}


def _school(db: psycopg.Connection, urn: str = "100001") -> dict[str, Any]:
    school: dict[str, Any] = ask(
        db, "select to_jsonb(s) from place.school as s where s.urn = %s", urn
    )
    return school


def test_a_new_school_is_added_in_one_spelling(reference: psycopg.Connection) -> None:
    assert counts(merge_schools(reference, SCHOOL)) == {"added": 1}
    assert _school(reference) == {
        "urn": "100001",
        "name": "St John\u2019s",
        "la_code": "E08000025",
        "phase": "Primary",
        "postcode": "B1 1AA",
        "website": "http://www.stjohns.example",
        "status": "open",
        "opened": "2001-09-01",
        "closed": None,
    }


def test_loading_the_same_register_again_changes_nothing(reference: psycopg.Connection) -> None:
    merge_schools(reference, SCHOOL)
    before = ask(reference, "select s.xmin::text from place.school as s where s.urn = '100001'")
    assert counts(merge_schools(reference, SCHOOL)) == {"unchanged": 1}
    after = ask(reference, "select s.xmin::text from place.school as s where s.urn = '100001'")
    assert after == before, "a row that does not differ is not written"


def test_a_name_changes_and_a_school_closes_and_what_refers_to_it_stays(
    reference: psycopg.Connection,
) -> None:
    merge_schools(reference, SCHOOL)
    added = add(reference, "The policy of the school.", source="policy", school_urn="100001")
    assert counts(merge_schools(reference, SCHOOL | {"name": "St Jude\u2019s"})) == {"changed": 1}
    closed = SCHOOL | {"status": "2", "closed": "2024-08-31"}
    assert counts(merge_schools(reference, closed)) == {"closed": 1}
    assert (_school(reference)["status"], _school(reference)["closed"]) == ("closed", "2024-08-31")
    assert ask(reference, "select count(*) from corpus.document where document_id = %s",
               added.document_id) == 1  # fmt: skip


def test_a_register_never_takes_a_school_away(reference: psycopg.Connection) -> None:
    merge_schools(reference, SCHOOL)
    assert ask(reference, "select count(*) from place.school") == len(SCHOOLS) + 1


def test_an_empty_cell_erases_nothing(reference: psycopg.Connection) -> None:
    """Reduced files lack columns that the full register has."""
    merge_schools(reference, SCHOOL)
    before = _school(reference)
    merge_schools(reference, {"urn": "100001", "name": SCHOOL["name"], "status": "", "gss": ""})
    assert _school(reference) == before


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ({"status": "1"}, "open"),
        ({"status": "Open, but proposed to close"}, "open"),
        ({"status": "Closed"}, "closed"),
        ({"status": "2"}, "closed"),
        ({"status": "4"}, "open"),
        ({"closed": "2020-08-31"}, "closed"),
        ({"closed": "2999-08-31"}, "open"),
        ({}, "open"),
    ],
)
def test_the_status_else_the_day_tells_whether_a_school_is_open(
    reference: psycopg.Connection, cells: dict[str, str], status: str
) -> None:
    merge_schools(reference, {"urn": "100001", "gss": "E08000025"} | cells)
    assert _school(reference)["status"] == status


def test_the_authority_that_oversees_the_school_comes_before_the_one_it_stands_in(
    reference: psycopg.Connection,
) -> None:
    merge_postcodes(
        reference, {"B1 1AA": "E08000025", "CT1 2EH": "E07000106", "CA1 1AA": "E06000063"}
    )
    merge_schools(
        reference,
        {"urn": "100001", "dfe_code": "330", "gss": "E10000016", "postcode": "CT1 2EH"},
        {"urn": "100002", "gss": "E08000016", "postcode": "CT1 2EH"},
        {"urn": "100003", "postcode": "CT1 2EH"},
        # a county that was split: the postcode decides
        {"urn": "100004", "dfe_code": "909", "gss": "E10000006", "postcode": "CA1 1AA"},
    )
    assert dict(
        ask_rows(reference, "select urn, la_code from place.school where urn < '990000'")
    ) == {
        "100001": "E08000025",
        "100002": "E08000038",
        "100003": "E10000016",
        "100004": "E06000063",
    }


def test_bad_rows_are_told_by_line_and_do_not_stop_the_good_ones(
    reference: psycopg.Connection,
) -> None:
    report = merge_schools(
        reference,
        {"urn": "12345", "gss": "E08000025"},
        {"urn": None, "gss": "E08000025"},
        {"urn": "100001", "name": " \t", "gss": "E08000025"},
        {"urn": "100002", "dfe_code": "999"},
        {"urn": "100003", "postcode": "ZZ1 1ZZ"},
        {"urn": "100004", "gss": "E08000025"},
        {"urn": "100004", "gss": "E08000025"},
        {"urn": "100005", "dfe_code": "909"},
    )
    assert counts(report) == {"added": 1, "refused": 7}
    reasons = {p["line"]: p["reason"] for p in report["problems"]}
    assert sorted(reasons) == [2, 3, 4, 5, 6, 8, 9]
    assert reasons[2] == 'URN "12345" is not six digits'
    assert "no name" in reasons[4]
    assert '"999" is not known' in reasons[5]
    assert "no authority" in reasons[6]
    assert reasons[8] == "URN 100004 stands on line 7 already"
    assert "split" in reasons[9]


def test_a_school_of_another_country_is_outside(reference: psycopg.Connection) -> None:
    report = merge_schools(
        reference,
        {"urn": "401001", "dfe_code": "681", "gss": "W06000015"},
        {"urn": "401002", "dfe_code": "681", "gss": "E06999999"},
    )
    assert counts(report) == {"outside": 1, "refused": 1}
    assert [problem["line"] for problem in report["problems"]] == [3]


@pytest.mark.parametrize("postcode", ["SW1A 1", "B1", "none", " "])
def test_a_postcode_that_is_not_whole_is_left_out(
    reference: psycopg.Connection, postcode: str
) -> None:
    assert counts(merge_schools(reference, SCHOOL | {"postcode": postcode})) == {"added": 1}
    assert _school(reference)["postcode"] is None


@pytest.mark.parametrize("website", ["none", "mailto:a@b.example", "http://", "tba", "a b.example"])
def test_a_website_that_is_no_address_is_left_out(
    reference: psycopg.Connection, website: str
) -> None:
    assert counts(merge_schools(reference, SCHOOL | {"website": website})) == {"added": 1}
    assert _school(reference)["website"] is None


def test_links_are_successions_from_either_end(reference: psycopg.Connection) -> None:
    merge_schools(reference, *({"urn": f"10000{n}", "gss": "E08000025"} for n in range(1, 4)))
    links = (
        ("100001", "100002", "Successor"),
        ("100002", "100001", "Predecessor"),
        ("100003", "100002", "Predecessor - amalgamated"),
        ("100001", "100003", "Sixth Form Centre Link"),
        ("100001", "100003", None),
        ("100001", "100001", "Successor"),
        ("100001", "123456", "Successor"),
        (None, "100001", "Successor"),
    )
    report = merge_school_links(reference, *links)
    assert counts(report) == {"added": 2, "outside": 2, "refused": 3}
    assert [p["line"] for p in report["problems"]] == [7, 8, 9]
    assert ask_rows(
        reference, "select urn, successor_urn from place.school_successor order by urn"
    ) == [("100001", "100002"), ("100002", "100003")]
    assert counts(merge_school_links(reference, *links))["unchanged"] == 2
