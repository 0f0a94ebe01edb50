"""place.merge_postcodes: the whole register, swapped at one stroke."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import load_reference
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.registers import counts, merge_postcodes

KENT, BIRMINGHAM = "E07000106", "E08000025"
FOUR = {"CT1 2EH": KENT, "CT1 2EJ": KENT, "B1 1AA": BIRMINGHAM, "B1 1AB": BIRMINGHAM}


def _stored(db: psycopg.Connection) -> dict[str, tuple[str, bool]]:
    return {p: (d, e) for p, d, e in ask_rows(db, "select * from place.postcode")}


def test_a_register_says_what_it_changed(reference: psycopg.Connection) -> None:
    assert counts(merge_postcodes(reference, FOUR)) == {"added": 4}
    assert counts(merge_postcodes(reference, FOUR)) == {"unchanged": 4}
    moved = FOUR | {"CT1 2EJ": BIRMINGHAM, "B1 1AC": BIRMINGHAM}
    del moved["B1 1AB"]
    assert counts(merge_postcodes(reference, moved, ended=["B1 1AA"])) == {
        "added": 1, "changed": 1, "closed": 1, "removed": 1, "unchanged": 1,
    }  # fmt: skip
    assert _stored(reference) == {
        "CT1 2EH": (KENT, False),
        "CT1 2EJ": (BIRMINGHAM, False),
        "B1 1AA": (BIRMINGHAM, True),
        "B1 1AC": (BIRMINGHAM, False),
    }


def test_only_sectors_that_differ_are_written(reference: psycopg.Connection) -> None:
    merge_postcodes(reference, FOUR)
    query = "select sector, xmin::text || ctid::text from place.postcode_sector"
    before: dict[str, str] = dict(ask_rows(reference, query))
    merge_postcodes(reference, FOUR | {"CT1 2EL": KENT})
    after: dict[str, str] = dict(ask_rows(reference, query))
    assert after["B1 1"] == before["B1 1"]
    assert after["CT1 2"] != before["CT1 2"]


def test_a_register_that_takes_away_most_is_refused_unless_it_is_meant(
    reference: psycopg.Connection,
) -> None:
    merge_postcodes(reference, FOUR)
    with refused(reference, "PL008", "3 of 4", "--shrink"):
        merge_postcodes(reference, {"CT1 2EH": KENT})
    assert len(_stored(reference)) == 4
    assert counts(merge_postcodes(reference, {"CT1 2EH": KENT}, shrink=True)) == {
        "unchanged": 1, "removed": 3,
    }  # fmt: skip


def test_an_empty_register_takes_nothing_away(reference: psycopg.Connection) -> None:
    merge_postcodes(reference, FOUR)
    with refused(reference, "PL008"):
        merge_postcodes(reference, {})


def test_bad_rows_are_told_by_line_and_other_countries_are_outside(
    reference: psycopg.Connection,
) -> None:
    report = merge_postcodes(
        reference,
        [
            ("ct12eh", KENT),
            ("CT1 2", KENT),
            ("", KENT),
            ("B1 1AA", "E07999999"),
            ("B1 1AB", " e08000025 "),
            ("CT1 2EH", BIRMINGHAM),
            ("EH1 1AA", "S12000036"),
            ("IM1 1AA", ""),
            ("nonsense", "W06000015"),
            ("SW1A 1", KENT),
            ("B1 1AC", "330"),
        ],
    )
    assert counts(report) == {"added": 2, "refused": 5, "outside": 4}
    assert {p["line"]: p["reason"] for p in report["problems"]} == {
        3: "not a full postcode",
        4: "not a full postcode",
        5: 'district "E07999999" is not known',
        7: "this postcode stands on line 2 already",
        11: "not a full postcode",
    }
    assert _stored(reference) == {"CT1 2EH": (KENT, False), "B1 1AB": (BIRMINGHAM, False)}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([f"B1 {n}A{u}" for n in "12" for u in "ABD"]),
            st.sampled_from([KENT, BIRMINGHAM]),
        ),
        min_size=2,
        max_size=3,
    )
)
def test_after_any_loads_the_last_register_is_what_is_known(
    reference: psycopg.Connection, registers: list[dict[str, str]]
) -> None:
    with reference.transaction(force_rollback=True):
        for register in registers:
            before = _stored(reference)
            report = merge_postcodes(reference, register, shrink=True)
            assert _stored(reference) == {p: (d, False) for p, d in register.items()}
            assert report["added"] == len(register.keys() - before.keys())
            assert report["removed"] == len(before.keys() - register.keys())
            assert report["added"] + report["changed"] + report["unchanged"] == len(register)


def test_readers_see_the_old_register_until_the_new_one_is_whole(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    merge_postcodes(db, FOUR)
    db.commit()
    with psycopg.connect(db_url, autocommit=True) as reader:
        reader.execute("set lock_timeout = '2s'")
        merge_postcodes(db, {"CT1 2EH": BIRMINGHAM, "B1 1AA": KENT, "B1 1AB": KENT})
        query = "select count(*), min(lad_gss) from place.postcode where postcode = 'CT1 2EH'"
        assert ask_rows(reader, query) == [(1, KENT)]
        assert ask(reader, "select count(*) from place.postcode") == 4
        db.commit()
        assert ask_rows(reader, query) == [(1, BIRMINGHAM)]
        assert ask(reader, "select count(*) from place.postcode") == 3


@pytest.mark.parametrize("code", ["E10000006", "909"])
def test_a_district_that_was_split_is_refused(reference: psycopg.Connection, code: str) -> None:
    report = merge_postcodes(reference, [("CA1 1AA", code)])
    assert counts(report)["refused" if code.startswith("E") else "outside"] == 1
