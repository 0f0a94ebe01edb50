"""search.find: the answer of search_kb with what it was chosen from, for the app."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near
from tests.corpus import search as search_kb
from tests.rows import Row, rows_of


def find(
    db: psycopg.Connection[Any],
    words: str | None = None,
    *,
    vector: list[float] | None = None,
    **asked: Any,
) -> Row:
    named = "".join(f", {name} => %({name})s" for name in asked)
    (row,) = rows_of(
        db,
        f"search.find(%(vector)s::vector, terms.build_tsquery(%(words)s){named})",
        {"vector": vector and literal(vector), "words": words, **asked},
    )
    return row


@pytest.fixture
def five(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    add(kb, "Alpha womp.", source="hybrid", vector=near(3, 0.9))
    add(kb, "Beta.", source="vector", la_code="E10000016", vector=near(3, 0.8))
    add(kb, "Gamma.", source="faint", vector=near(3, 0.22))
    add(kb, "Delta.", source="school", school_urn="990003", vector=near(3, 0.24))
    add(kb, "Far womp and more.", source="keyword", vector=axis(60))
    return kb


def test_the_results_are_those_of_search_kb(five: psycopg.Connection[Any]) -> None:
    asked: dict[str, Any] = {"vector": axis(3), "la": "E10000016", "urn": "990003", "top_k": 3}
    assert find(five, "womp", **asked)["results"] == search_kb(five, words="womp", **asked) != []


def test_the_counts_are_those_before_and_after_the_floor(five: psycopg.Connection[Any]) -> None:
    row = find(five, "womp dralk", vector=axis(3), la="E10000016", urn="990003")
    assert len(row["results"]) == 3
    assert row["counts"] == {
        "candidates": 5,
        "vector_candidates": 4,
        "keyword_candidates": 2,
        "kept": 3,
        "attempts": 1,
        "topic_fallback_used": False,
        "no_la_broad_fallback_used": False,
    }
    assert row["plan"] == "exact"
    assert set(row["timings"]) == {"scopes", "vector_leg", "keyword_leg", "rank", "choose"}


def test_an_empty_answer_still_says_which_fallbacks_were_used(
    kb: psycopg.Connection[Any],
) -> None:
    row = find(kb, "womp", vector=axis(3), tags=["transport"])
    assert (row["results"], row["counts"]["candidates"], row["counts"]["kept"]) == ([], 0, 0)
    assert row["counts"]["attempts"] == 4
    assert row["counts"]["topic_fallback_used"]
    assert row["counts"]["no_la_broad_fallback_used"]
    row = find(kb, "womp", vector=axis(3), la="E10000016")
    assert not row["counts"]["topic_fallback_used"]
    assert not row["counts"]["no_la_broad_fallback_used"]


def test_what_the_floor_dropped_is_counted_though_nothing_is_left(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "Gamma.", source="faint", vector=near(3, 0.22))
    row = find(kb, vector=axis(3), la="E10000016")
    assert (row["results"], row["counts"]["candidates"], row["counts"]["kept"]) == ([], 1, 0)
