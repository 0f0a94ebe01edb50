"""Every statement about uploads: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from ingest.queue.leases import Lease
from ingest.rows import count, flag


@dataclass(frozen=True, slots=True)
class Upload:
    """What a worker needs to know of an upload; `read` are the places that were read before."""

    upload_id: int
    kind: str
    spool_name: str
    file_name: str
    title: str | None
    read: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFile:
    """A parsed file of an upload; `tags` are those of the folders it lies in."""

    place: int
    name: str
    title: str
    body: str
    file_type: str
    metadata: Mapping[str, Any]
    tags: Sequence[str] = ()


def upload(db: psycopg.Connection, *, upload_id: int) -> Upload | None:
    """An upload that is not finished; None when it is, or is gone."""
    with db.cursor(row_factory=class_row(Upload)) as cursor:
        return cursor.execute(
            "select u.upload_id, u.kind, u.spool_name, u.file_name, u.title,"
            " array(select f.position from intake.upload_file as f"
            " where f.upload_id = u.upload_id) as read"
            " from intake.upload as u"
            " where u.upload_id = %(upload_id)s and u.finished_at is null",
            {"upload_id": upload_id},
        ).fetchone()


def stage_upload_file(
    db: psycopg.Connection, *, upload_id: int, lease: Lease, file: NewFile
) -> str | None:
    """Store the text of a file; the outcome, None when somebody else has the task."""
    with db.cursor(row_factory=scalar_row) as cursor:
        outcome: str | None = cursor.execute(
            "select intake.stage_upload_file(upload_id => %(upload_id)s, task_id => %(task_id)s,"
            " lease_token => %(lease_token)s, place => %(place)s, name => %(name)s,"
            " title => %(title)s, body => %(body)s, file_type => %(file_type)s,"
            " metadata => %(metadata)s, folder_tags => %(tags)s)",
            {
                "upload_id": upload_id,
                "task_id": lease.task_id,
                "lease_token": lease.lease_token,
                "place": file.place,
                "name": file.name,
                "title": file.title,
                "body": file.body,
                "file_type": file.file_type,
                "metadata": Jsonb(dict(file.metadata)),
                "tags": list(file.tags),
            },
        ).fetchone()
    return outcome


def refuse_upload_file(
    db: psycopg.Connection, *, upload_id: int, lease: Lease, place: int, name: str, reason: str
) -> bool:
    """Say why a file will never be stored; False when somebody else has the task."""
    return flag(
        db,
        "select intake.refuse_upload_file(upload_id => %(upload_id)s, task_id => %(task_id)s,"
        " lease_token => %(lease_token)s, place => %(place)s, name => %(name)s,"
        " reason => %(reason)s)",
        upload_id=upload_id,
        task_id=lease.task_id,
        lease_token=lease.lease_token,
        place=place,
        name=name,
        reason=reason,
    )


def finish_upload(
    db: psycopg.Connection,
    *,
    upload_id: int,
    lease: Lease,
    refusal: str | None = None,
    remark: str | None = None,
) -> bool:
    """Be done with an upload; False when somebody else has the task."""
    return flag(
        db,
        "select intake.finish_upload(upload_id => %(upload_id)s, task_id => %(task_id)s,"
        " lease_token => %(lease_token)s, refusal => %(refusal)s, remark => %(remark)s)",
        upload_id=upload_id,
        task_id=lease.task_id,
        lease_token=lease.lease_token,
        refusal=refusal,
        remark=remark,
    )


def purge_uploads(db: psycopg.Connection) -> int:
    """Remove uploads that were done long enough ago."""
    return count(db, "select intake.purge_uploads()")


def unwanted_spools(db: psycopg.Connection, *, names: Sequence[str]) -> list[str]:
    """Those of the names that no upload needs."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(
            "select name from intake.unwanted_spools(names => %(names)s) as name",
            {"names": list(names)},
        ).fetchall()
