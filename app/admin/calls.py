"""Every statement of the admin routes: one function here per function or view there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import msgspec

from app.calls import Connection

Row = TypeVar("Row", bound=msgspec.Struct)


class Shown(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A row as it is shown: its columns in the spelling of JSON."""


# ---------------------------------------------------------------------------------------------
# Who acts
# ---------------------------------------------------------------------------------------------


async def act_as_admin(db: Connection, *, actor: str, reason: str | None) -> None:
    """Take the rights of `pgkb_admin` and name who acts and why, until the transaction ends."""
    await db.execute("set local role pgkb_admin")
    await db.execute("select audit.speak_for(actor => $1::text, reason => $2::text)", actor, reason)


# ---------------------------------------------------------------------------------------------
# What is handed in
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpload:
    """A file that lies in the spool, and what is said of it."""

    spool_name: str
    file_name: str
    sha256: bytes
    byte_count: int
    kind: str
    la_code: str | None = None
    local_authority: str | None = None
    school_urn: str | None = None
    title: str | None = None
    tags: Sequence[str] = ()
    authority: str | None = None
    document_type: str | None = None
    effective_date: date | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """The key of an upload; `joined` when the same bytes were handed in before."""

    upload_key: UUID
    joined: bool


class UploadedFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file of an upload. `state` is publishing, stored, unchanged, updated, duplicate, refused
    or failed; `reason` says why it was refused; a duplicate is the same text as `existing`.
    """

    name: str
    state: str
    reason: str | None = None
    title: str | None = None
    document_id: int | None = None
    existing: str | None = None


class UploadStatus(Shown, frozen=True, kw_only=True):
    """How far an upload is. `state` is waiting, reading, retrying, failed, refused or read."""

    kind: str
    file_name: str
    byte_count: int
    created_at: datetime
    state: str
    reason: str | None
    remark: str | None
    done: bool
    files: list[UploadedFile]


class BatchPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An address of a batch and what became of it."""

    url: str
    state: str
    reason: str | None = None
    final_url: str | None = msgspec.field(name="finalUrl", default=None)
    title: str | None = None
    document_id: int | None = msgspec.field(name="documentId", default=None)
    existing: str | None = None
    attempts: int | None = None
    next_try: datetime | None = msgspec.field(name="nextTry", default=None)


class BatchStatus(Shown, frozen=True, kw_only=True):
    """How far a batch of addresses is, and an outcome for each."""

    created_at: datetime
    done: bool
    total: int
    waiting: int
    stored: int
    unchanged: int
    duplicate: int
    refused: int
    failed: int
    urls: list[BatchPage]


async def receive_upload(db: Connection, *, new: NewUpload) -> Taken:
    """Take in a file. Raises UL001, UL002 and what options may be."""
    row = await one_row(
        db,
        "select upload_key, joined from intake.receive_upload(spool_name => $1::text,"
        " file_name => $2::text, sha256 => $3::bytea, byte_count => $4::bigint,"
        " kind => $5::text, la_code => $6::text, local_authority => $7::text,"
        " school_urn => $8::text, title => $9::text, tags => $10::text[],"
        " authority => $11::text, document_type => $12::text, effective_date => $13::date)",
        new.spool_name,
        new.file_name,
        new.sha256,
        new.byte_count,
        new.kind,
        new.la_code,
        new.local_authority,
        new.school_urn,
        new.title,
        list(new.tags),
        new.authority,
        new.document_type,
        new.effective_date,
    )
    return Taken(upload_key=row["upload_key"], joined=row["joined"])


async def upload_status(db: Connection, *, upload_key: UUID) -> UploadStatus:
    """How far an upload is. Raises UL003."""
    row = await one_row(
        db,
        "select kind, file_name, byte_count, created_at, state, reason, remark, done, files"
        " from intake.upload_status(upload_key => $1::uuid)",
        upload_key,
    )
    files = msgspec.json.decode(row["files"], type=list[UploadedFile])
    return UploadStatus(**{**dict(row), "files": files})


