"""search_kb: odd vectors, odd limits, settings, sessions; it writes nothing and leaves nothing."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests.bulk_corpus import QUESTION
from tests.corpus import add, axis, literal, load_reference, near, search
from tests.rows import value_of
from tests.sandbox import held, refused, shared_database


def fill(db: psycopg.Connection[Any]) -> None:
    """Twelve texts, each with a word of its own."""
    load_reference(db)
    for n in range(12):
        add(db, f"Womp and word{n}q.", source=f"text{n}q", vector=near(3, 0.9 - n / 50))


@pytest.fixture(scope="session")
def few_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    with shared_database(server_url, template, fill) as url:
        yield url


@pytest.fixture
def few(few_url: str) -> Iterator[psycopg.Connection[Any]]:
    with held(few_url) as db:
        yield db


# vectors


@pytest.mark.parametrize("width", [1, 383, 385, 1536])
def test_a_vector_of_the_wrong_width_is_refused_with_model_and_widths(
    few: psycopg.Connection[Any], width: int
) -> None:
    with refused(few, "VE002") as caught:
        search(few, words="womp", vector=axis(0, width))
    message = str(caught.value)
    for part in (str(width), "384", "all-MiniLM-L6-v2-int8"):
        assert part in message
    assert caught.value.diag.message_hint


def test_a_zero_vector_is_keyword_only(few: psycopg.Connection[Any]) -> None:
    rows = search(few, words="womp", vector=[0.0] * 384)
    assert rows == search(few, words="womp")
    assert {r["matched_by"] for r in rows} == {"keyword"}
    assert {r["similarity"] for r in rows} == {None}
    assert all(r["score"] == r["score"] > 0 for r in rows), "never NaN"


def test_an_empty_query_is_vector_only(few: psycopg.Connection[Any]) -> None:
    rows = search(few, vector=axis(3))
    assert {r["matched_by"] for r in rows} == {"vector"}
    assert {r["bm25_score"] for r in rows} == {None}
    empty = few.execute(
        "select chunk_id from search_kb(%s, ''::tsquery)", [literal(axis(3))]
    ).fetchall()
    assert [row[0] for row in empty] == [r["chunk_id"] for r in rows]


def test_nothing_to_search_for_is_no_row(few: psycopg.Connection[Any]) -> None:
    assert search(few) == []
    assert search(few, vector=[0.0] * 384) == []
    assert few.execute("select * from search_kb(null, ''::tsquery)").fetchall() == []


def test_the_length_of_a_vector_does_not_matter(few: psycopg.Connection[Any]) -> None:
    rows = search(few, vector=axis(3))
    for scale in (1e-20, 0.5, 1000.0, 1e15):
        assert search(few, vector=[x * scale for x in axis(3)]) == rows


@pytest.mark.parametrize("text", ["[NaN]", "[Infinity]", "[1e39]", "[]", "abc"])
def test_what_is_no_vector_is_refused(few: psycopg.Connection[Any], text: str) -> None:
    with pytest.raises(psycopg.DataError), few.transaction():
        few.execute("select * from search_kb(%s::vector, null)", [text])


# limits


def test_top_k_is_ten_by_default_and_is_what_is_asked_for(few: psycopg.Connection[Any]) -> None:
    rows = search(few, words="womp", vector=axis(3))
    assert len(rows) == 10
    for top_k in (1, 3, 12, 100):
        assert (
            search(few, words="womp", vector=axis(3), top_k=top_k)
            == search(few, words="womp", vector=axis(3), top_k=100)[:top_k]
        )
    few.execute("set local kb.top_k = 2")
    assert search(few, words="womp", vector=axis(3)) == rows[:2]


@pytest.mark.parametrize(
    "asked",
    [
        {"top_k": 0},
        {"top_k": 101},
        {"candidates": 0},
        {"candidates": 1001},
        {"rrf_k": 0},
        {"vector_weight": -1},
        {"keyword_weight": "NaN"},
    ],
)
def test_a_limit_out_of_range_is_refused(
    few: psycopg.Connection[Any], asked: dict[str, Any]
) -> None:
    # fault R-02: at the call, never inside the index scan
    with refused(few, "SE001"):
        search(few, words="womp", **asked)


# settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kb.candidates", "5000"),
        ("kb.candidates", "1001"),
        ("kb.candidates", "many"),
        ("kb.top_k", "0"),
        ("kb.top_k", "1.5"),
        ("kb.rrf_k", "-1"),
        ("kb.rrf_k", "NaN"),
        ("kb.ef_search", "1001"),
        ("kb.exact_limit", "-1"),
        ("kb.relevance_threshold", "30%"),
        ("kb.retrieval_floor", "2"),
        ("kb.school_floor", "x"),
        ("kb.school_boost_limit", "21"),
        ("kb.vector_weight", "heavy"),
        ("kb.keyword_weight", "1e3"),
        ("kb.topic_boost", "0"),
        ("kb.local_boost", "11"),
        ("kb.freshness_floor", "1.1"),
        ("kb.keyword_mode", "fast"),
        ("kb.keyword_coverage", "50"),
        ("kb.keyword_budget", "1"),
        ("kb.keyword_terms", "0"),
        ("kb.bm25_k1", "-0.1"),
        ("kb.bm25_b", "b"),
        ("kb.expansion_weight", "2"),
        ("kb.rare_share", "-1"),
        ("kb.max_chunks_per_document", "0"),
        ("kb.chunk_expansion_enabled", "perhaps"),
        ("kb.visible_statuses", "rejected"),
    ],
)
def test_an_unusable_setting_is_named_with_what_is_legal(
    few: psycopg.Connection[Any], name: str, value: str
) -> None:
    few.execute("set local kb.exact_limit = 0")
    few.execute("select set_config(%s, %s, true)", [name, value])
    with refused(few, "ST002") as caught:
        search(few, words="womp", vector=axis(3), urn="990001")
    assert name in str(caught.value)
    assert caught.value.diag.message_hint
    assert caught.value.diag.message_detail


def test_a_setting_of_the_session_wins_over_the_installed_one(
    few: psycopg.Connection[Any],
) -> None:
    few.execute("select config.install_setting('kb.top_k', '3')")
    assert len(search(few, words="womp")) == 3
    few.execute("set local kb.top_k = 5")
    assert len(search(few, words="womp")) == 5
    few.execute("set local kb.top_k = ''")
    assert len(search(few, words="womp")) == 3


# sessions


@pytest.fixture
def fresh(large_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A new session outside any transaction: nothing of pgvector is loaded yet."""
    with psycopg.connect(large_url, autocommit=True) as db:
        yield db


