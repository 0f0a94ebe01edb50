"""crawl.next_run, cron_field: the instant a schedule of five fields names next."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused

MONDAY = "2026-11-30 05:30:00+00"


def following(db: psycopg.Connection, schedule: str | None, zone: str = "UTC") -> str | None:
    told: str | None = ask(
        db,
        "select to_char(crawl.next_run(%s, %s, %s) at time zone 'UTC', 'YYYY-MM-DD HH24:MI')",
        schedule,
        MONDAY,
        zone,
    )
    return told


@pytest.mark.parametrize(
    ("schedule", "instant"),
    [
        ("0 3 * * 1", "2026-12-07 03:00"),
        ("30 5 * * *", "2026-12-01 05:30"),
        ("31 5 * * *", "2026-11-30 05:31"),
        ("*/10 * * * *", "2026-11-30 05:40"),
        ("5-15/5,50 5 * * *", "2026-11-30 05:50"),
        ("0 0 29 2 *", "2028-02-29 00:00"),
        # either of the two days, as in cron
        ("0 0 13 * 5", "2026-12-04 00:00"),
        # Sunday has two numbers
        ("0 0 * * 7", "2026-12-06 00:00"),
        ("0 0 * * 0", "2026-12-06 00:00"),
        ("0 0 31 2 *", None),
        (None, None),
    ],
)
def test_the_next_instant_is_the_first_that_all_fields_name(
    reference: psycopg.Connection, schedule: str | None, instant: str | None
) -> None:
    assert following(reference, schedule) == instant


def test_a_schedule_is_meant_in_its_zone(reference: psycopg.Connection) -> None:
    assert following(reference, "0 9 1 6 *", "Europe/London") == "2027-06-01 08:00"
    assert following(reference, "0 9 1 12 *", "Europe/London") == "2026-12-01 09:00"


@pytest.mark.parametrize(
    "schedule",
    ["", "daily", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
     "* * * * mon", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *", "-1 * * * *",
     "99999999999 * * * *"],
)  # fmt: skip
def test_a_schedule_that_names_nothing_is_refused(
    reference: psycopg.Connection, schedule: str
) -> None:
    with refused(reference, "WC003"):
        following(reference, schedule)


def test_an_unknown_zone_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "WC003", "Mars"):
        following(reference, "0 3 * * *", "Mars/Olympus")