async def create_batch(
    db: Connection,
    *,
    urls: Sequence[str],
    la_code: str | None,
    local_authority: str | None,
    school_urn: str | None,
    tags: Sequence[str],
    authority: str | None,
    document_type: str | None,
) -> UUID:
    """Hand in addresses; the key to ask for them by. Raises IN002 and what options may be."""
    row = await one_row(
        db,
        "select intake.create_batch(urls => $1::text[],"
        " la_code => intake.settle_place(la_code => $2::text, local_authority => $3::text),"
        " school_urn => $4::text, tags => $5::text[], authority => $6::text,"
        " document_type => $7::text) as batch_id",
        list(urls),
        la_code,
        local_authority,
        school_urn,
        list(tags),
        authority,
        document_type,
    )
    return UUID(str(row["batch_id"]))


async def batch_status(db: Connection, *, batch_id: UUID) -> BatchStatus:
    """How far a batch of addresses is. Raises IN001."""
    row = await one_row(
        db,
        "select created_at, done, total, waiting, stored, unchanged, duplicate, refused, failed,"
        " urls from intake.batch_status(batch_id => $1::uuid)",
        batch_id,
    )
    pages = [
        BatchPage(**page) for page in msgspec.json.decode(row["urls"], type=list[dict[str, Any]])
    ]
    return BatchStatus(**{**dict(row), "urls": pages})


# ---------------------------------------------------------------------------------------------
# Documents
# ---------------------------------------------------------------------------------------------


class Document(Shown, frozen=True, kw_only=True):
    """A document by its published version, or its latest when none is published."""

    document_id: int
    title: str
    source: str
    scope: str
    la_code: str | None
    school_urn: str | None
    owner: str | None
    stands_alone: bool
    version_id: int
    version: int
    state: str
    document_type: str | None
    authority: str | None
    file_type: str
    effective_date: date | None
    in_force_from: date | None
    in_force_to: date | None
    published_at: datetime | None
    superseded_by_document: int | None
    passages: int
    pending: int
    approved: int
    rejected: int
    flagged: int
    tags: list[str]
    quality_score: int | None


class Passage(Shown, frozen=True, kw_only=True):
    """A passage of one version; without a status while the version is staged."""

    chunk_id: int
    chunk_index: int
    status: str | None
    quality_score: int | None
    tags: list[str] | None
    reviewed_by: str | None
    reviewed_at: datetime | None
    content: str


class Happening(Shown, frozen=True, kw_only=True):
    """One line of a document's history."""

    at: datetime
    version_id: int
    version: int
    what: str
    actor: str | None
    login: str | None
    reason: str | None
    detail: dict[str, Any]


class Decision(Shown, frozen=True, kw_only=True):
    """What a decision came to for one document: changed, unchanged, refused or unknown."""

    document_id: int
    outcome: str
    changed: int
    kept: int
    explanation: str | None


class Undone(Shown, frozen=True, kw_only=True):
    """What an undone supersession left: the version that is published again."""

    document_id: int
    version: int
    stands_alone: bool
    retired_version: int | None


async def list_documents(
    db: Connection,
    *,
    status: str | None,
    la: str | None,
    tags: Sequence[str],
    min_quality: int | None,
    title: str | None,
    before: int | None,
    page_size: int,
) -> list[Document]:
    """A page of the documents that pass every filter, newest first."""
    return await shown_rows(
        db,
        Document,
        "select document_id, title, source, scope, la_code, school_urn, owner, stands_alone,"
        " version_id, version, state, document_type, authority, file_type, effective_date,"
        " in_force_from, in_force_to, published_at, superseded_by_document, passages, pending,"
        " approved, rejected, flagged, tags, quality_score"
        " from corpus.list_documents(status => $1::text,"
        " la => $2::text, tags => $3::text[], min_quality => $4::integer, title => $5::text,"
        " before => $6::bigint, page_size => $7::integer)",
        status,
        la,
        list(tags) or None,
        min_quality,
        title,
        before,
        page_size,
    )


