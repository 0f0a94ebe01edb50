"""Which pages a change writes, read from the write-ahead log."""

from collections.abc import Callable
from dataclasses import dataclass

from psycopg import errors

from bench.database import Connection, text, whole_number

CHANGED_CHUNKS = 10_000


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """Pages of each relation that a change of this many chunks wrote.

    `by_relation` is None where the server cannot tell, and `reason` then says why.
    """

    change: str
    chunks: int
    by_relation: dict[str, int] | None
    vector_index_pages: int | None
    reason: str = ""


def measure_pages(db: Connection, *, set_id: int) -> list[PagesWritten]:
    """Change the status, then the tags of chunks spread over the corpus, then supersede whole
    documents; each is taken back, so that what is measured next finds the corpus as it was."""
    reason = _make_readable(db)
    chunk_ids = [
        row[0]
        for row in db.execute(
            "select f.chunk_id from corpus.chunk_fact as f "
            "where f.status in ('approved', 'pending') order by hashint8(f.chunk_id) limit %s",
            [CHANGED_CHUNKS],
        )
    ]
    # documents until they hold so many chunks, but never all: one must take over
    retired = db.execute(
        "select s.version_id, s.chunks from ("
        "select c.version_id, count(*) as chunks, sum(count(*)) over "
        "(order by hashint8(c.version_id), c.version_id) as so_far "
        "from corpus.chunk as c group by c.version_id) as s "
        "where s.so_far <= %s order by s.so_far",
        [min(CHANGED_CHUNKS, whole_number(db, "select count(*) / 2 from corpus.chunk"))],
    ).fetchall()
    version_ids = [version_id for version_id, _ in retired]
    successor = whole_number(
        db, "select max(version_id) from corpus.version where not version_id = any(%s)",
        [version_ids],
    )  # fmt: skip
    db.rollback()

    def flag() -> None:
        db.execute("select corpus.set_status(%s, 'flagged', 'bench')", [chunk_ids])

    def tag() -> None:
        db.execute("select corpus.set_tags(%s, '{topic-00,topic-01}', 'bench')", [chunk_ids])

    def supersede() -> None:
        db.execute(
            "select corpus.retire_version(u.id, %s) from unnest(%s::bigint[]) as u (id)",
            [successor, version_ids],
        )

    return [
        _written(db, change, count, work, set_id=set_id, reason=reason)
        for change, count, work in (
            ("status", len(chunk_ids), flag),
            ("tags", len(chunk_ids), tag),
            ("supersede", sum(chunks for _, chunks in retired), supersede),
        )
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
    db: Connection,
    change: str,
    count: int,
    work: Callable[[], None],
    *,
    set_id: int,
    reason: str,
) -> PagesWritten:
    if reason:
        return PagesWritten(change, count, None, None, reason)
    before = text(db, "select pg_current_wal_insert_lsn()")
    work()
    db.rollback()
    # the log can only be read as far as it was flushed, which a rollback does not do
    db.execute("set local synchronous_commit = on")
    db.execute("select pg_logical_emit_message(true, 'pgkb bench', '')")
    db.commit()
    rows = db.execute(
        "select c.oid::regclass::text, "
        "count(distinct (b.relforknumber, b.relblocknumber))::integer, "
        "coalesce(a.amname in ('hnsw', 'ivfflat') and i.indrelid = %s::regclass, false) "
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
        count,
        {name: pages for name, pages, _ in rows},
        sum(pages for _, pages, is_vector_index in rows if is_vector_index),
    )
