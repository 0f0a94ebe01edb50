"""search.purge_records: what was kept of searches goes when its time is over, a batch at a time."""

from typing import Any

import psycopg
import pytest

from tests.corpus import load_reference
from tests.roles import role
from tests.rows import value_of
from tests.sandbox import refused


def note(db: psycopg.Connection[Any], *ages: int, kind: str = "la_coverage_miss") -> None:
    """A record and an audit row of each age in days."""
    for age in ages:
        db.execute("select search.record_search('{}')")
        db.execute(
            "update search.record set at = now() - make_interval(days => %s) where record_id = "
            "(select max(record_id) from search.record)",
            [age],
        )
        db.execute(
            "insert into audit.event (kind, at) values (%s, now() - make_interval(days => %s))",
            [kind, age],
        )


def purge(db: psycopg.Connection[Any], batch_size: int = 10_000) -> int:
    gone: int = value_of(db, "select search.purge_records(%s)", [batch_size])
    return gone


def left(db: psycopg.Connection[Any]) -> tuple[int, int]:
    return (
        value_of(db, "select count(*) from search.record"),
        value_of(db, "select count(*) from audit.event where kind <> 'setting_changed'"),
    )


def test_records_and_coverage_misses_go_after_their_own_time(kb: psycopg.Connection[Any]) -> None:
    note(kb, 0, 89, 91, 364, 366)
    assert purge(kb) == 4
    assert left(kb) == (2, 4)
    assert purge(kb) == 0


def test_the_settings_say_how_long(kb: psycopg.Connection[Any]) -> None:
    note(kb, 0, 3, 40)
    kb.execute("select config.install_setting('kb.record_days', '2')")
    kb.execute("select config.install_setting('kb.coverage_miss_days', '30')")
    purge(kb)
    assert left(kb) == (1, 2)


def test_what_somebody_decided_stays_in_the_audit_for_ever(kb: psycopg.Connection[Any]) -> None:
    note(kb, 4000, kind="status_changed")
    assert purge(kb) == 1
    assert left(kb) == (0, 1)


def test_a_batch_takes_the_oldest_and_the_rest_waits(kb: psycopg.Connection[Any]) -> None:
    note(kb, 400, 500, 600)
    assert purge(kb, 2) == 4
    assert value_of(kb, "select at > now() - interval '401 days' from search.record")
    assert left(kb) == (1, 1)
    for size in (0, -1, None):
        with refused(kb, "SE001"):
            kb.execute("select search.purge_records(%s::integer)", [size])


def test_only_upkeep_may_purge(kb: psycopg.Connection[Any]) -> None:
    note(kb, 400)
    with role(kb, "pgkb_app"), refused(kb, "42501"):
        purge(kb)
    with role(kb, "pgkb_ingest"):
        assert purge(kb) == 2
        with refused(kb, "42501"):
            kb.execute("delete from audit.event")


@pytest.mark.parametrize("other", ["a second purge", "a search that is recorded"])
def test_nobody_waits_for_a_purge(db: psycopg.Connection[Any], db_url: str, other: str) -> None:
    load_reference(db)
    note(db, 400, 500)
    db.commit()
    assert purge(db, 1) == 2
    with psycopg.connect(db_url) as second:
        second.execute("set lock_timeout = '2s'")
        if other == "a second purge":
            assert purge(second, 10) == 2, "it takes what the first did not"
        else:
            second.execute("select search.record_search('{}')")
    db.commit()
    assert purge(db) == (0 if other == "a second purge" else 2)
