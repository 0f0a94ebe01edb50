"""Every statement about batches of addresses: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBatch:
    """Addresses, and what is said about the documents behind all of them."""

    urls: Sequence[str]
    la_code: str | None = None
    school_urn: str | None = None
    owner: str | None = None
    principals: Sequence[str] | None = None
    tags: Sequence[str] = ()
    authority: str | None = None
    document_type: str | None = None


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How far a batch is; `urls` holds an object for each address, with its `state`."""

    created_at: datetime
    done: bool
    total: int
    waiting: int
    stored: int
    unchanged: int
    duplicate: int
    refused: int
    failed: int
    urls: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """The parsed text of a page; `final_url` is where it was found."""

    final_url: str
    title: str
    body: str
    file_type: str
    metadata: Mapping[str, Any]


def create_batch(db: psycopg.Connection, *, new: NewBatch) -> UUID:
    """Hand in addresses; the key to ask for them by. Raises IN002 and what options may be."""
    with db.cursor(row_factory=scalar_row) as cursor:
        found = cursor.execute(
            "select intake.create_batch(urls => %(urls)s, la_code => %(la_code)s,"
            " school_urn => %(school_urn)s, owner => %(owner)s, principals => %(principals)s,"
            " tags => %(tags)s, authority => %(authority)s, document_type => %(document_type)s)",
            {
                "urls": list(new.urls),
                "la_code": new.la_code,
                "school_urn": new.school_urn,
                "owner": new.owner,
                "principals": None if new.principals is None else list(new.principals),
                "tags": list(new.tags),
                "authority": new.authority,
                "document_type": new.document_type,
            },
        ).fetchone()
    return UUID(str(found))


def batch_status(db: psycopg.Connection, *, batch_id: UUID) -> BatchStatus:
    """How far a batch is. Raises IN001 for an unknown one."""
    with db.cursor(row_factory=class_row(BatchStatus)) as cursor:
        found = cursor.execute(
            "select created_at, done, total, waiting, stored, unchanged, duplicate, refused,"
            " failed, urls from intake.batch_status(batch_id => %(batch_id)s)",
            {"batch_id": batch_id},
        ).fetchone()
    if found is None:
        raise psycopg.DataError("the database answered with no row")
    return found


def page_url(db: psycopg.Connection, *, page_id: int) -> str | None:
    """The address of a page; None when its batch is gone."""
    with db.cursor(row_factory=scalar_row) as cursor:
        url: str | None = cursor.execute(
            "select p.url from intake.page as p where p.page_id = %(page_id)s",
            {"page_id": page_id},
        ).fetchone()
    return url


def stage_page(
    db: psycopg.Connection, *, page_id: int, task_id: int, lease_token: UUID, page: NewPage
) -> str | None:
    """Store a fetched text and end its task; the outcome, None when somebody else has the task."""
    with db.cursor(row_factory=scalar_row) as cursor:
        outcome: str | None = cursor.execute(
            "select intake.stage_page(page_id => %(page_id)s, task_id => %(task_id)s,"
            " lease_token => %(lease_token)s, final_url => %(final_url)s, title => %(title)s,"
            " body => %(body)s, file_type => %(file_type)s, metadata => %(metadata)s)",
            {
                "page_id": page_id,
                "task_id": task_id,
                "lease_token": lease_token,
                "final_url": page.final_url,
                "title": page.title,
                "body": page.body,
                "file_type": page.file_type,
                "metadata": Jsonb(dict(page.metadata)),
            },
        ).fetchone()
    return outcome


def refuse_page(
    db: psycopg.Connection, *, page_id: int, task_id: int, lease_token: UUID, reason: str
) -> bool:
    """Say why a page will never be stored; False when somebody else has its task by now."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(
            cursor.execute(
                "select intake.refuse_page(page_id => %(page_id)s, task_id => %(task_id)s,"
                " lease_token => %(lease_token)s, reason => %(reason)s)",
                {
                    "page_id": page_id,
                    "task_id": task_id,
                    "lease_token": lease_token,
                    "reason": reason,
                },
            ).fetchone()
        )


def purge_batches(db: psycopg.Connection) -> int:
    """Remove batches that were done long enough ago."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return int(cursor.execute("select intake.purge_batches()").fetchone() or 0)
