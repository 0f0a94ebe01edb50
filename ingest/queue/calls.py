"""Every statement of those who work on tasks: one function here per function there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import psycopg
from psycopg.rows import class_row, scalar_row

from ingest.rows import flag, one_row


@dataclass(frozen=True, slots=True)
class Task:
    """A claimed task; the token proves the claim."""

    task_id: int
    kind: str
    subject_id: int
    attempts: int
    lease_token: UUID


@dataclass(frozen=True, slots=True)
class _Turn:
    wait: timedelta


def listen(db: psycopg.Connection) -> None:
    """Be told when a task becomes ready."""
    db.execute("listen pgkb_task")


def notified(db: psycopg.Connection, *, timeout: float) -> Iterator[psycopg.Notify]:
    """What was told within `timeout` seconds; ends early with the first one."""
    return db.notifies(timeout=timeout, stop_after=1)


def claim_tasks(
    db: psycopg.Connection,
    *,
    worker: str,
    batch_size: int,
    lease: timedelta,
    kinds: Sequence[str] | None = None,
) -> list[Task]:
    """The first ready tasks of these kinds, hidden from others while this connection lives."""
    with db.cursor(row_factory=class_row(Task)) as cursor:
        return cursor.execute(
            "select task_id, kind, subject_id, attempts, lease_token from queue.claim_tasks("
            "worker => %(worker)s, batch_size => %(batch_size)s, lease => %(lease)s,"
            " kinds => %(kinds)s)",
            {
                "worker": worker,
                "batch_size": batch_size,
                "lease": lease,
                "kinds": None if kinds is None else list(kinds),
            },
        ).fetchall()


def heartbeat(db: psycopg.Connection, *, task_id: int, lease_token: UUID, lease: timedelta) -> bool:
    """Renew a lease; False when somebody else holds the task by now."""
    return flag(
        db,
        "select queue.heartbeat(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " lease => %(lease)s)",
        task_id=task_id,
        lease_token=lease_token,
        lease=lease,
    )


def release_task(
    db: psycopg.Connection,
    *,
    task_id: int,
    lease_token: UUID,
    reason: str | None = None,
    wait: timedelta = timedelta(0),
) -> bool:
    """Give work back unfinished and blameless; False when somebody else holds it by now."""
    return flag(
        db,
        "select queue.release_task(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " reason => %(reason)s, wait => %(wait)s)",
        task_id=task_id,
        lease_token=lease_token,
        reason=reason,
        wait=wait,
    )


def finish_task(db: psycopg.Connection, *, task_id: int, lease_token: UUID) -> bool:
    """Remove work that is done; False when somebody else holds it by now."""
    return flag(
        db,
        "select queue.finish_task(task_id => %(task_id)s, lease_token => %(lease_token)s)",
        task_id=task_id,
        lease_token=lease_token,
    )


def fail_task(
    db: psycopg.Connection,
    *,
    task_id: int,
    lease_token: UUID,
    reason: str,
    sqlstate: str | None = None,
    wait: timedelta | None = None,
) -> bool:
    """Give work back to be tried later, or to a person when the database's error is a lasting one.

    `wait` is the least time until the next try, where somebody asked for one.
    """
    return flag(
        db,
        "select queue.fail_task(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " reason => %(reason)s, final => queue.is_lasting(%(sqlstate)s), wait => %(wait)s)",
        task_id=task_id,
        lease_token=lease_token,
        reason=reason,
        sqlstate=sqlstate,
        wait=wait,
    )


def take_turn(db: psycopg.Connection, *, provider: str) -> timedelta:
    """Reserve the next call to a provider; how long to wait before it."""
    with db.cursor(row_factory=class_row(_Turn)) as cursor:
        return one_row(
            cursor.execute(
                "select queue.take_turn(provider => %(provider)s) as wait", {"provider": provider}
            )
        ).wait


def next_ready(db: psycopg.Connection, *, kinds: Sequence[str]) -> timedelta | None:
    """How long until a task of these kinds is ready; None when none waits."""
    with db.cursor(row_factory=scalar_row) as cursor:
        found = cursor.execute(
            "select queue.next_ready(kinds => %(kinds)s)", {"kinds": list(kinds)}
        ).fetchone()
    return found if isinstance(found, timedelta) else None
