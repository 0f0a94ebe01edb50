"""dba.index_health: every index, and what to do about it."""

from typing import Any

import psycopg

from db.syntax import our_schemas
from db.tree import ROOT, read_tree
from tests import churned
from tests.db.corpus_fixtures import ask, ask_rows


def advice(db: psycopg.Connection[Any], index_name: str) -> str:
    return str(ask(db, "select advice from dba.index_health where index_name = %s", index_name))


def test_every_index_of_ours_is_listed_once(kb: psycopg.Connection[Any]) -> None:
    listed = [row[0] for row in ask_rows(kb, "select index_name from dba.index_health")]
    there = ask_rows(
        kb,
        "select schemaname || '.' || indexname from pg_indexes as i"
        " where schemaname = any(%s) and not exists (select from pg_partitioned_table as p"
        " where p.partrelid = (i.schemaname || '.' || i.tablename)::regclass)",
        [*our_schemas(read_tree(ROOT)), "deploy"],
    )
    assert sorted(listed) == sorted(row[0] for row in there)
    assert len(listed) > 60


def test_a_fresh_database_has_nothing_to_do(db: psycopg.Connection[Any]) -> None:
    assert {row[0] for row in ask_rows(db, "select advice from dba.index_health")} == {
        "nothing to do"
    }


def test_an_invalid_index_is_named_with_its_repair(kb: psycopg.Connection[Any]) -> None:
    kb.execute(
        "update pg_index set indisvalid = false where indexrelid = 'search.record_at_idx'::regclass"
    )
    assert advice(kb, "search.record_at_idx").endswith(
        "reindex index concurrently search.record_at_idx;"
    )


def test_what_a_broken_rebuild_left_is_to_be_dropped(kb: psycopg.Connection[Any]) -> None:
    kb.execute("create index record_at_idx_ccnew on search.record (at)")
    kb.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'search.record_at_idx_ccnew'::regclass"
    )
    assert advice(kb, "search.record_at_idx_ccnew").endswith(
        "drop index concurrently search.record_at_idx_ccnew;"
    )


def test_an_index_after_churn_is_to_be_rebuilt(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    ((churn, said),) = ask_rows(
        db, "select churn, advice from dba.index_health where index_name = %s", churned.INDEX
    )
    assert 0.6 <= churn <= 0.7
    assert "67 % of its rows were replaced since it was built" in said


def test_an_index_that_holds_much_more_than_its_rows_is_bloated(
    db: psycopg.Connection[Any],
) -> None:
    question = "select bloat from dba.index_health where index_name = %s"
    churned.fill(db, replaced=0)
    assert ask(db, question, churned.INDEX) < 0.1
    # the rows go, their place in the index stays
    db.execute("delete from embedding.vector_1 where chunk_id % 6 <> 0")
    db.commit()
    db.execute("analyze embedding.vector_1")
    db.commit()
    assert ask(db, question, churned.INDEX) > 0.7


def test_an_index_that_upkeep_drops_is_not_to_be_rebuilt(kb: psycopg.Connection[Any]) -> None:
    spare = "embedding.vector_1_hnsw_idx"
    kb.execute(
        "create index vector_1_hnsw_idx on embedding.vector_1"
        " using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)"
    )
    assert advice(kb, spare).startswith("upkeep drops it")
    # a build that broke off would be reason enough to rebuild any other
    kb.execute("update pg_index set indisvalid = false where indexrelid = %s::regclass", [spare])
    assert advice(kb, spare).startswith("upkeep drops it")
    # of a set that is not searched upkeep drops nothing
    kb.execute("update embedding.set set active = false")
    assert advice(kb, spare).endswith(f"drop index concurrently {spare};")
