"""corpus.reserve_titles: who reserves later publishes later where titles meet, and only there."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from tests.corpus import load_reference, stage
from tests.db.corpus_fixtures import ask

WAITING = (
    "select count(*) from pg_locks where not granted and locktype = 'advisory'"
    " and database = (select oid from pg_database where datname = current_database())"
)


def _task(db: psycopg.Connection[Any], source: str, title: str) -> int:
    task_id: int = stage(db, f"Text of {source}.", source=source, title=title)["task_id"]
    return task_id


def _reserve(db: psycopg.Connection[Any], *tasks: int) -> None:
    db.execute("select corpus.reserve_titles(%s)", [list(tasks)])


def test_titles_that_meet_are_waited_for_and_others_are_not(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    panel, also_panel = _task(db, "a.txt", "Panel policy"), _task(db, "b.txt", "Panel policy")
    fees = _task(db, "c.txt", "Fees")
    db.commit()
    with (
        psycopg.connect(db_url) as first,
        psycopg.connect(db_url) as second,
        ThreadPoolExecutor(1) as pool,
    ):
        _reserve(first, panel)
        _reserve(second, fees)
        waits = pool.submit(_reserve, second, also_panel)
        while ask(db, WAITING) == 0:
            assert not waits.done()
        first.commit()
        waits.result(20)


def test_nothing_to_publish_reserves_nothing(reference: psycopg.Connection) -> None:
    _reserve(reference)
    _reserve(reference, 4711)