async def list_passages(
    db: Connection, *, document_id: int, version: int | None, after_index: int, page_size: int
) -> list[Passage]:
    """A page of the passages of a version, by default the published one. Raises KB022."""
    return await shown_rows(
        db,
        Passage,
        "select chunk_id, chunk_index, status, quality_score, tags, reviewed_by, reviewed_at,"
        " content from corpus.list_passages(document_id => $1::bigint, version => $2::integer,"
        " after_index => $3::integer, page_size => $4::integer)",
        document_id,
        version,
        after_index,
        page_size,
    )


async def document_history(db: Connection, *, document_id: int) -> list[Happening]:
    """What became of a document, oldest first. Raises KB022."""
    return await shown_rows(
        db,
        Happening,
        "select at, version_id, version, what, actor, login, reason, detail"
        " from corpus.document_history(document_id => $1::bigint)",
        document_id,
    )


async def decide_documents(
    db: Connection, *, document_ids: Sequence[int], status: str
) -> list[Decision]:
    """Decide on up to 50 documents, each for itself."""
    return await shown_rows(
        db,
        Decision,
        "select document_id, outcome, changed, kept, explanation"
        " from corpus.decide_documents(document_ids => $1::bigint[], status => $2::text)",
        list(document_ids),
        status,
    )


async def supersede(db: Connection, *, document_id: int, successor_id: int) -> int:
    """Name a document's successor; the version that is superseded. Raises KB022, KB024."""
    row = await one_row(
        db,
        "select corpus.supersede(document_id => $1::bigint, successor_id => $2::bigint) as id",
        document_id,
        successor_id,
    )
    return int(row["id"])


async def undo_supersession(db: Connection, *, document_id: int, version: int | None) -> Undone:
    """Publish a superseded version again, the last without a number. Raises KB022, KB023."""
    found = await shown_rows(
        db,
        Undone,
        "select document_id, version, stands_alone, retired_version"
        " from corpus.undo_supersession(version_id => corpus.last_superseded("
        "document_id => $1::bigint, version => $2::integer))",
        document_id,
        version,
    )
    return found[0]


# ---------------------------------------------------------------------------------------------
# Validation runs
# ---------------------------------------------------------------------------------------------


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


# ---------------------------------------------------------------------------------------------
# How searches went
# ---------------------------------------------------------------------------------------------


class SearchDay(Shown, frozen=True, kw_only=True):
    """How searches went on a day; without a day, in the whole time. Shares are 0 to 1."""

    day: date | None
    searches: int
    questions: int
    results_mean: float | None
    candidates_mean: float | None
    no_answer_share: float | None
    hybrid_share: float | None
    vector_only_share: float | None
    keyword_only_share: float | None
    keyword_only_searches: int
    topic_fallback_share: float | None
    broad_fallback_share: float | None
    school_boosted_share: float | None
    no_local_share: float | None
    p50_ms: float | None
    p95_ms: float | None


class FallbackUse(Shown, frozen=True, kw_only=True):
    """How often searches of an area had to do with less."""

    la_code: str | None
    la_name: str | None
    searches: int
    without_topics: int
    all_areas: int
    keyword_only: int
    unanswered: int
    last_at: datetime


class CoverageMiss(Shown, frozen=True, kw_only=True):
    """An authority whose questions of a topic found nothing of its own."""

    la_code: str | None
    la_name: str | None
    topic: str | None
    misses: int
    unanswered: int
    last_at: datetime


class SlowSearch(Shown, frozen=True, kw_only=True):
    """One of the slowest searches; `timings` are milliseconds by step."""

    at: datetime
    total_ms: float
    timings: dict[str, Any] | None
    mode: str
    embedding_set: str | None
    la_code: str | None
    topics: list[str] | None
    attempts: int
    candidate_count: int
    result_count: int


