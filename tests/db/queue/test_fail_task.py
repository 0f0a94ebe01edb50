"""queue.fail_task: again later, each time later, and at last not at all."""

from typing import Any

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows


def _claim(db: psycopg.Connection) -> tuple[Any, ...]:
    db.execute("update queue.task set ready_at = clock_timestamp() where not dead")
    return ask_rows(db, "select task_id, lease_token from queue.claim_tasks('kim')")[0]


def _fail(db: psycopg.Connection, claim: tuple[Any, ...], *, final: bool = False) -> bool:
    failed: bool = ask(db, "select queue.fail_task(%s, %s, 'no model', %s)", *claim, final)
    return failed


def _seconds_to_wait(
    db: psycopg.Connection, claim: tuple[Any, ...], wait: str | None = None
) -> tuple[float, float]:
    """Fail a task; it waits no longer than the first and no shorter than the second number."""
    before = ask(db, "select clock_timestamp()")
    assert ask(db, "select queue.fail_task(%s, %s, 'busy', wait => %s)", *claim, wait)
    ready, after = ask_rows(db, "select ready_at, clock_timestamp() from queue.task")[0]
    return (ready - before).total_seconds(), (ready - after).total_seconds()


@pytest.fixture
def task(reference: psycopg.Connection) -> psycopg.Connection:
    """A connection to a queue with one task."""
    reference.execute("select queue.enqueue('publish', 1)")
    return reference


def test_a_failed_task_is_free_again_and_says_why(task: psycopg.Connection) -> None:
    assert _fail(task, _claim(task))
    assert ask_rows(
        task, "select claimed_by, lease_token, dead, attempts, last_error from queue.task"
    ) == [(None, None, False, 1, "no model")]


def test_each_failure_waits_longer_up_to_an_hour(task: psycopg.Connection) -> None:
    for attempt in range(1, 8):
        longest, shortest = _seconds_to_wait(task, _claim(task))
        least = min(3600, 10 * 2 ** (attempt - 1))
        assert least <= longest
        assert shortest <= least * 1.25


def test_the_wait_never_passes_an_hour_and_a_quarter(task: psycopg.Connection) -> None:
    task.execute("update queue.task set attempts = 40, lease_token = gen_random_uuid()")
    claim = ask_rows(task, "select task_id, lease_token from queue.task")[0]
    longest, shortest = _seconds_to_wait(task, claim)
    assert longest >= 3600
    assert shortest <= 4500


@pytest.mark.parametrize(
    ("wait", "least", "most"),
    [
        ("90 seconds", 90, 90),
        ("1 second", 10, 12.5),
        ("-1 hour", 10, 12.5),
        ("9 days", 86_400, 86_400),
    ],
)
def test_who_is_told_when_to_come_back_comes_no_sooner(
    task: psycopg.Connection, wait: str, least: float, most: float
) -> None:
    longest, shortest = _seconds_to_wait(task, _claim(task), wait)
    assert least <= longest
    assert shortest <= most


def test_after_eight_attempts_the_task_is_dead(task: psycopg.Connection) -> None:
    for attempt in range(1, 9):
        assert _fail(task, _claim(task))
        assert ask(task, "select dead from queue.task") is (attempt == 8)
    task.execute("update queue.task set ready_at = clock_timestamp()")
    assert ask_rows(task, "select * from queue.claim_tasks('kim')") == []


def test_a_final_failure_kills_at_once(task: psycopg.Connection) -> None:
    assert _fail(task, _claim(task), final=True)
    assert ask_rows(task, "select dead, attempts from queue.task") == [(True, 1)]


def test_a_former_holder_cannot_fail_what_another_holds(task: psycopg.Connection) -> None:
    old = _claim(task)
    new = _claim(task)
    assert not _fail(task, old, final=True)
    assert not _fail(task, (new[0], None), final=True)
    assert ask_rows(task, "select dead, last_error from queue.task") == [(False, None)]
    assert _fail(task, new)


def test_a_long_reason_is_cut(task: psycopg.Connection) -> None:
    claim = _claim(task)
    task.execute("select queue.fail_task(%s, %s, %s)", [*claim, "x" * 10_000])
    assert ask(task, "select length(last_error) from queue.task") == 500
