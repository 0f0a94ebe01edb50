"""Where the time of a search goes, and where its bytes lie."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import errors

from bench.database import Connection, text, whole_number
from bench.measure import SEARCH
from bench.queries import Question, answerable

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """What one function costs a search on average; times in milliseconds, `own` without callees."""

    name: str
    calls: float
    total: float
    own: float


def measure_functions(db: Connection, questions: Sequence[Question]) -> list[FunctionCost]:
    """The server's own counters over one pass; empty where they may not be switched on.

    Counting costs time as well: read the shares, not the sums.
    """
    asked = [q for _, q in answerable(questions)]
    try:
        db.execute("set local track_functions = 'all'")
    except errors.InsufficientPrivilege:
        db.rollback()
        return []
    for question in asked:
        db.execute(SEARCH, question.arguments())
    rows = db.execute(
        "select schemaname || '.' || funcname, calls, total_time, self_time "
        "from pg_stat_xact_user_functions order by self_time desc limit 15"
    ).fetchall()
    db.rollback()
    count = len(asked)
    return [
        FunctionCost(name, calls / count, total / count, own / count)
        for name, calls, total, own in rows
    ]


def measure_chunking(db: Connection) -> float:
    """Megabytes of text that corpus.chunk_text cuts in a second, the best of three."""
    body = text(
        db,
        "select string_agg(c.content, E'\\n\\n' order by c.chunk_id) from corpus.chunk as c "
        "where c.chunk_id <= 1500",
    )
    spent = []
    for _ in range(3):
        started = time.perf_counter()
        db.execute("select count(*) from corpus.chunk_text(%s)", [body])
        spent.append(time.perf_counter() - started)
    db.rollback()
    return len(body.encode()) / MEGABYTE / min(spent)


def measure_bytes(db: Connection, *, set_id: int) -> dict[str, int]:
    """Bytes of the tables a search reads and of each of their indexes."""
    rows = db.execute(
        "select t.name, pg_table_size(t.name::regclass) "
        "from unnest(%(tables)s::text[]) as t (name) "
        "union all "
        "select i.indexrelid::regclass::text, pg_relation_size(i.indexrelid) "
        "from pg_index as i where i.indrelid = any(%(tables)s::text[]::regclass[]) "
        "order by 2 desc",
        {
            "tables": [
                f"embedding.vector_{set_id}",
                "embedding.bit_vector",
                "search.text_index",
                "search.posting_list",
                "search.listed_block",
                "search.lexeme_stat",
                "corpus.chunk",
                "corpus.chunk_fact",
            ]
        },
    ).fetchall()
    db.rollback()
    return {str(name): int(size) for name, size in rows}


def vector_index_bytes(db: Connection, *, set_id: int) -> int:
    """Bytes of the approximate indexes of one embedding set."""
    found = whole_number(
        db,
        "select coalesce(sum(pg_relation_size(i.indexrelid)), 0)::bigint from pg_index as i "
        "inner join pg_class as c on i.indexrelid = c.oid "
        "inner join pg_am as a on c.relam = a.oid "
        "where i.indrelid = %s::regclass and a.amname in ('hnsw', 'ivfflat')",
        [f"embedding.vector_{set_id}"],
    )
    db.rollback()
    return found