class Unanswered(Shown, frozen=True, kw_only=True):
    """A question that returned nothing, by its fingerprint: never its words."""

    fingerprint: str | None
    la_code: str | None
    la_name: str | None
    topics: list[str] | None
    searches: int
    last_at: datetime


class IndexHealth(Shown, frozen=True, kw_only=True):
    """An index, how much of it is dead weight, and what to do about it."""

    index_name: str
    kind: str
    size: str | None
    bloat: float | None
    churn: float | None
    valid: bool
    advice: str


async def search_days(db: Connection, *, days: int) -> list[SearchDay]:
    """How searches went, a row for each day and first one for the whole time."""
    return await shown_rows(
        db,
        SearchDay,
        "select day, searches, questions, results_mean, candidates_mean, no_answer_share,"
        " hybrid_share, vector_only_share, keyword_only_share, keyword_only_searches,"
        " topic_fallback_share, broad_fallback_share, school_boosted_share, no_local_share,"
        " p50_ms, p95_ms from search.health(since => $1::interval)",
        timedelta(days=days),
    )


async def fallback_use(db: Connection, *, at_most: int) -> list[FallbackUse]:
    """Areas whose searches had to do with less, the most first."""
    return await shown_rows(
        db,
        FallbackUse,
        "select la_code, la_name, searches, without_topics, all_areas, keyword_only, unanswered,"
        " last_at from search.fallback_use"
        " order by without_topics + all_areas + keyword_only desc, la_code limit $1::integer",
        at_most,
    )


async def coverage_misses(db: Connection, *, at_most: int) -> list[CoverageMiss]:
    """Authorities that lack documents of a topic, the most missed first."""
    return await shown_rows(
        db,
        CoverageMiss,
        "select la_code, la_name, topic, misses, unanswered, last_at from search.coverage_miss"
        " order by misses desc, la_code, topic limit $1::integer",
        at_most,
    )


async def slowest_searches(db: Connection) -> list[SlowSearch]:
    """The fifty slowest searches."""
    return await shown_rows(
        db,
        SlowSearch,
        "select at, total_ms, timings, mode, embedding_set, la_code, topics, attempts,"
        " candidate_count, result_count from search.slowest_search",
    )


async def unanswered_questions(db: Connection, *, at_most: int) -> list[Unanswered]:
    """Fingerprints of questions that returned nothing, the most asked first."""
    return await shown_rows(
        db,
        Unanswered,
        "select encode(question_hash, 'hex') as fingerprint, la_code, la_name, topics, searches,"
        " last_at from search.unanswered_question"
        " order by searches desc, last_at desc limit $1::integer",
        at_most,
    )


async def index_health(db: Connection) -> list[IndexHealth]:
    """Every index of ours, those that need something first."""
    return await shown_rows(
        db,
        IndexHealth,
        "select index_name, kind, size, bloat, churn, valid, advice from dba.index_health"
        " order by advice = 'nothing to do', index_name",
    )


# ---------------------------------------------------------------------------------------------
# Jobs, the audit log, settings
# ---------------------------------------------------------------------------------------------


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


async def one_row(db: Connection, statement: str, *values: object) -> asyncpg.Record:
    """The row of a function that always has one."""
    row = await db.fetchrow(statement, *values)
    if row is None:
        raise asyncpg.InterfaceError("the database answered with no row")
    return row


async def shown_rows(db: Connection, kind: type[Row], statement: str, *values: object) -> list[Row]:
    """Rows as they are shown; what is JSON in the database becomes what the kind says."""
    types = {column.name: column.type for column in msgspec.structs.fields(kind)}
    return [
        kind(
            **{
                name: msgspec.json.decode(value, type=types[name])
                if isinstance(value, str) and not _is_text(types[name])
                else float(value)
                if isinstance(value, Decimal)
                else value
                for name, value in row.items()
            }
        )
        for row in await db.fetch(statement, *values)
    ]


def _is_text(kind: object) -> bool:
    return kind is str or kind == str | None
