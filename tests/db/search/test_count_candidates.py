"""search.count_candidates: what a search weighed, also when it kept nothing."""

from typing import Any

import psycopg
import pytest

from tests.rows import Row, array_of, rows_of

HITS: list[Row] = [
    {"chunk_id": 1, "vector_rank": 1, "bm25_rank": 2},
    {"chunk_id": 2, "vector_rank": 2, "dropped_at": "floor"},
    {"chunk_id": 3, "bm25_rank": 1, "dropped_at": "floor"},
    {"chunk_id": 4, "bm25_rank": 3, "dropped_at": "top_k"},
]


def counts(db: psycopg.Connection[Any], hits: list[Row], more: str = "") -> Row:
    (row,) = rows_of(
        db,
        f"search.count_candidates({{hits}}{more})",
        hits=array_of("search.ranked_hit", hits),
    )
    return row


def test_each_leg_and_what_the_floor_kept_are_counted(kb: psycopg.Connection[Any]) -> None:
    assert counts(kb, HITS) == {
        "candidates": 4,
        "vector_candidates": 2,
        "keyword_candidates": 3,
        "kept": 2,
        "attempts": 1,
        "topic_fallback_used": False,
        "no_la_broad_fallback_used": False,
    }


@pytest.mark.parametrize("hits", [[], HITS[1:3]])
def test_nothing_kept_still_tells_what_was_tried(
    kb: psycopg.Connection[Any], hits: list[Row]
) -> None:
    row = counts(kb, hits, ", 4, true, true")
    assert (row["candidates"], row["kept"]) == (len(hits), 0)
    assert (row["attempts"], row["topic_fallback_used"]) == (4, True)
    assert row["no_la_broad_fallback_used"] is True
