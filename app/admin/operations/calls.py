"""Every statement about jobs, the audit log and the settings."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.admin.calls import Shown, shown_rows
from app.calls import Connection, one_row


class Job(Shown, frozen=True, kw_only=True):
    """A task; `state` is ready, waiting, running, dead or cancelled."""

    task_id: int
    kind: str
    subject_id: int
    state: str
    priority: int
    attempts: int
    claimed_at: datetime | None
    ready_at: datetime
    created_at: datetime
    last_error: str | None
    document_id: int | None
    source: str | None
    title: str | None


class Event(Shown, frozen=True, kw_only=True):
    """One decision: who did what to what and why."""

    event_id: int
    at: datetime
    actor: str
    login: str | None
    kind: str
    subject: str | None
    detail: dict[str, Any]


class Setting(Shown, frozen=True, kw_only=True):
    """A setting of the searches: its value in force, its default, where it comes from."""

    name: str
    value: str | None
    default_value: str | None
    unit: str | None
    source: str
    meaning: str


async def list_jobs(
    db: Connection, *, states: Sequence[str], kind: str | None, before: int | None, page_size: int
) -> list[Job]:
    """A page of the tasks, newest first."""
    return await shown_rows(
        db,
        Job,
        "select task_id, kind, subject_id, state, priority, attempts, claimed_at, ready_at,"
        " created_at, last_error, document_id, source, title"
        " from queue.list_jobs(states => $1::text[], kind => $2::text,"
        " before => $3::bigint, page_size => $4::integer)",
        list(states),
        kind,
        before,
        page_size,
    )


async def find_job(db: Connection, *, task_id: int) -> Job | None:
    """One task, None when there is none of that number."""
    found = await shown_rows(
        db,
        Job,
        "select task_id, kind, subject_id, state, priority, attempts, claimed_at, ready_at,"
        " created_at, last_error, document_id, source, title"
        " from queue.job where task_id = $1::bigint",
        task_id,
    )
    return found[0] if found else None


async def retry_task(db: Connection, *, task_id: int) -> bool:
    """Bring a task back that nobody holds; False when there is none such."""
    row = await one_row(db, "select queue.retry_task(task_id => $1::bigint) as done", task_id)
    return bool(row["done"])


async def cancel_task(db: Connection, *, task_id: int) -> bool:
    """Call a task off; False when there is none."""
    row = await one_row(db, "select queue.cancel_task(task_id => $1::bigint) as done", task_id)
    return bool(row["done"])


async def list_events(
    db: Connection,
    *,
    kind: str | None,
    subject: str | None,
    actor: str | None,
    before: int | None,
    page_size: int,
) -> list[Event]:
    """A page of the audit log, newest first."""
    return await shown_rows(
        db,
        Event,
        "select event_id, at, actor, login, kind, subject, detail from audit.list_events("
        "kind => $1::text, subject => $2::text, actor => $3::text, before => $4::bigint,"
        " page_size => $5::integer)",
        kind,
        subject,
        actor,
        before,
        page_size,
    )


async def settings(db: Connection) -> list[Setting]:
    """Every setting of the searches."""
    return await shown_rows(
        db,
        Setting,
        "select name, value, default_value, unit, source, meaning from config.settings"
        " order by name",
    )
