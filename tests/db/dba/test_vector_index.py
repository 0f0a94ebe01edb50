"""dba.vector_index: what a build takes is foretold for every kind of HNSW index."""

import re
from typing import Any, LiteralString

import psycopg
import pytest

from tests.bulk_corpus import KENT, NATIONAL, RARE
from tests.db.corpus_fixtures import ask, ask_rows
from tests.sandbox import notices_of

WHOLE: LiteralString = "((embedding::halfvec(384)) halfvec_cosine_ops)"
BITS: LiteralString = "((binary_quantize(embedding)::bit(384)) bit_hamming_ops)"
KINDS = pytest.mark.parametrize(
    ("columns", "options"),
    [
        (WHOLE, ""),
        (WHOLE, " with (m = 24, ef_construction = 80)"),
        (BITS, ""),
        ("((embedding::vector(384)) vector_cosine_ops)", " with (m = 8)"),
        (BITS, " where chunk_id <= 1000"),
    ],
)


def build(db: psycopg.Connection[Any], columns: LiteralString, options: LiteralString) -> None:
    # on its own: a helper process would share the memory out
    db.execute("set local max_parallel_maintenance_workers = 0")
    db.execute("analyze embedding.vector_1")
    db.execute("create index any_name on embedding.vector_1 using hnsw " + columns + options)


@KINDS
def test_a_fresh_build_is_as_large_as_foretold(
    large: psycopg.Connection[Any], columns: LiteralString, options: LiteralString
) -> None:
    build(large, columns, options)
    ((rows, size, foretold, partial),) = ask_rows(
        large,
        "select live_rows, bytes, fresh_bytes, partial from dba.vector_index"
        " where index_name = 'embedding.any_name'",
    )
    assert rows == (1000 if partial else NATIONAL + KENT + RARE)
    assert foretold == pytest.approx(size, rel=0.06, abs=4 * 8192)


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (WHOLE, ""),
        (WHOLE, " with (m = 24)"),
        ("((embedding::vector(384)) vector_cosine_ops)", " with (m = 8)"),
    ],
)
def test_a_build_runs_out_of_memory_where_foretold(
    large: psycopg.Connection[Any], columns: LiteralString, options: LiteralString
) -> None:
    large.execute("set local maintenance_work_mem = '2MB'")
    with notices_of(large) as said:
        build(large, columns, options)
    (fitted,) = [
        int(found[1])
        for line in said
        if (found := re.search(r"no longer fits into maintenance_work_mem after (\d+)", line))
    ]
    each = ask(
        large,
        "select graph_bytes::float / live_rows from dba.vector_index"
        " where index_name = 'embedding.any_name'",
    )
    assert fitted * each == pytest.approx(2 * 1024 * 1024, rel=0.06)
