"""Which pages a change writes, read from the write-ahead log."""

from collections.abc import Callable
from dataclasses import dataclass

from psycopg import errors

from bench.database import Connection, text

CHANGED_CHUNKS = 1000


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """Pages of each relation that a change of 1,000 chunks wrote.

    `by_relation` is None where the server cannot tell, and `reason` then says why.
    """

    change: str
    by_relation: dict[str, int] | None
    vector_index_pages: int | None
    reason: str = ""


def measure_pages(db: Connection, *, set_id: int) -> list[PagesWritten]:
    """Change the status, then the tags of 1,000 chunks spread over the corpus."""
    reason = _make_readable(db)
    chunk_ids = [
        row[0]
        for row in db.execute(
            "select f.chunk_id from corpus.chunk_fact as f "
            "where f.status in ('approved', 'pending') order by hashint8(f.chunk_id) limit %s",
            [CHANGED_CHUNKS],
        )
    ]
    db.rollback()

    def flag() -> None:
        db.execute("select corpus.set_status(%s, 'flagged', 'bench')", [chunk_ids])

    def tag() -> None:
        db.execute("select corpus.set_tags(%s, '{topic-00,topic-01}', 'bench')", [chunk_ids])

    return [
        _written(db, change, work, set_id=set_id, reason=reason)
        for change, work in (("status", flag), ("tags", tag))
    ]


def _make_readable(db: Connection) -> str:
    """Install the reader of the log; returns why that cannot be, else an empty text."""
    if db.info.server_version < 160000:
        return "needs PostgreSQL 16"
    try:
        db.execute("create extension if not exists pg_walinspect with schema public")
        db.commit()
    except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported):
        db.rollback()
        return "needs the extension pg_walinspect and a superuser"
    return ""


def _written(
    db: Connection, change: str, work: Callable[[], None], *, set_id: int, reason: str
) -> PagesWritten:
    if reason:
        return PagesWritten(change, None, None, reason)
    # the log can only be read as far as it was flushed
    db.execute("set synchronous_commit = on")
    before = text(db, "select pg_current_wal_insert_lsn()")
    work()
    db.commit()
    rows = db.execute(
        "select c.oid::regclass::text, "
        "count(distinct (b.relforknumber, b.relblocknumber))::integer, "
        "a.amname in ('hnsw', 'ivfflat') and i.indrelid = %s::regclass "
        "from pg_get_wal_block_info(%s, pg_current_wal_flush_lsn(), false) as b "
        "inner join pg_class as c on c.oid = pg_filenode_relation(b.reltablespace, b.relfilenode) "
        "left join pg_am as a on c.relam = a.oid "
        "left join pg_index as i on c.oid = i.indexrelid "
        "where b.reldatabase = (select oid from pg_database where datname = current_database()) "
        "group by c.oid, a.amname, i.indrelid order by 2 desc, 1",
        [f"embedding.vector_{set_id}", before],
    ).fetchall()
    db.rollback()
    return PagesWritten(
        change,
        {name: pages for name, pages, _ in rows},
        sum(pages for _, pages, is_vector_index in rows if is_vector_index),
    )
