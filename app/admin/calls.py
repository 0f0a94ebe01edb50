"""Every statement of the admin routes: one function here per function or view there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from app.calls import Connection, one_row

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
