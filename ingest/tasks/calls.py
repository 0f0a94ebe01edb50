"""How a version that is embedded is published, and its task ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg.rows import class_row


@dataclass(frozen=True, slots=True)
class Published:
    """What became of a task: `outcome` is published, lost or failed.

    Published has the version that is seen now and the documents it replaced, failed the reason.
    """

    task_id: int
    outcome: str
    document_id: int | None
    version: int | None
    superseded_documents: list[int] | None
    failure: str | None


def publish_tasks(
    db: psycopg.Connection, *, task_ids: Sequence[int], lease_tokens: Sequence[UUID]
) -> list[Published]:
    """Publish the versions of claimed tasks and finish the tasks, all in one transaction."""
    with db.cursor(row_factory=class_row(Published)) as cursor:
        return cursor.execute(
            "select task_id, outcome, document_id, version, superseded_documents, failure"
            " from corpus.publish_tasks(task_ids => %(task_ids)s,"
            " lease_tokens => %(lease_tokens)s)",
            {"task_ids": list(task_ids), "lease_tokens": list(lease_tokens)},
        ).fetchall()


def reserve_titles(db: psycopg.Connection, *, task_ids: Sequence[int]) -> None:
    """Take the locks of a `publish_tasks` that follows in this transaction."""
    db.execute("select corpus.reserve_titles(task_ids => %(task_ids)s)", {"task_ids": [*task_ids]})
