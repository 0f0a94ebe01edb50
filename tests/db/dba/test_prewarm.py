"""dba.prewarm: what a search reads is read before it."""

from typing import Any

import psycopg

from tests.db.corpus_fixtures import ask_rows


def test_with_the_extension_every_relation_is_loaded(large: psycopg.Connection[Any]) -> None:
    large.execute("create extension pg_prewarm")
    rows = ask_rows(large, "select relation, method from dba.prewarm()")
    assert {method for _, method in rows} == {"buffer"}
    assert rows[0][0] == "embedding.vector_1_local_0_idx"
    read = {name for name, _ in rows}
    assert {"search.text_index", "search.posting_list_pk", "corpus.chunk_fact_pk"} <= read
    assert {"search.listed_block", "corpus.chunk_fact_scoped_tags_idx"} <= read


def test_bits_are_loaded_where_they_are_scanned(large: psycopg.Connection[Any]) -> None:
    large.execute("create extension pg_prewarm")
    for kind, loaded in (("halfvec", False), ("binary", True)):
        large.execute("update embedding.set set index_kind = %s where set_id = 1", [kind])
        read = {name for (name,) in ask_rows(large, "select relation from dba.prewarm()")}
        assert ({"embedding.bit_vector", "embedding.bit_vector_scope_idx"} <= read) == loaded


def test_without_it_what_stays_cold_is_told(large: psycopg.Connection[Any]) -> None:
    methods: dict[str, str] = dict(ask_rows(large, "select relation, method from dba.prewarm()"))
    assert methods["embedding.vector_1_local_0_idx"] == "searches"
    assert methods["search.text_index"] == "scan"
    assert methods["search.text_index_pk"] == "left out: create extension pg_prewarm"


def test_prewarming_writes_nothing_and_takes_an_empty_corpus(kb_url: str) -> None:
    with psycopg.connect(kb_url, options="-c default_transaction_read_only=on") as db:
        assert ask_rows(db, "select * from dba.prewarm()")
