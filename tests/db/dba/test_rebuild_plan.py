"""dba.rebuild_plan: the statements of a rebuild, leftovers first, and whether memory suffices."""

from typing import Any

import psycopg

from tests import churned
from tests.db.corpus_fixtures import ask, ask_rows, refused


def test_an_index_is_found_with_and_without_its_schema(kb: psycopg.Connection[Any]) -> None:
    for name in ("search.record_at_idx", "record_at_idx"):
        assert ask(kb, "select statement from dba.rebuild_plan(%s)", name) == (
            "reindex index concurrently search.record_at_idx;"
        )


def test_an_unknown_or_ambiguous_index_is_refused(kb: psycopg.Connection[Any]) -> None:
    for name in ("nope", "", "search.record_at_idx; drop table search.record"):
        with refused(kb, "UP001"):
            kb.execute("select dba.rebuild_plan(%s)", [name])
    kb.execute("create index record_at_idx on audit.event (at)")
    with refused(kb, "UP001", "give the schema"):
        kb.execute("select dba.rebuild_plan('record_at_idx')")


def test_nothing_is_needed_where_nothing_happened(db: psycopg.Connection[Any]) -> None:
    plan = ask_rows(db, "select target, needed from dba.rebuild_plan() order by target")
    assert plan == [
        ("embedding.vector_1_local_0_idx", False),
        ("embedding.vector_1_local_1_idx", False),
        (churned.INDEX, False),
        ("embedding.vector_2_local_0_idx", False),
        ("embedding.vector_2_local_1_idx", False),
        ("embedding.vector_2_national_idx", False),
    ]


def test_what_a_broken_rebuild_left_goes_first(db: psycopg.Connection[Any]) -> None:
    db.execute(
        "create index vector_1_national_idx_ccnew1 on embedding.vector_1"
        " using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)"
    )
    db.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'embedding.vector_1_national_idx_ccnew1'::regclass"
    )
    drop = "drop index concurrently if exists embedding.vector_1_national_idx_ccnew1;"
    rebuild = "reindex index concurrently embedding.vector_1_national_idx;"
    planned = "select statement, needed from dba.rebuild_plan('vector_1_national_idx')"
    assert ask_rows(db, planned) == [
        (drop, True),
        (rebuild, False),
    ]
    # and of every index of ours, named or not
    assert ask(db, "select statement from dba.rebuild_plan() where needed") == drop


def test_an_index_of_a_name_alike_is_no_leftover(db: psycopg.Connection[Any]) -> None:
    db.execute("create index record_at_idx_ccnew on search.record (at)")
    assert ask_rows(db, "select target, needed from dba.rebuild_plan() where needed") == []
    assert ask_rows(db, "select target from dba.rebuild_plan('search.record_at_idx')") == [
        ("search.record_at_idx",)
    ]


def test_a_graph_larger_than_the_memory_does_not_fit(large: psycopg.Connection[Any]) -> None:
    question = "select fits from dba.rebuild_plan('vector_1_national_idx')"
    assert ask(large, question)
    large.execute("set local maintenance_work_mem = '1MB'")
    assert not ask(large, question)


def test_an_index_that_upkeep_will_drop_is_never_rebuilt(kb: psycopg.Connection[Any]) -> None:
    """Neither in the round that drops it, nor in the one that builds what it waits for."""
    kb.execute(
        "create index vector_1_hnsw_idx on embedding.vector_1"
        " using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)"
    )
    # a build that broke off is reason enough to rebuild any other
    kb.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'embedding.vector_1_hnsw_idx'::regclass"
    )
    steps = (
        "select task, statement from dba.upkeep_plan()"
        " where target = 'embedding.vector_1_hnsw_idx' or task = 'index'"
    )
    drop = "drop index concurrently if exists embedding.vector_1_hnsw_idx;"
    assert ask_rows(kb, steps) == [("drop", drop)]
    kb.execute("drop index embedding.vector_1_local_1_idx")
    assert [task for task, _ in ask_rows(kb, steps)] == ["index"]
    targets = "select target from dba.rebuild_plan()"
    assert ("embedding.vector_1_hnsw_idx",) not in ask_rows(kb, targets)
    for name in ("vector_1_hnsw_idx", "embedding.vector_1_hnsw_idx"):
        with refused(kb, "UP003", "pgkb upkeep"):
            kb.execute("select dba.rebuild_plan(%s)", [name])
