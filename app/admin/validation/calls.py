"""Every statement about validation runs."""

from datetime import datetime

import msgspec

from app.admin.calls import Shown, shown_rows
from app.calls import Connection, one_row


class RunStatus(Shown, frozen=True, kw_only=True):
    """How far a validation run is; `batchesStuck` wait for a person, see the jobs."""

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


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One reason of a verdict: its score from 0 to 1, and why it is so."""

    part: str
    score: float
    explanation: str


class Verdict(Shown, frozen=True, kw_only=True):
    """What a run came to for a document: approve, flag or leave; the lowest part comes first."""

    document_id: int
    title: str | None
    source: str
    verdict: str
    confidence: float | None
    parts: list[Part]
    changed: int
    reason: str
    judged_at: datetime


async def start_run(db: Connection, *, dry_run: bool, la: str | None, threshold: float) -> int:
    """Ask for verdicts; the number of the run. Raises VA001, PL001."""
    row = await one_row(
        db,
        "select validation.start_run(dry_run => $1::boolean, la => $2::text,"
        " threshold => $3::double precision) as run_id",
        dry_run,
        la,
        threshold,
    )
    return int(row["run_id"])


async def run_status(db: Connection, *, run_id: int | None) -> RunStatus:
    """How far a run is, by default the last. Raises VA002."""
    found = await shown_rows(
        db,
        RunStatus,
        "select run_id, dry_run, la_code, threshold, requested_by, created_at, finished_at, done,"
        " batches, batches_judged, batches_stuck, documents, judged, approve, flag, leave, changed"
        " from validation.run_status(run => $1::bigint)",
        run_id,
    )
    return found[0]


async def list_verdicts(
    db: Connection,
    *,
    run_id: int,
    verdict: str | None,
    after_confidence: float | None,
    after_document: int | None,
    page_size: int,
) -> list[Verdict]:
    """A page of a run's verdicts, the least sure first. Raises VA002."""
    return await shown_rows(
        db,
        Verdict,
        "select document_id, title, source, verdict, confidence, parts, changed, reason, judged_at"
        " from validation.list_verdicts(run_id => $1::bigint, only_verdict => $2::text,"
        " after_confidence => $3::double precision, after_document => $4::bigint,"
        " page_size => $5::integer)",
        run_id,
        verdict,
        after_confidence,
        after_document,
        page_size,
    )
