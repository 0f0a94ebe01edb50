"""search_kb: no limit is under-filled while visible rows exist, whatever the corpus is made of.

A corpus with what makes lists short: long documents, the same text in many scopes, rejected
chunks, rare tags. What an answer must hold is worked out here again by going down the whole list.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_postgresql.executors import NoopExecutor

from tests.bulk import add_passages, around, directions, text_of
from tests.corpus import load_reference, search
from tests.rows import Row
from tests.sandbox import held, shared_database
from tests.scoped_corpus import BIRMINGHAM, HOLLYBROOK, KENT

PLACES: tuple[dict[str, Any], ...] = (
    {},
    {"la_code": BIRMINGHAM},
    {"la_code": KENT},
    {"school_urn": HOLLYBROOK},
    {"owner": "ann"},
)
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"la": BIRMINGHAM},
    {"la": BIRMINGHAM, "home_la": KENT, "urn": HOLLYBROOK},
    {"principals": ["ann"], "urn": HOLLYBROOK},
)
CENTRE = directions(1, seed=40)[0]


def fill(db: psycopg.Connection[Any]) -> None:
    """Some 400 chunks: documents of 1 to 40, a third of the texts common to all places."""
    load_reference(db)
    draw = random.Random(41)  # noqa: S311 - a corpus, not a secret
    for n, facts in enumerate(PLACES * 3):
        count = draw.choice((1, 6, 20, 40))
        chunks = [
            f"shared {m} womp" if draw.random() < 0.3 else f"own {n}x{m} womp {'dralk' * (m % 3)}"
            for m in range(count)
        ]
        added = add_passages(
            db,
            chunks,
            around(CENTRE, count, cosine=0.3 + n / 30, seed=50 + n),
            source=f"document{n}",
            tags=["transport"] if n % 4 == 0 else [],
            **facts,
        )
        rejected = draw.sample(added.chunk_ids, count // 4)
        if rejected:
            db.execute("select corpus.set_status(%s, 'rejected')", [rejected])
    db.commit()


@pytest.fixture(scope="module")
def made_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    with shared_database(server_url, template, fill) as url:
        yield url


@pytest.fixture
def made(made_url: str) -> Iterator[psycopg.Connection[Any]]:
    """No floors; the order is that of the similarity alone."""
    with held(made_url) as db:
        for name, value in {
            "kb.relevance_threshold": "-1",
            "kb.retrieval_floor": "-1",
            "kb.keyword_coverage": "0",
            "kb.school_boost_limit": "0",
            "kb.local_boost": "1",
            "kb.chunk_expansion_enabled": "off",
        }.items():
            db.execute("select set_config(%s, %s, true)", [name, value])
        db.execute("update corpus.authority_rank set weight = 1")
        yield db


def visible(
    db: psycopg.Connection[Any], question: Sequence[float], asked: dict[str, Any]
) -> list[Row]:
    """Every visible chunk, nearest first."""
    rows = db.execute(
        "select to_jsonb(v) from (select c.chunk_id, c.document_id, c.content, f.tags, "
        "s.kind, 1 - (v.embedding <=> %(question)s::halfvec) as similarity "
        "from corpus.chunk as c join corpus.chunk_fact as f using (chunk_id) "
        "join corpus.scope as s on c.scope_id = s.scope_id "
        "join embedding.vector as v on c.chunk_id = v.chunk_id "
        "where f.status = 'pending' and (s.kind = 'national' "
        "or s.kind = 'la' and s.la_code = any(%(places)s) "
        "or s.school_urn = %(urn)s or s.owner = any(%(principals)s))) as v "
        "order by similarity desc, chunk_id",
        {
            "question": text_of(question),
            "places": [asked.get("la"), asked.get("home_la")],
            "urn": asked.get("urn"),
            "principals": asked.get("principals"),
        },
    ).fetchall()
    tags = set(asked.get("tags") or ())
    every = [row[0] for row in rows]
    tagged = [row for row in every if not tags or tags & set(row["tags"])]
    return tagged or every


def down_the_list(rows: list[Row], *, top_k: int, per_document: int) -> list[int]:
    """Each text once, so many of a document, until the answer is full."""
    texts: set[str] = set()
    documents: list[int] = []
    taken: list[int] = []
    for row in rows:
        free = documents.count(row["document_id"]) < per_document
        if row["content"] not in texts and free:
            texts.add(row["content"])
            documents.append(row["document_id"])
            taken.append(row["chunk_id"])
    return taken[:top_k]


LIMITS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
EACH: dict[str, Any] = {
    "asked": st.sampled_from(ASKED),
    "tags": st.sampled_from((None, ["transport"], ["unheard-of"])),
    "top_k": st.sampled_from((1, 5, 10, 40)),
    "candidates": st.sampled_from((1, 5, 20, 50)),
    "per_document": st.integers(1, 4),
    "seed": st.integers(1_000, 10_000),
}


def question_of(seed: int) -> list[float]:
    drawn: list[float] = around(CENTRE, 1, cosine=0.6, seed=seed)[0].tolist()
    return drawn


@LIMITS
@given(exact_limit=st.sampled_from((0, 60, 20_000)), **EACH)
def test_an_answer_by_vector_is_as_long_as_what_is_visible_allows(
    made: psycopg.Connection[Any],
    asked: dict[str, Any],
    tags: list[str] | None,
    top_k: int,
    candidates: int,
    per_document: int,
    seed: int,
    exact_limit: int,
) -> None:
    made.execute("select set_config('kb.exact_limit', %s, true)", [str(exact_limit)])
    made.execute("select set_config('kb.max_chunks_per_document', %s, true)", [str(per_document)])
    question = question_of(seed)
    expected = down_the_list(
        visible(made, question, asked | {"tags": tags}), top_k=top_k, per_document=per_document
    )
    rows = search(made, vector=question, tags=tags, top_k=top_k, candidates=candidates, **asked)
    assert len(rows) == len(expected)
    if exact_limit == 20_000:
        # and it is the very one, whatever the number of candidates
        assert sorted(r["similarity"] for r in rows) == pytest.approx(
            sorted(
                r["similarity"] for r in visible(made, question, asked) if r["chunk_id"] in expected
            ),
            abs=1e-4,
        )


@LIMITS
@given(**EACH)
def test_an_answer_by_words_is_as_long_as_what_is_visible_allows(
    made: psycopg.Connection[Any],
    asked: dict[str, Any],
    tags: list[str] | None,
    top_k: int,
    candidates: int,
    per_document: int,
    seed: int,
) -> None:
    # every chunk holds the word
    made.execute("select set_config('kb.max_chunks_per_document', %s, true)", [str(per_document)])
    rows = search(made, words="womp", tags=tags, top_k=top_k, candidates=candidates, **asked)
    every = visible(made, question_of(seed), asked | {"tags": tags})
    assert {r["chunk_id"] for r in rows} <= {r["chunk_id"] for r in every}
    assert len(rows) <= top_k
    # room is left only where nothing that is visible could still go in
    if len(rows) < top_k:
        texts = {r["content"] for r in rows}
        documents = [r["document_id"] for r in rows]
        assert not [
            r
            for r in every
            if r["content"] not in texts and documents.count(r["document_id"]) < per_document
        ]


@LIMITS
@given(
    limit=st.integers(0, 6), seed=st.integers(1_000, 10_000), floor=st.floats(0.2, 0.6),
    candidates=st.sampled_from((5, 50, 1000)),
)  # fmt: skip
def test_the_asked_school_is_brought_in_to_its_limit(
    made: psycopg.Connection[Any], limit: int, seed: int, floor: float, candidates: int
) -> None:
    for name, value in {
        "kb.school_boost_limit": limit,
        "kb.relevance_threshold": round(floor, 3),
        "kb.school_floor": -1,
        "kb.max_chunks_per_document": 100,
    }.items():
        made.execute("select set_config(%s, %s, true)", [name, str(value)])
    question = question_of(seed)
    rows = search(made, vector=question, urn=HOLLYBROOK, top_k=100, candidates=candidates)
    every = visible(made, question, {"urn": HOLLYBROOK})
    kept = [r for r in every if r["similarity"] >= round(floor, 3)]
    faint = {r["content"] for r in every if r["kind"] == "school"} - {r["content"] for r in kept}
    own = [r for r in kept if r["kind"] == "school"]
    brought = [r for r in rows if r["school_boosted"]]
    assert len(brought) <= limit
    if not rows:
        assert kept == []
    elif candidates == 1000:
        assert len(brought) == min(max(0, limit - len(own)), len(faint))
    elif not own:
        assert len(brought) == min(limit, len(faint))
