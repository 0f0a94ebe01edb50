"""Every statement about documents that are stored: one function here per function there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import psycopg
from psycopg.rows import class_row, scalar_row


@dataclass(frozen=True, slots=True)
class Document:
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


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of one version; without a status while the version is staged."""

    chunk_id: int
    chunk_index: int
    status: str | None
    quality_score: int | None
    tags: list[str] | None
    reviewed_by: str | None
    reviewed_at: datetime | None
    content: str


@dataclass(frozen=True, slots=True)
class Happening:
    """One line of a document's history."""

    at: datetime
    version_id: int
    version: int
    what: str
    actor: str | None
    login: str | None
    reason: str | None
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision came to for one document: changed, unchanged, refused or unknown."""

    document_id: int
    outcome: str
    changed: int
    kept: int
    explanation: str | None


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undone supersession left: the version that is published again."""

    document_id: int
    version: int
    stands_alone: bool
    retired_version: int | None


def list_documents(
    db: psycopg.Connection,
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
    with db.cursor(row_factory=class_row(Document)) as cursor:
        return cursor.execute(
            "select document_id, title, source, scope, la_code, school_urn, owner, stands_alone, "
            "version_id, version, state, document_type, authority, file_type, effective_date, "
            "in_force_from, in_force_to, published_at, superseded_by_document, passages, pending, "
            "approved, rejected, flagged, tags, quality_score "
            "from corpus.list_documents(status => %(status)s, la => %(la)s, tags => %(tags)s, "
            "min_quality => %(min_quality)s, title => %(title)s, before => %(before)s, "
            "page_size => %(page_size)s)",
            {
                "status": status,
                "la": la,
                "tags": list(tags) or None,
                "min_quality": min_quality,
                "title": title,
                "before": before,
                "page_size": page_size,
            },
        ).fetchall()


def find_document(db: psycopg.Connection, *, document_id: int) -> Document | None:
    """One document, or None."""
    with db.cursor(row_factory=class_row(Document)) as cursor:
        return cursor.execute(
            "select document_id, title, source, scope, la_code, school_urn, owner, stands_alone, "
            "version_id, version, state, document_type, authority, file_type, effective_date, "
            "in_force_from, in_force_to, published_at, superseded_by_document, passages, pending, "
            "approved, rejected, flagged, tags, quality_score "
            "from corpus.document_overview where document_id = %s",
            [document_id],
        ).fetchone()


def list_passages(
    db: psycopg.Connection,
    *,
    document_id: int,
    version: int | None,
    after_index: int,
    page_size: int,
) -> list[Passage]:
    """A page of the passages of a version, by default the published one."""
    with db.cursor(row_factory=class_row(Passage)) as cursor:
        return cursor.execute(
            "select chunk_id, chunk_index, status, quality_score, tags, reviewed_by, reviewed_at, "
            "content from corpus.list_passages(document_id => %(document_id)s, "
            "version => %(version)s, after_index => %(after_index)s, page_size => %(page_size)s)",
            {
                "document_id": document_id,
                "version": version,
                "after_index": after_index,
                "page_size": page_size,
            },
        ).fetchall()


def document_history(db: psycopg.Connection, *, document_id: int) -> list[Happening]:
    """What became of a document, oldest first."""
    with db.cursor(row_factory=class_row(Happening)) as cursor:
        return cursor.execute(
            "select at, version_id, version, what, actor, login, reason, detail "
            "from corpus.document_history(document_id => %s)",
            [document_id],
        ).fetchall()


def decide_documents(
    db: psycopg.Connection,
    *,
    document_ids: Sequence[int],
    status: str,
    actor: str | None,
    reason: str | None,
) -> list[Decision]:
    """Decide on up to 50 documents, each for itself."""
    with db.cursor(row_factory=class_row(Decision)) as cursor:
        return cursor.execute(
            "select document_id, outcome, changed, kept, explanation from corpus.decide_documents("
            "document_ids => %(document_ids)s, status => %(status)s, actor => %(actor)s, "
            "reason => %(reason)s)",
            {
                "document_ids": list(document_ids),
                "status": status,
                "actor": actor,
                "reason": reason,
            },
        ).fetchall()


def supersede(
    db: psycopg.Connection,
    *,
    document_id: int,
    successor_id: int,
    actor: str | None,
    reason: str | None,
) -> int:
    """Name a document's successor; the id of the version that is superseded by it."""
    with db.cursor(row_factory=scalar_row) as cursor:
        row = cursor.execute(
            "select corpus.supersede(document_id => %(document_id)s, "
            "successor_id => %(successor_id)s, actor => %(actor)s, reason => %(reason)s)",
            {
                "document_id": document_id,
                "successor_id": successor_id,
                "actor": actor,
                "reason": reason,
            },
        ).fetchone()
        return int(row or 0)


def undo_supersession(
    db: psycopg.Connection, *, version_id: int, actor: str | None, reason: str | None
) -> Undone:
    """Publish a superseded version again."""
    with db.cursor(row_factory=class_row(Undone)) as cursor:
        row = cursor.execute(
            "select document_id, version, stands_alone, retired_version "
            "from corpus.undo_supersession(version_id => %(version_id)s, actor => %(actor)s, "
            "reason => %(reason)s)",
            {"version_id": version_id, "actor": actor, "reason": reason},
        ).fetchone()
    if row is None:
        raise psycopg.DataError("the database answered with no row")
    return row


def last_superseded(db: psycopg.Connection, *, document_id: int, version: int | None) -> int:
    """The id of the version that undoing is about: the one with this number, or the last."""
    with db.cursor(row_factory=scalar_row) as cursor:
        row = cursor.execute(
            "select corpus.last_superseded(document_id => %s, version => %s)",
            [document_id, version],
        ).fetchone()
        return int(row or 0)
