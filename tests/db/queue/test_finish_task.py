"""queue.finish_task: the row leaves with the work, once."""

import uuid

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def _finish(db: psycopg.Connection, task: int, token: uuid.UUID | None) -> bool:
    done: bool = ask(db, "select queue.finish_task(%s, %s::uuid)", task, token)
    return done


def test_the_holder_finishes_once(reference: psycopg.Connection) -> None:
    reference.execute("select queue.enqueue('publish', 1)")
    ((task, token),) = ask_rows(
        reference, "select task_id, lease_token from queue.claim_tasks('kim')"
    )
    assert _finish(reference, task, token)
    assert not _finish(reference, task, token)
    assert ask(reference, "select count(*) from queue.task") == 0


def test_a_former_holder_cannot_finish_what_another_holds(
    reference: psycopg.Connection,
) -> None:
    reference.execute("select queue.enqueue('publish', 1)")
    claims = []
    for worker in ("kim", "lee"):
        claims += ask_rows(
            reference, "select task_id, lease_token from queue.claim_tasks(%s)", worker
        )
        reference.execute("update queue.task set ready_at = clock_timestamp()")
    (task, old), (_, new) = claims
    for token in (old, uuid.uuid4(), None):
        assert not _finish(reference, task, token)
    assert _finish(reference, task, new)
