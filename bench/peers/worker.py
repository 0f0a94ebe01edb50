"""Measures a peer; run by bench.peers in an environment of their own, so it imports no bench.

Its statements are made of names and numbers of the bench, never of what anybody typed.
Reads one JSON object from standard input, writes one to standard output. It gets the rows of the
flat table by SQL, in the shape of its own table, then the indexes it makes itself; what is
added and asked goes through its public methods.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg
from langchain_postgres import Column, PGEngine
from langchain_postgres import PGVectorStore as LangchainStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_postgres.v2.indexes import HNSWIndex, HNSWQueryOptions
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.core.vector_stores.utils import node_to_metadata_dict
from llama_index.vector_stores.postgres import PGVectorStore as LlamaStore
from sqlalchemy import URL

# as the bare baseline and search_kb
M, EF_CONSTRUCTION, EF_SEARCH = 16, 64, 100
CANDIDATES, TOP_K = 50, 10
STATUSES = ["approved", "pending"]
SCOPE = "case when p.school_urn is null then coalesce(p.la_code, 'national') else p.school_urn end"

Vectors = Any
Ask = Callable[[dict[str, Any], list[float]], int]


class Stored:
    """The vectors of texts that were embedded before."""

    def __init__(self) -> None:
        self.known: dict[str, list[float]] = {}

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One for each text."""
        return [self.known[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """That of a question."""
        return self.known[text]

    async def aembed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """As embed_documents."""
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """As embed_query."""
        return self.embed_query(text)


def main() -> None:
    """The peer that the command line names."""
    job = json.load(sys.stdin)
    given = np.load(job["vectors"])
    questions, new = job["questions"], job["new"]
    asked = given[: len(questions)].tolist()
    added = given[len(questions) :].tolist()
    measure = _MEASURES[sys.argv[1]]
    json.dump(measure(job, questions, asked, new, added), sys.stdout)


def _langchain(
    job: dict[str, Any],
    questions: list[dict[str, Any]],
    asked: list[list[float]],
    new: list[dict[str, Any]],
    added: list[list[float]],
) -> dict[str, Any]:
    table = "peer_langchain"

    def config(text: str) -> HybridSearchConfig:
        # a fresh one for each question: it keeps the words of the first it sees
        return HybridSearchConfig(
            tsv_column="content_tsv",
            fts_query=text,
            fusion_function=reciprocal_rank_fusion,
            primary_top_k=CANDIDATES,
            secondary_top_k=CANDIDATES,
        )

    engine = PGEngine.from_connection_string(url=_url(job, "postgresql+psycopg"))
    engine.init_vectorstore_table(
        table_name=table,
        vector_size=job["width"],
        metadata_columns=[Column("scope", "TEXT"), Column("status", "TEXT")],
        hybrid_search_config=config(""),
    )
    with _connect(job) as db:
        db.execute(
            f"insert into {table} (langchain_id, content, embedding, content_tsv, scope, status) "
            f"select gen_random_uuid(), p.content, p.embedding::vector({job['width']}), "
            f"to_tsvector('pg_catalog.english', p.content), {SCOPE}, p.status "
            "from baseline.flat_passage as p order by p.id limit %s",
            [job["chunks"]],
        )
    stored = Stored()
    store = LangchainStore.create_sync(
        engine,
        stored,
        table,
        metadata_columns=["scope", "status"],
        hybrid_search_config=config(""),
        index_query_options=HNSWQueryOptions(ef_search=EF_SEARCH),
        k=TOP_K,
    )
    started = time.monotonic()
    store.apply_vector_index(HNSWIndex(m=M, ef_construction=EF_CONSTRUCTION))
    seconds = time.monotonic() - started
    store.apply_hybrid_search_index()

    def ask(question: dict[str, Any], vector: list[float]) -> int:
        stored.known = {question["text"]: vector}
        return len(
            store.similarity_search(
                question["text"],
                k=TOP_K,
                filter={
                    "$and": [
                        {"scope": {"$in": question["scopes"]}},
                        {"status": {"$in": STATUSES}},
                    ]
                },
                hybrid_search_config=config(question["text"]),
            )
        )

    def add() -> None:
        stored.known = {one["content"]: vector for one, vector in zip(new, added, strict=True)}
        store.add_texts(
            [one["content"] for one in new],
            metadatas=[{"scope": one["scope"], "status": one["status"]} for one in new],
        )

    measured = _measured(job, sys.argv[1], table, seconds, ask, add, questions, asked, len(new))
    engine._run_as_sync(engine.close())
    return measured


def _llama(
    job: dict[str, Any],
    questions: list[dict[str, Any]],
    asked: list[list[float]],
    new: list[dict[str, Any]],
    added: list[list[float]],
) -> dict[str, Any]:
    table = "data_peer_llama"
    store = LlamaStore.from_params(
        connection_string=_url(job, "postgresql+psycopg2"),
        async_connection_string=_url(job, "postgresql+asyncpg"),
        table_name="peer_llama",
        embed_dim=job["width"],
        hybrid_search=True,
        text_search_config="english",
        use_jsonb=True,
        indexed_metadata_keys={("scope", "text")},
        hnsw_kwargs={
            "hnsw_m": M,
            "hnsw_ef_construction": EF_CONSTRUCTION,
            "hnsw_ef_search": EF_SEARCH,
            "hnsw_dist_method": "vector_cosine_ops",
        },
    )
    # makes the table and its indexes
    store.add([])
    template = json.dumps(node_to_metadata_dict(TextNode(text=""), remove_text=True))
    with _connect(job) as db:
        rows = db.execute(
            "select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index "
            "where indrelid = %s::regclass and not indisprimary",
            [table],
        ).fetchall()
        for name, _ in rows:
            db.execute(f"drop index {name}")
        db.execute(
            f"insert into {table} (text, metadata_, node_id, embedding) "
            f"select p.content, %s::jsonb || jsonb_build_object('scope', {SCOPE}, 'status', "
            f"p.status), gen_random_uuid()::text, p.embedding::vector({job['width']}) "
            "from baseline.flat_passage as p order by p.id limit %s",
            [template, job["chunks"]],
        )
        seconds = 0.0
        for _, definition in rows:
            started = time.monotonic()
            db.execute(definition)
            if "using hnsw" in definition.lower():
                seconds = time.monotonic() - started

    def ask(question: dict[str, Any], vector: list[float]) -> int:
        answer = store.query(
            VectorStoreQuery(
                query_embedding=vector,
                query_str=question["text"],
                similarity_top_k=CANDIDATES,
                sparse_top_k=CANDIDATES,
                mode=VectorStoreQueryMode.HYBRID,
                filters=MetadataFilters(
                    filters=[
                        MetadataFilter(key=key, value=values, operator=FilterOperator.IN)
                        for key, values in (("scope", question["scopes"]), ("status", STATUSES))
                    ]
                ),
            )
        )
        return len(answer.nodes or [])

    def add() -> None:
        store.add(
            [
                TextNode(
                    text=one["content"],
                    metadata={"scope": one["scope"], "status": one["status"]},
                    embedding=vector,
                )
                for one, vector in zip(new, added, strict=True)
            ]
        )

    return _measured(
        job, sys.argv[1], table, seconds, ask, add, questions, asked,
        len(new),
    )  # fmt: skip


def _measured(
    job: dict[str, Any],
    peer: str,
    table: str,
    index_seconds: float,
    ask: Ask,
    add: Callable[[], None],
    questions: list[dict[str, Any]],
    asked: list[list[float]],
    new_count: int,
) -> dict[str, Any]:
    with _connect(job) as db:
        db.execute(f"vacuum (analyze) {table}")
        row = db.execute(
            "select sum(pg_relation_size(i.indexrelid))::bigint from pg_index as i "
            "inner join pg_class as c on i.indexrelid = c.oid "
            "inner join pg_am as a on c.relam = a.oid "
            "where i.indrelid = %s::regclass and a.amname = 'hnsw'",
            [table],
        ).fetchone()
    times: list[float] = []
    answered = 0
    # the first round warms caches; a question's time is its best
    for counted in range(job["rounds"] + 1):
        for number, (question, vector) in enumerate(zip(questions, asked, strict=True)):
            started = time.perf_counter()
            rows = ask(question, vector)
            spent = (time.perf_counter() - started) * 1000
            if not counted:
                continue
            if counted == 1:
                times.append(spent)
                answered += rows > 0
            else:
                times[number] = min(times[number], spent)
    started = time.monotonic()
    add()
    return {
        "peer": f"{peer} {version(peer)}",
        "index_seconds": index_seconds,
        "index_bytes": row[0] if row else 0,
        "added": new_count,
        "add_seconds": time.monotonic() - started,
        "times": times,
        "answered": answered,
    }


def _connect(job: dict[str, Any]) -> psycopg.Connection[Any]:
    return psycopg.connect(**job["server"], autocommit=True)


def _url(job: dict[str, Any], driver: str) -> str:
    server = job["server"]
    return URL.create(
        driver,
        username=server.get("user"),
        password=server.get("password"),
        host=server.get("host"),
        port=int(server["port"]) if server.get("port") else None,
        database=server.get("dbname"),
    ).render_as_string(hide_password=False)


_MEASURES = {"langchain-postgres": _langchain, "llama-index-vector-stores-postgres": _llama}

if __name__ == "__main__":
    main()
