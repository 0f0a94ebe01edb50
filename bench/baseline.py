"""What people build first: one flat table, one HNSW index, one text index; on the same data."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg import sql

from bench.database import Connection, connect, whole_number

LIMIT = 20
EF_SEARCH = 100
VECTOR_INDEX = "flat_passage_embedding_idx"
WORD_INDEX = "flat_passage_search_vector_idx"
# who may see what, as one condition: national, the authority's, the home authority's, the school's
_WHERE = (
    "status in ('approved', 'pending') and (la_code is null "
    "or (la_code = %(la)s::text and school_urn is null) "
    "or (la_code = %(home_la)s::text and school_urn is null) "
    "or school_urn = %(urn)s::text) "
    "and (%(tags)s::text[] is null or tags && %(tags)s::text[])"
)
WORD_STATEMENT = sql.SQL(
    "select id, ts_rank_cd(search_vector, %(tsquery)s::tsquery) as rank "
    "from baseline.flat_passage where search_vector @@ %(tsquery)s::tsquery "
    "order by rank desc limit {}"
).format(sql.Literal(LIMIT))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The flat table is there; `vector_statement` returns ids, nearest first."""

    vector_statement: sql.Composed
    index_bytes: int
    index_seconds: float


def build(db: Connection, *, set_id: int, width: int) -> Baseline:
    """Copy the corpus into the flat table and index it as their manuals say."""
    kind = sql.SQL("halfvec({})").format(sql.Literal(width))
    db.execute("create schema baseline")
    db.execute(
        sql.SQL(
            "create table baseline.flat_passage as "
            "select c.chunk_id as id, c.content, s.la_code, s.school_urn, f.status, f.tags, "
            "t.lexemes as search_vector, v.embedding::{kind} as embedding "
            "from corpus.chunk as c "
            "inner join corpus.scope as s on c.scope_id = s.scope_id "
            "inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id "
            "inner join search.text_index as t on c.chunk_id = t.chunk_id "
            "inner join embedding.vector as v on c.chunk_id = v.chunk_id and v.set_id = {set_id} "
            "order by c.chunk_id"
        ).format(kind=kind, set_id=sql.Literal(set_id))
    )
    db.execute("alter table baseline.flat_passage add primary key (id)")
    db.execute(
        sql.SQL("create index {} on baseline.flat_passage using gin (search_vector)").format(
            sql.Identifier(WORD_INDEX)
        )
    )
    started = time.monotonic()
    db.execute(
        sql.SQL(
            "create index {} on baseline.flat_passage using hnsw (embedding halfvec_cosine_ops) "
            "with (m = 16, ef_construction = 64)"
        ).format(sql.Identifier(VECTOR_INDEX))
    )
    seconds = time.monotonic() - started
    db.commit()
    db.autocommit = True
    db.execute("vacuum (analyze) baseline.flat_passage")
    db.autocommit = False
    return Baseline(
        vector_statement=sql.SQL("select id from baseline.flat_passage where ")
        + sql.SQL(_WHERE)
        + sql.SQL(" order by embedding <=> %(half_vector)s::{kind} limit {limit}").format(
            kind=kind, limit=sql.Literal(LIMIT)
        ),
        index_bytes=whole_number(
            db, "select pg_relation_size(%s::regclass)", [f"baseline.{VECTOR_INDEX}"]
        ),
        index_seconds=seconds,
    )


@contextmanager
def vector_session(url: str, *, iterative: bool) -> Iterator[Connection]:
    """A connection on which the flat table's filtered search goes through its HNSW index."""
    with connect(url) as db:
        db.execute(
            "select set_config('hnsw.ef_search', %s, false), "
            "set_config('hnsw.iterative_scan', %s, false)",
            [str(EF_SEARCH), "relaxed_order" if iterative else "off"],
        )
        # the planner may well prefer to sort everything; the index is what is compared with
        db.execute("set enable_seqscan = off")
        db.execute("set enable_sort = off")
        db.execute("set enable_bitmapscan = off")
        db.commit()
        yield db
