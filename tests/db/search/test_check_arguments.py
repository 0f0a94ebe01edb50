"""search.check_arguments: limits and states are refused before any work is done."""

from typing import Any

import psycopg
import pytest

from tests.sandbox import refused

GOOD: dict[str, Any] = {
    "top_k": 10,
    "candidates": 50,
    "statuses": ["approved", "pending"],
    "rrf_k": 60.0,
    "vector_weight": 0.7,
    "keyword_weight": 0.3,
}


def check(db: psycopg.Connection[Any], **changed: Any) -> None:
    db.execute(
        "select search.check_arguments(%(top_k)s, %(candidates)s, %(statuses)s, %(rrf_k)s, "
        "%(vector_weight)s, %(keyword_weight)s)",
        GOOD | changed,
    )


@pytest.mark.parametrize(
    "change",
    [
        {"top_k": 1},
        {"top_k": 100},
        {"candidates": 1},
        {"candidates": 1000},
        {"rrf_k": 0.001},
        {"rrf_k": 1e6, "keyword_weight": 1e-18},
        {"vector_weight": 0.0},
        {"statuses": ["approved"]},
        {"statuses": []},
    ],
)
def test_what_a_search_can_have_is_accepted(
    kb: psycopg.Connection[Any], change: dict[str, Any]
) -> None:
    check(kb, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"top_k": 0},
        {"top_k": -1},
        {"top_k": 101},
        {"candidates": 0},
        {"candidates": 1001},
        {"candidates": 5000},
        {"rrf_k": 0.0},
        {"rrf_k": -1.0},
        {"rrf_k": float("nan")},
        {"rrf_k": float("inf")},
        {"rrf_k": 1e308},
        {"vector_weight": 5e-324},
        {"keyword_weight": 1e-300},
        {"vector_weight": -0.1},
        {"vector_weight": float("nan")},
        {"keyword_weight": float("inf")},
        {"keyword_weight": -1.0},
    ],
)
def test_a_limit_out_of_range_is_refused_with_what_is_legal(
    kb: psycopg.Connection[Any], change: dict[str, Any]
) -> None:
    with refused(kb, "SE001") as caught:
        check(kb, **change)
    assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    "status", ["rejected", "flagged", "superseded", "staged", "archived", "", "APPROVED", None]
)
def test_a_state_off_the_allow_list_is_refused(
    kb: psycopg.Connection[Any], status: str | None
) -> None:
    with refused(kb, "SE002") as caught:
        check(kb, statuses=["approved", status])
    assert caught.value.diag.message_hint
