"""search.freshness: a mild weight by age that no odd date can break (fault R-14)."""

from datetime import date, timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rows import value_of

TODAY = date(2026, 3, 1)


def weight(db: psycopg.Connection[Any], day: date | str | None, floor: float = 0.8) -> float:
    found: float = value_of(db, "select search.freshness(%s::date, %s, %s)", [day, TODAY, floor])
    return found


def test_a_document_of_today_keeps_its_whole_weight(kb: psycopg.Connection[Any]) -> None:
    assert weight(kb, TODAY) == 1.0


def test_a_year_halves_what_age_may_take(kb: psycopg.Connection[Any]) -> None:
    assert weight(kb, TODAY - timedelta(days=365)) == pytest.approx(0.9, abs=1e-4)
    assert weight(kb, TODAY - timedelta(days=1461)) == pytest.approx(0.8 + 0.2 / 5, abs=1e-9)


@pytest.mark.parametrize("days", [1, 330, 365, 366, 100000])
def test_a_date_to_come_counts_as_today(kb: psycopg.Connection[Any], days: int) -> None:
    assert weight(kb, TODAY + timedelta(days=days)) == 1.0


def test_an_unknown_date_is_neutral(kb: psycopg.Connection[Any]) -> None:
    assert weight(kb, None) == 1.0


def test_an_infinite_date_is_no_error(kb: psycopg.Connection[Any]) -> None:
    assert weight(kb, "infinity") == 1.0
    assert weight(kb, "-infinity") == 0.8


def test_a_floor_of_one_switches_freshness_off(kb: psycopg.Connection[Any]) -> None:
    assert weight(kb, date(1900, 1, 1), floor=1.0) == 1.0


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    older=st.dates(date(1, 1, 1), date(9999, 12, 31)),
    newer=st.dates(date(1, 1, 1), date(9999, 12, 31)),
    floor=st.floats(0, 1),
)
def test_newer_never_weighs_less_and_the_weight_stays_between_floor_and_one(
    kb: psycopg.Connection[Any], older: date, newer: date, floor: float
) -> None:
    older, newer = sorted((older, newer))
    assert floor <= weight(kb, older, floor) <= weight(kb, newer, floor) <= 1.0
