"""`limits.take`: so often in so long, counted exactly also by two at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg

from tests.rows import value_of
from tests.sandbox import refused

RULE = "sign_in_email"  # 10 in 15 minutes


def _take(db: psycopg.Connection[Any], subject: str, rule: str = RULE) -> timedelta | None:
    found: timedelta | None = value_of(db, "select limits.take(%s, %s)", [rule, subject])
    return found


def test_what_fits_is_let_in_and_one_more_waits_for_its_share_of_the_time(
    kb: psycopg.Connection[Any],
) -> None:
    assert [_take(kb, "a") for _ in range(10)] == [None] * 10
    wait = _take(kb, "a")
    assert wait is not None
    assert timedelta(seconds=80) < wait <= timedelta(seconds=90)
    assert _take(kb, "b") is None


def test_a_limit_that_is_used_up_is_only_read(kb: psycopg.Connection[Any]) -> None:
    for _ in range(10):
        _take(kb, "hammer")
    before = value_of(kb, "select max(ctid::text || empty_at) from limits.bucket")
    assert all(_take(kb, "hammer") for _ in range(5))
    assert value_of(kb, "select max(ctid::text || empty_at) from limits.bucket") == before


def test_time_lets_the_next_one_in(kb: psycopg.Connection[Any]) -> None:
    for _ in range(10):
        _take(kb, "patient")
    kb.execute("update limits.bucket set empty_at = empty_at - interval '91 seconds'")
    assert _take(kb, "patient") is None
    assert _take(kb, "patient") is not None


def test_nought_is_no_limit(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.sign_ins_per_email = 0")
    assert {_take(kb, "free") for _ in range(30)} == {None}


def test_an_unknown_limit_is_refused(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "LI001"):
        _take(kb, "a", rule="no such")


def test_no_address_stands_in_the_table(kb: psycopg.Connection[Any]) -> None:
    _take(kb, "kim@example.org")
    kept = value_of(kb, "select string_agg(b::text, ' ') from limits.bucket as b")
    assert "kim" not in kept
    assert b"kim".hex() not in kept


def test_many_at_once_get_exactly_what_fits(db_url: str) -> None:
    def hammer(_: int) -> int:
        with psycopg.connect(db_url, autocommit=True) as db:
            return sum(_take(db, "crowd") is None for _ in range(10))

    try:
        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(hammer, range(4))) == 10
    finally:
        with psycopg.connect(db_url) as db:
            db.execute("delete from limits.bucket")
