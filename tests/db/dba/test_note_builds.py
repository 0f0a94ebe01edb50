"""dba.note_builds: churn is counted from the last build."""

from typing import Any

import psycopg

from tests import churned
from tests.db.corpus_fixtures import ask


def churn(db: psycopg.Connection[Any]) -> float:
    return float(ask(db, "select churn from dba.vector_index where index_name = %s", churned.INDEX))


def test_churn_counts_from_the_noted_rebuild(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    # three indexes of either set
    assert ask(db, "select dba.note_builds()") == 6
    assert churn(db) > 0.6
    assert ask(db, "select dba.note_builds()") == 0
    db.execute("reindex index embedding.vector_1_national_idx")
    assert ask(db, "select dba.note_builds()") == 1
    assert churn(db) == 0
    db.execute("delete from embedding.vector where chunk_id % 3 = 0")
    db.commit()
    churned.settle(db)
    assert 0.3 < churn(db) <= 0.51


def test_a_partial_index_counts_against_its_table(db: psycopg.Connection[Any]) -> None:
    db.execute(
        "create index part on embedding.vector_1 using hnsw"
        " ((embedding::halfvec(384)) halfvec_cosine_ops) where chunk_id <= 30"
    )
    churned.fill(db)
    assert ask(
        db, "select churn from dba.vector_index where index_name = 'embedding.part'"
    ) == churn(db)


def test_counters_that_were_reset_make_no_negative_churn(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    db.execute("reindex index embedding.vector_1_national_idx")
    db.execute("insert into dba.index_build values (%s, 1, 0)", [churned.INDEX])
    assert ask(db, "select dba.note_builds()") == 6
    db.execute("select pg_stat_reset()")
    db.commit()
    assert churn(db) == 0


def test_an_index_that_is_gone_is_forgotten(kb: psycopg.Connection[Any]) -> None:
    kb.execute("select dba.note_builds()")
    kb.execute("drop index embedding.vector_2_local_0_idx")
    kb.execute("select dba.note_builds()")
    assert ask(kb, "select array_agg(index_name order by index_name) from dba.index_build") == [
        "embedding.vector_1_local_0_idx", "embedding.vector_1_local_1_idx", churned.INDEX,
        "embedding.vector_2_local_1_idx", "embedding.vector_2_national_idx",
    ]  # fmt: skip