CALL = b"select count(*) from search_kb(%s, %s::tsquery)"
TUNED = ("hnsw.ef_search", "hnsw.iterative_scan", "enable_seqscan", "enable_sort")


def settings(db: psycopg.Connection[Any]) -> list[str]:
    return [value_of(db, "select current_setting(%s)", [name]) for name in TUNED]


def test_a_fresh_session_searches_at_once(fresh: psycopg.Connection[Any]) -> None:
    # fault R-05
    fresh.execute("set kb.exact_limit = 0")
    fresh.execute("set kb.relevance_threshold = '-1'")
    row = fresh.execute(CALL, [literal(QUESTION.tolist()), "subject1"]).fetchone()
    assert row == (4,), "three chunks of the long document, and one of the other that has the word"


def test_index_settings_are_back_to_default_after_a_search(
    fresh: psycopg.Connection[Any],
) -> None:
    # fault R-04, in autocommit and in a transaction
    fresh.execute("set kb.exact_limit = 0")
    fresh.execute("select '[1]'::vector")
    before = settings(fresh)
    assert before[0] == "40"
    fresh.execute("set kb.candidates = 700")
    fresh.execute(CALL, [literal(QUESTION.tolist()), "subject1"])
    assert settings(fresh) == before
    with fresh.transaction():
        fresh.execute(CALL, [literal(QUESTION.tolist()), "subject1"])
        assert settings(fresh) == before
    assert settings(fresh) == before


def test_settings_are_back_after_a_search_that_failed(fresh: psycopg.Connection[Any]) -> None:
    fresh.execute("set kb.exact_limit = 0")
    fresh.execute("select '[1]'::vector")
    before = settings(fresh)
    fresh.execute("set kb.bm25_b = 'x'")
    with refused(fresh, "ST002"):
        fresh.execute(CALL, [literal(QUESTION.tolist()), "subject1"])
    assert settings(fresh) == before


def test_a_search_within_a_parallel_query_works(fresh: psycopg.Connection[Any]) -> None:
    # settings cannot be changed there, so the planner must not put a search into one
    fresh.execute("set kb.exact_limit = 0")
    fresh.execute("set kb.relevance_threshold = '-1'")
    arguments = [literal(QUESTION.tolist()), "subject1"]
    alone = fresh.execute(CALL, arguments).fetchone()
    name = "debug_parallel_query"
    if fresh.info.server_version < 160000:
        name = "force_parallel_mode"
    fresh.execute(f"set {name} = on".encode())
    assert fresh.execute(CALL, arguments).fetchone() == alone
    beside = b"select count(*) from search.text_index as t, lateral (" + CALL + b") as s"
    fresh.execute("set parallel_setup_cost = 0")
    fresh.execute("set parallel_tuple_cost = 0")
    fresh.execute(beside, arguments)


def test_a_search_writes_nothing(fresh: psycopg.Connection[Any]) -> None:
    fresh.execute("set kb.exact_limit = 0")
    fresh.execute("set kb.relevance_threshold = '-1'")
    fresh.execute("set default_transaction_read_only = on")
    for more in ("", "tags => '{transport}'", "la => 'E10000016'", "as_of => '2020-01-01'"):
        fresh.execute(
            f"select * from search_kb(%s, %s::tsquery{more and ', ' + more})".encode(),
            [literal(QUESTION.tolist()), "subject1"],
        )
    volatility = "select provolatile::text from pg_proc where proname = 'search_kb'"
    assert value_of(fresh, volatility) == "s"


def test_search_works_without_our_schemas_on_the_path(few: psycopg.Connection[Any]) -> None:
    few.execute("set local search_path = ''")
    rows = few.execute(
        "select chunk_id from public.search_kb(%s, %s::tsquery)", [None, "womp"]
    ).fetchall()
    assert len(rows) == 10
