"""queue.claim_tasks: the oldest ready work, for one worker at a time, and not for ever."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.plans import plans_of


def _enqueue(db: psycopg.Connection, *subjects: int) -> None:
    for subject in subjects:
        db.execute("select queue.enqueue('publish_version', %s)", [subject])


def _claim(
    db: psycopg.Connection, worker: str = "w", batch_size: int | None = 1, lease: str = "5 minutes"
) -> list[dict[str, Any]]:
    return [
        row[0]
        for row in ask_rows(
            db,
            "select to_jsonb(t) from queue.claim_tasks(%s, %s, %s::interval) as t",
            worker,
            batch_size,
            lease,
        )
    ]


def _lapse(db: psycopg.Connection) -> None:
    db.execute("update queue.task set ready_at = clock_timestamp() - interval '1 second'")


def test_the_oldest_ready_task_comes_first_and_then_hides(
    reference: psycopg.Connection,
) -> None:
    _enqueue(reference, 1, 2, 3)
    assert [_claim(reference)[0]["subject_id"] for _ in range(3)] == [1, 2, 3]
    assert _claim(reference) == []


def test_a_claim_names_its_worker_and_gives_a_token_of_its_own(
    reference: psycopg.Connection,
) -> None:
    _enqueue(reference, 1, 2)
    first, second = _claim(reference, "kim", batch_size=10)
    assert first["claimed_by"] == second["claimed_by"] == "kim"
    assert first["attempts"] == 1
    assert first["lease_token"] != second["lease_token"]
    assert ask(
        reference,
        "select bool_and(ready_at between clock_timestamp() + interval '4 minutes' "
        "and clock_timestamp() + interval '5 minutes') from queue.task",
    )


def test_a_task_that_is_not_ready_yet_waits(reference: psycopg.Connection) -> None:
    _enqueue(reference, 1)
    reference.execute("update queue.task set ready_at = clock_timestamp() + interval '1 hour'")
    assert _claim(reference) == []


def test_the_task_of_a_dead_worker_is_claimed_again_after_its_lease(
    reference: psycopg.Connection,
) -> None:
    """J-05."""
    _enqueue(reference, 1)
    (first,) = _claim(reference, "kim")
    _lapse(reference)
    (second,) = _claim(reference, "lee")
    assert (second["claimed_by"], second["attempts"]) == ("lee", 2)
    assert second["lease_token"] != first["lease_token"]


def test_work_that_kills_every_worker_is_given_up_after_eight(
    reference: psycopg.Connection,
) -> None:
    """J-05: a dead worker never says that it failed, so the claim has to count."""
    _enqueue(reference, 1, 2)
    for attempt in range(1, 9):
        assert [t["attempts"] for t in _claim(reference, batch_size=2)] == [attempt] * 2
        _lapse(reference)
    assert _claim(reference, batch_size=2) == []
    assert (
        ask_rows(
            reference,
            "select dead, claimed_by, lease_token, last_error is not null from queue.task",
        )
        == [(True, None, None, True)] * 2
    )


def test_the_eighth_holder_may_work_on_while_its_lease_holds(
    reference: psycopg.Connection,
) -> None:
    _enqueue(reference, 1)
    for _ in range(8):
        _lapse(reference)
        (task,) = _claim(reference)
    assert _claim(reference) == []
    assert ask(
        reference,
        "select queue.finish_task(%s, %s::uuid)",
        task["task_id"],
        task["lease_token"],
    )


def test_higher_priority_goes_first_and_equals_in_order(reference: psycopg.Connection) -> None:
    _enqueue(reference, 1, 2)
    reference.execute("select queue.enqueue('publish_version', 3, priority => 5)")
    reference.execute("select queue.enqueue('publish_version', 4, priority => -1)")
    assert [_claim(reference)[0]["subject_id"] for _ in range(4)] == [3, 1, 2, 4]


def test_a_worker_gets_only_the_kinds_it_knows(reference: psycopg.Connection) -> None:
    _enqueue(reference, 1)
    reference.execute("select queue.enqueue('paint_walls', 2)")
    claimed = ask_rows(
        reference,
        "select kind, subject_id from queue.claim_tasks('w', 10, kinds => '{paint_walls}')",
    )
    assert claimed == [("paint_walls", 2)]


def test_a_dead_task_is_never_claimed(reference: psycopg.Connection) -> None:
    _enqueue(reference, 1)
    reference.execute("update queue.task set dead = true")
    assert _claim(reference) == []


@pytest.mark.parametrize(
    ("batch_size", "lease"),
    [
        (0, "5 minutes"),
        (101, "5 minutes"),
        (-1, "5 minutes"),
        (None, "5 minutes"),
        (1, "0"),
        (1, "-1 minute"),
        (1, "25 hours"),
    ],
)
def test_a_batch_or_a_lease_out_of_range_is_refused_and_nothing_is_claimed(
    reference: psycopg.Connection, batch_size: int | None, lease: str
) -> None:
    _enqueue(reference, 1)
    with refused(reference, "QU001", "1 to 100"):
        _claim(reference, batch_size=batch_size, lease=lease)
    assert ask(reference, "select attempts from queue.task") == 0


def test_a_claim_reads_the_ready_index(reference: psycopg.Connection) -> None:
    _enqueue(reference, *range(400))
    reference.execute("analyze queue.task")
    with plans_of(reference) as plans:
        _claim(reference)
    assert "task_ready_idx" in plans.of("ready_task").text


def test_two_workers_never_get_the_same_task_and_nobody_waits(
    db: psycopg.Connection, db_url: str
) -> None:
    _enqueue(db, *range(5))
    db.commit()
    with psycopg.connect(db_url) as other:
        other.execute("set statement_timeout = '5s'")
        first = _claim(db, "a", batch_size=3)  # not committed: the rows are locked
        second = _claim(other, "b", batch_size=5)
        assert len(first) == 3
        assert len(second) == 2
        assert not {t["task_id"] for t in first} & {t["task_id"] for t in second}
        other.commit()
        db.commit()

    def drain(worker: str) -> list[int]:
        got = []
        with psycopg.connect(db_url, autocommit=True) as own:
            while batch := _claim(own, worker, batch_size=2):
                got += [task["task_id"] for task in batch]
                # or they would be free again with the end of this connection
                for task in batch:
                    own.execute(
                        "select queue.finish_task(%s, %s::uuid)",
                        [task["task_id"], task["lease_token"]],
                    )
        return got

    db.execute("truncate queue.task")
    _enqueue(db, *range(60))
    db.commit()
    with ThreadPoolExecutor(6) as pool:
        drained = list(pool.map(drain, "abcdef"))
    taken = [task for tasks in drained for task in tasks]
    assert len(taken) == len(set(taken)) == 60
