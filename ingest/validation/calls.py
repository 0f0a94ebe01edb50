"""Every statement about validation runs: one function here per function there."""

from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row, scalar_row

from ingest.queue.leases import Lease


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How far a run is; `batches_stuck` wait for a person, see `pgkb jobs`."""

    run_id: int
    dry_run: bool
    la_code: str | None
    threshold: float
    requested_by: str
    created_at: datetime
    finished_at: datetime | None
    done: bool
    batches: int
    batches_judged: int
    batches_stuck: int
    documents: int
    judged: int
    approve: int
    flag: int
    leave: int
    changed: int


def start_run(
    db: psycopg.Connection,
    *,
    dry_run: bool,
    la: str | None,
    threshold: float,
    actor: str | None,
    reason: str | None,
) -> int:
    """Ask for verdicts; the number of the run. Raises VA001, PL001."""
    with db.cursor(row_factory=scalar_row) as cursor:
        row = cursor.execute(
            "select validation.start_run(dry_run => %(dry_run)s, la => %(la)s,"
            " threshold => %(threshold)s, actor => %(actor)s, reason => %(reason)s)",
            {
                "dry_run": dry_run,
                "la": la,
                "threshold": threshold,
                "actor": actor,
                "reason": reason,
            },
        ).fetchone()
    return int(row or 0)


def run_status(db: psycopg.Connection, *, run_id: int | None) -> RunStatus:
    """How far a run is, the last for None. Raises VA002."""
    with db.cursor(row_factory=class_row(RunStatus)) as cursor:
        row = cursor.execute(
            "select run_id, dry_run, la_code, threshold, requested_by, created_at, finished_at,"
            " done, batches, batches_judged, batches_stuck, documents, judged, approve, flag,"
            " leave, changed from validation.run_status(run => %(run_id)s)",
            {"run_id": run_id},
        ).fetchone()
    if row is None:
        raise psycopg.DataError("the database answered with no row")
    return row


def judge_batch(db: psycopg.Connection, *, batch_id: int, lease: Lease) -> int | None:
    """Judge a batch and end its task; how many verdicts, None when somebody else has the task."""
    with db.cursor(row_factory=scalar_row) as cursor:
        judged: int | None = cursor.execute(
            "select validation.judge_batch(batch_id => %(batch_id)s, task_id => %(task_id)s,"
            " lease_token => %(lease_token)s)",
            {
                "batch_id": batch_id,
                "task_id": lease.task_id,
                "lease_token": lease.lease_token,
            },
        ).fetchone()
    return judged
