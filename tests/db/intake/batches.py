"""Batches as tests hand them in, and what workers do to their pages."""

from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from tests.corpus import axis, literal
from tests.db.corpus_fixtures import ask, ask_rows

BODY = "The tribunal hears appeals about the plan within six weeks. " * 5


def create(db: psycopg.Connection, *urls: str | None, **facts: Any) -> UUID:
    """Hand in these addresses."""
    named = "".join(f", {name} => %({name})s" for name in facts)
    row = db.execute(
        f"select intake.create_batch(urls => %(urls)s{named})".encode(),
        {"urls": list(urls), **facts},
    ).fetchone()
    assert row is not None
    batch_id: UUID = row[0]
    return batch_id


def status(db: psycopg.Connection, batch_id: UUID) -> dict[str, Any]:
    """The one row that tells how far it is."""
    with db.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute("select * from intake.batch_status(%s)", [batch_id]).fetchone()
    assert row is not None
    return row


def states(db: psycopg.Connection, batch_id: UUID) -> list[str]:
    """The state of each address, in the order they were given."""
    return [url["state"] for url in status(db, batch_id)["urls"]]


def claim(db: psycopg.Connection) -> tuple[int, int, UUID]:
    """Take the next ready task: page, task, token."""
    ((subject, task, token),) = ask_rows(
        db, "select subject_id, task_id, lease_token from queue.claim_tasks('kim')"
    )
    return subject, task, token


def stage(
    db: psycopg.Connection, claimed: tuple[int, int, UUID], final_url: str, body: str = BODY
) -> str | None:
    """Store what the page said."""
    outcome: str | None = ask(
        db,
        "select intake.stage_page(page_id => %s, task_id => %s, lease_token => %s,"
        " final_url => %s, title => 'Appeals', body => %s, file_type => 'html', metadata => '{}')",
        *claimed,
        final_url,
        body,
    )
    return outcome


def publish(db: psycopg.Connection) -> None:
    """Embed and publish what waits for it, as a worker does."""
    version_id, task, token = claim(db)
    db.execute(
        "select embedding.store_vectors(array_agg(c.chunk_id), array_agg(%s::text))"
        " from embedding.chunks_to_embed(%s, 1000) as c having count(*) > 0",
        [literal(axis(1)), version_id],
    )
    db.execute("select corpus.publish_version(%s)", [version_id])
    assert ask(db, "select queue.finish_task(%s, %s)", task, token)
