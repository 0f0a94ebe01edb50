"""Changing what may change about a chunk writes no page of the vector index nor of the word index.

Looked up in the write-ahead log: every change of a page is in it, with the page's relation.
"""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests.bulk import add_passages, directions
from tests.corpus import load_reference
from tests.rows import value_of
from tests.sandbox import shared_database

CHUNKS = 1000
# nothing of these may be written, in either set
UNTOUCHED = (
    "embedding.vector_1",
    "embedding.vector_1_local_0_idx",
    "embedding.vector_1_local_1_idx",
    "embedding.vector_1_scope_id_idx",
    "embedding.vector_1_pkey",
    "embedding.cold_vector",
    "search.text_index",
    "search.text_index_scoped_idx",
    "search.text_index_scope_idx",
    "search.text_index_pk",
    "search.lexeme_delta",
    "search.scope_delta",
    "corpus.chunk",
)


def _fill(db: psycopg.Connection[Any]) -> None:
    load_reference(db)
    if db.info.server_version < 160000 or not value_of(
        db, "select count(*) from pg_available_extensions where name = 'pg_walinspect'"
    ):
        pytest.skip("the server cannot show its write-ahead log (pg_walinspect of PostgreSQL 16)")
    db.execute("create extension pg_walinspect")
    # a vacuum of its own accord would write pages in the middle of a test
    tables = db.execute(
        "select oid::regclass::text from pg_class"
        " where relkind = 'r' and oid = any(%s::regclass[])",
        [list(UNTOUCHED)],
    ).fetchall()
    for (table,) in tables:
        db.execute(f"alter table {table} set (autovacuum_enabled = off)".encode())
    add_passages(
        db,
        [f"passage {n} about subject{n % 40}" for n in range(CHUNKS)],
        directions(CHUNKS, seed=1),
        source="thousand",
    )
    # reading rows anew sets bits on their pages: done before, not counted afterwards
    for table in (*(name for (name,) in tables), "corpus.chunk_fact"):
        db.execute(f"select count(*) from {table}".encode())
    db.commit()


@pytest.fixture(scope="module")
def thousand(server_url: str, template: NoopExecutor) -> Iterator[psycopg.Connection[Any]]:
    with shared_database(server_url, template, _fill) as url, psycopg.connect(url) as db:
        yield db


def written(db: psycopg.Connection[Any], statement: str, parameters: Any = None) -> dict[str, int]:
    """How many pages of each relation of this database a statement changed."""
    # a commit then waits until the log is written, so that it can be read
    db.execute("set synchronous_commit = on")
    db.execute("select pg_logical_emit_message(true, 'test', 'start')")
    db.commit()
    start = value_of(db, "select pg_current_wal_flush_lsn()")
    db.execute(statement.encode(), parameters)
    db.commit()
    rows = db.execute(
        "select r.oid::regclass::text, count(distinct (w.relforknumber, w.relblocknumber)) "
        "from pg_get_wal_block_info(%s, pg_current_wal_flush_lsn()) as w "
        "join pg_class as r on r.relfilenode = w.relfilenode "
        "where w.reldatabase = (select oid from pg_database where datname = current_database()) "
        "group by r.oid",
        [start],
    ).fetchall()
    return {name: int(count) for name, count in rows}


def test_the_log_shows_the_pages_a_new_vector_and_a_new_posting_write(
    thousand: psycopg.Connection[Any],
) -> None:
    # the instrument works: what the other tests look for is seen when it is there
    pages = written(
        thousand,
        "with moved as (delete from embedding.vector where chunk_id = (select min(chunk_id) from "
        "corpus.chunk) returning *), posted as (delete from search.text_index where chunk_id = "
        "(select min(chunk_id) from corpus.chunk) returning *) select count(*) from moved, posted",
    )
    assert {"embedding.vector_1", "search.text_index"} <= set(pages)
    thousand.execute(
        "insert into corpus.chunk (version_id, document_id, scope_id, chunk_index, start_at, "
        "content, content_hash, embedding_hash) select version_id, document_id, scope_id, "
        "chunk_index + 100000, 0, content, content_hash, embedding_hash from corpus.chunk limit 1"
    )
    pages = written(
        thousand,
        "with newest as (select max(chunk_id) as id, max(scope_id) as scope from corpus.chunk), "
        "posted as (insert into search.text_index select id, scope, 'womp'::tsvector, 1 "
        "from newest) insert into embedding.vector select 1, id, scope, (select embedding "
        "from embedding.vector limit 1) from newest",
    )
    assert {"embedding.vector_1_national_idx", "search.text_index_scoped_idx"} <= set(pages)


@pytest.mark.parametrize(
    ("what", "statement"),
    [
        ("status", "select corpus.set_status(%(chunks)s, 'approved')"),
        ("tags", "select corpus.set_tags(%(chunks)s, '{transport,exclusion}')"),
        (
            "everything",
            "update corpus.chunk_fact set status = 'rejected', tags = '{ehcp}', "
            "quality_score = 1, reviewed_at = now() where chunk_id = any(%(chunks)s)",
        ),
    ],
    ids=["status", "tags", "everything"],
)
def test_a_change_of_a_thousand_chunks_writes_no_page_of_an_index_of_vectors_or_words(
    thousand: psycopg.Connection[Any], what: str, statement: str
) -> None:
    chunks = value_of(
        thousand,
        "select array_agg(chunk_id) from (select chunk_id from corpus.chunk_fact "
        "order by chunk_id limit %s) as c",
        [CHUNKS],
    )
    assert len(chunks) == CHUNKS
    pages = written(thousand, statement, {"chunks": chunks})
    assert pages["corpus.chunk_fact"] > 5, f"the {what} of a thousand chunks did change"
    assert {name: pages[name] for name in UNTOUCHED if name in pages} == {}


def test_every_relation_that_must_stay_untouched_exists(
    thousand: psycopg.Connection[Any],
) -> None:
    missing = [
        name for name in UNTOUCHED if value_of(thousand, "select to_regclass(%s) is null", [name])
    ]
    assert missing == []
