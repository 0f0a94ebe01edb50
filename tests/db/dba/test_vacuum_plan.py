"""dba.vacuum_plan: which tables, why, and the statement that helps."""

from typing import Any

import psycopg

from tests import churned
from tests.db.corpus_fixtures import ask_rows

OF_VECTORS = "select statement, why, cost from dba.vacuum_plan where table_name = %s"


def test_dead_vectors_are_vacuumed_and_then_no_more(db: psycopg.Connection[Any]) -> None:
    churned.fill(db)
    ((statement, why, cost),) = ask_rows(db, OF_VECTORS, "embedding.vector_1")
    assert statement == "vacuum (analyze) embedding.vector_1;"
    assert why == "200 of 500 rows are dead"
    assert "repairs a graph of 300 rows" in cost
    db.commit()
    db.autocommit = True
    db.execute(statement)
    assert ask_rows(db, OF_VECTORS, "embedding.vector_1") == []


def test_a_table_never_analyzed_is_only_analyzed(db: psycopg.Connection[Any]) -> None:
    churned.fill(db, replaced=0)
    ((statement, why, _),) = ask_rows(db, OF_VECTORS, "corpus.chunk")
    assert (statement, why) == ("analyze corpus.chunk;", "it was never analyzed")
    # nobody else analyzes what only holds partitions
    ((statement, _, _),) = ask_rows(db, OF_VECTORS, "embedding.vector")
    assert statement == "analyze embedding.vector;"
