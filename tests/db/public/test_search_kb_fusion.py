"""search_kb, rules 6 and 7: fusion, and the mild weights after it."""

from datetime import date
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import add, axis, near, search
from tests.rows import value_of


def by_source(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["source"]: row for row in rows}


@pytest.fixture
def three(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Three vector candidates; only the last holds the word."""
    add(kb, "Alpha.", source="first", vector=near(3, 0.9))
    add(kb, "Beta.", source="second", vector=near(3, 0.8))
    add(kb, "Gamma womp.", source="third", vector=near(3, 0.7))
    return kb


def test_a_chunk_without_a_keyword_match_gets_nothing_for_it(
    three: psycopg.Connection[Any],
) -> None:
    # fault R-10
    rows = by_source(search(three, words="womp", vector=axis(3)))
    assert rows["first"]["rrf_raw"] == 0.7 / 61
    assert rows["second"]["rrf_raw"] == 0.7 / 62
    assert rows["third"]["rrf_raw"] == pytest.approx(0.7 / 63 + 0.3 / 61, rel=1e-12)
    assert [rows[s]["bm25_rank"] for s in ("first", "second", "third")] == [None, None, 1]
    assert [rows[s]["bm25_score"] for s in ("first", "second")] == [None, None]


def test_hits_of_one_leg_each_are_both_there_with_their_single_scores(
    kb: psycopg.Connection[Any],
) -> None:
    # fault R-12
    add(kb, "Alpha.", source="vector", vector=near(3, 0.9))
    add(kb, "Beta womp.", source="keyword", vector=axis(60))
    rows = by_source(search(kb, words="womp", vector=axis(3)))
    assert rows["vector"]["rrf_raw"] == pytest.approx(0.7 / 61)
    assert rows["keyword"]["rrf_raw"] == pytest.approx(0.3 / 61)
    assert rows["vector"]["matched_by"] == "vector"
    assert rows["keyword"]["matched_by"] == "keyword"
    assert rows["keyword"]["vector_rank"] is None
    assert rows["keyword"]["similarity"] == pytest.approx(0, abs=1e-3)


def test_equal_hits_share_a_rank_and_two_runs_are_equal(kb: psycopg.Connection[Any]) -> None:
    # fault R-11
    for n in range(20):
        add(kb, f"Womp number{n}q.", source=f"text{n}q", vector=near(3, 0.8))
    rows = search(kb, words="womp", vector=axis(3), top_k=20)
    assert {(r["vector_rank"], r["bm25_rank"]) for r in rows} == {(1, 1)}
    assert [r["chunk_id"] for r in rows] == sorted(r["chunk_id"] for r in rows)
    assert search(kb, words="womp", vector=axis(3), top_k=20) == rows
    assert search(kb, words="womp", vector=axis(3), top_k=7) == rows[:7]


def test_k_and_the_weights_are_arguments_then_settings_then_the_sets_own(
    three: psycopg.Connection[Any],
) -> None:
    ask: dict[str, Any] = {"words": "womp", "vector": axis(3)}

    def third(**arguments: Any) -> float:
        score: float = by_source(search(three, **ask, **arguments))["third"]["rrf_raw"]
        return score

    assert third() == pytest.approx(0.7 / 63 + 0.3 / 61)
    three.execute("set local kb.rrf_k = 10")
    three.execute("set local kb.vector_weight = 2")
    three.execute("set local kb.keyword_weight = 5")
    assert third() == pytest.approx(2 / 13 + 5 / 11)
    assert third(rrf_k=1, vector_weight=0, keyword_weight=1) == pytest.approx(1 / 2)


def test_the_score_is_the_fused_score_times_every_visible_weight(
    kb: psycopg.Connection[Any],
) -> None:
    kinds = ("statutory", "la", "charity", "school", "user_upload")
    for n, kind in enumerate(kinds):
        add(
            kb,
            f"Womp text {kind}.",
            source=kind,
            authority=kind,
            tags=["transport"] if n % 2 else [],
            effective_date=date(2016 + n * 2, 1, 1),
            la_code="E10000016" if n < 3 else None,
            vector=near(3, 0.9 - n / 20),
        )
    rows = search(kb, words="womp", vector=axis(3), la="E10000016", topics=["transport"])
    assert len(rows) == len(kinds)
    for row in rows:
        assert row["score"] == pytest.approx(
            row["rrf_raw"] * row["freshness"] * row["authority_weight"] * row["boost"], rel=1e-12
        )
        assert 0.8 <= row["freshness"] < 1
    assert [r["score"] for r in rows] == sorted((r["score"] for r in rows), reverse=True)
    assert len({r["authority_weight"] for r in rows}) == len(kinds)
    assert len({r["boost"] for r in rows}) == 4


def test_a_newer_text_wins_only_where_the_rest_is_close(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Alpha.", source="old", effective_date=date(1996, 1, 1), vector=near(3, 0.85))
    add(kb, "Beta.", source="new", effective_date=date(2026, 1, 1), vector=near(3, 0.84))
    assert [r["source"] for r in search(kb, vector=axis(3))] == ["new", "old"]
    for n in range(30):
        add(kb, f"Text{n}q.", source=f"text{n}q", vector=near(3, 0.9))
    rows = by_source(search(kb, vector=axis(3), top_k=100))
    assert rows["old"]["score"] > 0.75 * rows["old"]["rrf_raw"], "mild: never by half"


@pytest.mark.parametrize("when", [date(2090, 1, 1), date(9999, 12, 31), None])
def test_a_date_to_come_or_none_is_neutral_and_moves_no_rank(
    kb: psycopg.Connection[Any], when: date | None
) -> None:
    # fault R-14
    add(kb, "Alpha.", source="plain", effective_date=date.today(), vector=near(3, 0.9))
    add(kb, "Beta.", source="odd", effective_date=when, vector=near(3, 0.8))
    rows = by_source(search(kb, vector=axis(3)))
    assert rows["odd"]["freshness"] == 1
    assert (rows["plain"]["vector_rank"], rows["odd"]["vector_rank"]) == (1, 2)
    assert rows["plain"]["score"] > rows["odd"]["score"] > 0


def test_topics_raise_what_is_tagged_and_narrow_nothing(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Alpha.", source="plain", vector=near(3, 0.80))
    add(kb, "Beta.", source="tagged", tags=["transport"], vector=near(3, 0.79))
    rows = search(kb, vector=axis(3), topics=["transport", "exclusion"])
    raised = float(value_of(kb, "select value from config.settings where name = 'kb.topic_boost'"))
    assert [(r["source"], r["boost"]) for r in rows] == [("tagged", raised), ("plain", 1)]
    assert [r["source"] for r in search(kb, vector=axis(3))] == ["plain", "tagged"]


# what may not change an answer


def told(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Everything but what a chunk is called by and when it came."""
    skipped = {"chunk_id", "document_id", "created_at"}
    return {r["source"]: {k: v for k, v in r.items() if k not in skipped} for r in rows}


TEXTS = [
    ("womp dralk", 0.9),
    ("womp", 0.7),
    ("dralk frim dralk", 0.5),
    ("frim", 0.8),
    ("jalt", 0.6),
]
FEW = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def fill(db: psycopg.Connection[Any], order: list[int]) -> None:
    for n in order:
        text, cosine = TEXTS[n]
        add(db, f"{text}.", source=f"text{n}", title=f"T{n}q", vector=near(3, cosine))


@FEW
@given(order=st.permutations(range(len(TEXTS))))
def test_the_order_in_which_documents_came_changes_no_answer(
    kb: psycopg.Connection[Any], order: list[int]
) -> None:
    answers = []
    for each in (list(range(len(TEXTS))), order):
        with kb.transaction(force_rollback=True):
            fill(kb, each)
            answers.append(told(search(kb, words="womp dralk", vector=axis(3))))
    assert list(answers[0]) == list(answers[1])
    assert answers[0] == answers[1]


@FEW
@given(words=st.sampled_from(["womp", "dralk", "womp frim"]), count=st.integers(1, 4))
def test_documents_on_something_else_change_no_rank_and_no_fused_score(
    kb: psycopg.Connection[Any], words: str, count: int
) -> None:
    # BM25 scores move with the size of the corpus; the ranks that fusion reads do not, while the
    # words of a question keep their order of rarity
    ranks = ("vector_rank", "bm25_rank", "rrf_raw", "score", "matched_by")
    with kb.transaction(force_rollback=True):
        fill(kb, list(range(len(TEXTS))))
        before = search(kb, words=words, vector=axis(3))
        for n in range(count):
            add(
                kb, f"Of krib and blom {n}.", source=f"else{n}", title=f"E{n}q", vector=axis(90 + n)
            )
        after = search(kb, words=words, vector=axis(3))
    assert [r["source"] for r in before] == [r["source"] for r in after]
    assert [[r[k] for k in ranks] for r in before] == [[r[k] for k in ranks] for r in after]
