"""queue.heartbeat: a lease is renewed by who holds it."""

import uuid

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def _claimed(db: psycopg.Connection) -> tuple[int, uuid.UUID]:
    db.execute("select queue.enqueue('publish', 1)")
    return ask_rows(db, "select task_id, lease_token from queue.claim_tasks('kim')")[0]


def _beat(db: psycopg.Connection, task: int, token: uuid.UUID | None) -> bool:
    held: bool = ask(db, "select queue.heartbeat(%s, %s::uuid, '1 hour')", task, token)
    return held


def test_the_holder_keeps_the_task_longer(reference: psycopg.Connection) -> None:
    task, token = _claimed(reference)
    assert _beat(reference, task, token)
    assert ask(
        reference, "select ready_at > clock_timestamp() + interval '59 minutes' from queue.task"
    )


def test_a_late_holder_whose_task_nobody_took_keeps_it(reference: psycopg.Connection) -> None:
    task, token = _claimed(reference)
    reference.execute("update queue.task set ready_at = clock_timestamp() - interval '1 hour'")
    assert _beat(reference, task, token)
    assert ask_rows(reference, "select * from queue.claim_tasks('lee')") == []


def test_nobody_else_can_renew_it(reference: psycopg.Connection) -> None:
    task, token = _claimed(reference)
    reference.execute("update queue.task set ready_at = clock_timestamp() - interval '1 second'")
    ((_, new),) = ask_rows(reference, "select task_id, lease_token from queue.claim_tasks('lee')")
    assert not _beat(reference, task, token)
    assert not _beat(reference, task, uuid.uuid4())
    assert not _beat(reference, task, None)
    assert not _beat(reference, 4711, new)
    assert _beat(reference, task, new)


def test_a_task_that_waits_has_no_holder(reference: psycopg.Connection) -> None:
    reference.execute("select queue.enqueue('publish', 1)")
    assert not _beat(reference, ask(reference, "select task_id from queue.task"), None)
