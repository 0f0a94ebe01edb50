"""A made-up corpus is a real one to the database: nothing tells it from ingested documents."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import LiteralString

import numpy as np
import pytest

from bench.database import Connection, bench_database, connect, whole_number
from bench.generate import documents
from bench.load import LoadReport, load
from bench.measure import SEARCH
from bench.queries import (
    BEFORE_ALL,
    KINDS,
    SCOPES,
    UNANSWERABLE,
    UNUSED_TAG,
    make_questions,
)
from bench.world import World, make_world

CHUNKS = 500
WIDTH = 384


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(chunks=CHUNKS, width=WIDTH, seed=7)


@pytest.fixture(scope="module")
def filled(server_url: str, world: World) -> Iterator[tuple[Connection, LoadReport]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGKB_DATABASE_URL", server_url)
        with bench_database(keep=False, say=print) as url, connect(url) as db:
            yield db, load(db, world, say=print)


@pytest.fixture
def loaded(filled: tuple[Connection, LoadReport]) -> Iterator[tuple[Connection, LoadReport]]:
    yield filled
    filled[0].rollback()


def fingerprint(world: World) -> str:
    digest = hashlib.sha256()
    for document in documents(world):
        digest.update(repr((document.title, document.tags, document.effective_date)).encode())
        digest.update(repr(document.chunks).encode())
        digest.update(np.round(document.vectors, 5).tobytes())
    return digest.hexdigest()


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another(world: World) -> None:
    again = make_world(chunks=CHUNKS, width=WIDTH, seed=7)
    other = make_world(chunks=CHUNKS, width=WIDTH, seed=8)
    assert fingerprint(again) == fingerprint(world)
    assert fingerprint(other) != fingerprint(world)


def test_a_corpus_holds_exactly_the_chunks_asked_for_in_their_shares() -> None:
    places = make_world(chunks=10_000, width=WIDTH, seed=1).places
    by_kind = {
        kind: [p.chunks for p in places if p.kind == kind] for kind in ("national", "la", "school")
    }
    assert sum(p.chunks for p in places) == 10_000
    assert by_kind["national"] == [900]
    assert sum(by_kind["school"]) == 2_500
    assert len(by_kind["la"]) > 130
    assert max(by_kind["la"]) > 8 * np.median(by_kind["la"])


def test_vectors_lie_near_their_document_then_their_topic(world: World) -> None:
    long = [d for d in documents(world) if len(d.chunks) > 8]
    within = np.mean([(d.vectors @ d.vectors.T)[0, 1:].mean() for d in long])
    pairs = [(a, b) for a in long for b in long if a.document_id < b.document_id]
    apart = np.mean([a.vectors[0] @ b.vectors[0] for a, b in pairs if a.topic != b.topic])
    assert within > 0.6
    assert apart < 0.3


def test_every_invariant_of_the_tables_holds(loaded: tuple[Connection, LoadReport]) -> None:
    db, report = loaded
    assert report.chunks == CHUNKS

    def count(statement: LiteralString) -> int:
        return whole_number(db, statement)

    for table in ("corpus.chunk", "corpus.chunk_fact", "search.text_index", "embedding.vector_1"):
        assert count(f"select count(*) from {table}") == CHUNKS, table
    wrong = {
        "scope copied wrongly": (
            "select count(*) from corpus.chunk c join corpus.document d using (document_id) "
            "join corpus.chunk_fact f using (chunk_id) join search.text_index t using (chunk_id) "
            "join embedding.vector v using (chunk_id) "
            "where not (c.scope_id = d.scope_id and f.scope_id = d.scope_id "
            "and t.scope_id = d.scope_id and v.scope_id = d.scope_id)"
        ),
        "postings differ from a fresh indexing": (
            "select count(*) from corpus.chunk c join corpus.version r using (version_id) "
            "join search.text_index t using (chunk_id), "
            "lateral (select terms.to_index(embedding.text_of(r.title, c.content)) as x) as i "
            "where t.lexemes <> i.x or t.token_count <> terms.count_tokens(i.x)"
        ),
        "statistics differ from a recount": "select count(*) from search.check_statistics()",
        "delta left unfolded": (
            "select (select count(*) from search.lexeme_delta) "
            "+ (select count(*) from search.scope_delta)"
        ),
        "hash of the passage": (
            "select count(*) from corpus.chunk c join corpus.version r using (version_id) "
            "where c.content_hash <> sha256(convert_to(c.content, 'UTF8')) or c.embedding_hash "
            "<> sha256(convert_to(embedding.text_of(r.title, c.content), 'UTF8'))"
        ),
        "hash of a document with one passage": (
            "select count(*) from corpus.chunk c join corpus.version r using (version_id) "
            "where r.content_hash <> corpus.content_hash(c.content) and not exists (select from "
            "corpus.chunk o where o.version_id = c.version_id and o.chunk_id <> c.chunk_id)"
        ),
        "title key": (
            "select count(*) from corpus.version "
            "where title_key is distinct from corpus.title_key(title)"
        ),
        "documents that should supersede each other": (
            "select count(*) - count(distinct (d.scope_id, d.source_family, r.title_key)) "
            "from corpus.version r join corpus.document d using (document_id)"
        ),
        "chunks not numbered from 0, or not overlapping": (
            "select count(*) from (select chunk_index, start_at, row_number() over w - 1 as place, "
            "lag(start_at + length(content), 1, 1) over w as covered from corpus.chunk "
            "window w as (partition by version_id order by chunk_index)) c "
            "where chunk_index <> place or start_at > covered"
        ),
        "vector not of unit length": (
            "select count(*) from embedding.vector_1 where abs(l2_norm(embedding) - 1) > 0.001"
        ),
        "quality": (
            "select count(*) from corpus.chunk_fact f join corpus.chunk c using (chunk_id) "
            "join corpus.version r using (version_id) where f.quality_score <> "
            "corpus.quality_score(length(c.content), r.file_type, cardinality(f.tags))"
        ),
        "vector index missing": (
            "select (count(*) = 0)::integer from pg_index i "
            "join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam "
            "where i.indrelid = 'embedding.vector_1'::regclass and a.amname = 'hnsw' "
            "and i.indisvalid"
        ),
        "text index missing": (
            "select 1 - count(*) from pg_index i join pg_class c on c.oid = i.indexrelid "
            "join pg_am a on a.oid = c.relam "
            "where i.indrelid = 'search.text_index'::regclass and a.amname = 'gin' "
            "and i.indisvalid"
        ),
    }
    assert {name: count(statement) for name, statement in wrong.items()} == dict.fromkeys(wrong, 0)


def test_questions_are_of_every_kind_and_find_something(
    loaded: tuple[Connection, LoadReport], world: World
) -> None:
    db, report = loaded
    questions = make_questions(db, world, set_id=report.set_id, per_cell=1)
    assert {(q.kind, q.scope) for q in questions} >= {(k, s) for k in KINDS for s in SCOPES}
    again = make_questions(db, world, set_id=report.set_id, per_cell=1)
    assert [q.text for q in again] == [q.text for q in questions]
    assert {q.kind: len(q.text.split()) for q in questions}["conversational"] == 12
    for question in questions:
        rows = db.execute(SEARCH, question.arguments()).fetchall()
        # tags that leave nothing are dropped, a day is not
        assert bool(rows) == (question.kind not in (UNANSWERABLE, BEFORE_ALL)), question.kind


def test_a_filter_that_nothing_meets_is_all_that_tells_a_question_from_its_twin(
    loaded: tuple[Connection, LoadReport], world: World
) -> None:
    db, report = loaded
    questions = make_questions(db, world, set_id=report.set_id, per_cell=2)
    filtered = [q for q in questions if q.twin is not None]
    assert [q.kind for q in filtered] == 2 * [UNUSED_TAG, BEFORE_ALL]
    for question in filtered:
        twin = questions[question.twin or 0]
        assert twin.kind in KINDS
        assert replace(question, kind=twin.kind, tags=twin.tags, as_of=None, twin=None) == twin
        assert not db.execute(
            "select from corpus.chunk_fact as f where f.tags && %s and %s::date is null",
            [question.tags, question.as_of],
        ).rowcount


def test_the_next_document_gets_the_next_numbers(loaded: tuple[Connection, LoadReport]) -> None:
    db, report = loaded
    db.execute(
        "select corpus.stage_document(source => 'upload.txt', title => 'One more', "
        "body => 'A text that was not there before.', file_type => 'txt')"
    )
    assert whole_number(db, "select max(chunk_id) from corpus.chunk") == report.chunks + 1
