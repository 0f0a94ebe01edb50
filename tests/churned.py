"""A small corpus whose vectors were replaced: what indexes and tables look like after churn."""

from typing import Any, LiteralString

import psycopg

from tests.bulk import add_passages, directions

CHUNKS = 300
INDEX = "embedding.vector_1_national_idx"


def fill(db: psycopg.Connection[Any], *, replaced: int = 200) -> None:
    """Publish a document, then take so many of its vectors away and bring them back.

    The server's own vacuum, which may come at any moment, leaves them as they are, and the texts.
    """
    tables: tuple[LiteralString, ...] = ("embedding.vector_1", "corpus.chunk")
    for table in tables:
        db.execute(
            "alter table " + table + " set (autovacuum_vacuum_threshold = 1000000, "
            "autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000)"
        )
    add_passages(
        db,
        [f"passage {n} of the document" for n in range(CHUNKS)],
        directions(CHUNKS, seed=5),
        source="churned",
    )
    db.execute(
        "with gone as (delete from embedding.vector where chunk_id in"
        " (select v.chunk_id from embedding.vector as v order by v.chunk_id limit %s) returning *)"
        " insert into embedding.vector select * from gone",
        [replaced],
    )
    db.commit()
    settle(db)


def settle(db: psycopg.Connection[Any]) -> None:
    """Make the server's counters tell of all that was committed."""
    db.execute("select pg_stat_force_next_flush()")
    db.commit()
