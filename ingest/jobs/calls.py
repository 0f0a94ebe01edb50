"""Every statement about jobs: one function here per function or view there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row, scalar_row


@dataclass(frozen=True, slots=True)
class Job:
    """A task as people ask about it; `state` is ready, waiting, running, dead or cancelled."""

    task_id: int
    kind: str
    subject_id: int
    state: str
    priority: int
    attempts: int
    claimed_by: str | None
    claimed_at: datetime | None
    ready_at: datetime
    created_at: datetime
    last_error: str | None
    document_id: int | None
    source: str | None
    title: str | None


def jobs(db: psycopg.Connection, *, states: Sequence[str], kind: str | None) -> list[Job]:
    """The tasks of these states, of all when none is named; what is wrong and oldest first."""
    with db.cursor(row_factory=class_row(Job)) as cursor:
        return cursor.execute(
            "select task_id, kind, subject_id, state, priority, attempts, claimed_by, claimed_at,"
            " ready_at, created_at, last_error, document_id, source, title from queue.job"
            " where (state = any(%(states)s) or cardinality(%(states)s::text[]) = 0)"
            " and (%(kind)s::text is null or kind = %(kind)s)"
            " order by array_position(array['dead', 'running', 'ready', 'waiting'], state),"
            " priority desc, task_id",
            {"states": list(states), "kind": kind},
        ).fetchall()


def job(db: psycopg.Connection, *, task_id: int) -> Job | None:
    """One task, None when there is none of that number."""
    with db.cursor(row_factory=class_row(Job)) as cursor:
        return cursor.execute(
            "select task_id, kind, subject_id, state, priority, attempts, claimed_by, claimed_at,"
            " ready_at, created_at, last_error, document_id, source, title from queue.job"
            " where task_id = %(task_id)s",
            {"task_id": task_id},
        ).fetchone()


def cancel_task(db: psycopg.Connection, *, task_id: int) -> bool:
    """Call a task off; False when there is none."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(
            cursor.execute(
                "select queue.cancel_task(task_id => %(task_id)s)", {"task_id": task_id}
            ).fetchone()
        )


def retry_task(db: psycopg.Connection, *, task_id: int) -> bool:
    """Bring a task back that nobody holds; False when there is none such."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(
            cursor.execute(
                "select queue.retry_task(task_id => %(task_id)s)", {"task_id": task_id}
            ).fetchone()
        )


def set_rate(db: psycopg.Connection, *, provider: str, calls_per_minute: int | None) -> None:
    """Say how often all workers together may ask a provider; None lifts the limit."""
    db.execute(
        "select queue.set_rate(provider => %(provider)s, calls_per_minute => %(calls_per_minute)s)",
        {"provider": provider, "calls_per_minute": calls_per_minute},
    )
