"""eval.ndcg, eval.recall, eval.reciprocal_rank: by hand, and against the package ir-measures."""

import math
from typing import Any

import ir_measures
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG

from tests.rows import value_of


def metrics(db: psycopg.Connection[Any], gains: list[int], judged: list[int]) -> list[float | None]:
    """nDCG@10, recall@8, recall@50, reciprocal rank."""
    found: list[float | None] = value_of(
        db,
        "select array[eval.ndcg(g, j, 10), eval.recall(g, j, 8), eval.recall(g, j, 50), "
        "eval.reciprocal_rank(g, j)] from (select %s::int[], %s::int[]) as x (g, j)",
        [gains, judged],
    )
    return found


@pytest.mark.parametrize(
    ("gains", "judged", "expected"),
    [
        # best possible: 3/log2(2) + 1/log2(3); reached: 1/log2(2) + 3/log2(4)
        ([1, 0, 3], [3, 1], [(1 + 3 / 2) / (3 + 1 / math.log2(3)), 1.0, 1.0, 1.0]),
        # the second relevant document is not shown
        ([0, 2], [2, 2], [(2 / math.log2(3)) / (2 + 2 / math.log2(3)), 0.5, 0.5, 0.5]),
        # the ninth is under recall@8 and in recall@50, the eleventh in neither nDCG@10
        ([0] * 8 + [1], [1], [1 / math.log2(10), 0.0, 1.0, 1 / 9]),
        ([0] * 10 + [1], [1], [0.0, 0.0, 1.0, 1 / 11]),
        ([], [1], [0.0, 0.0, 0.0, 0.0]),
        # nothing is relevant: there is nothing to measure
        ([0, 0], [0], [None, None, None, None]),
        ([], [], [None, None, None, None]),
    ],
)
def test_metrics_are_what_they_are_by_hand(
    kb: psycopg.Connection[Any],
    gains: list[int],
    judged: list[int],
    expected: list[float | None],
) -> None:
    assert metrics(kb, gains, judged) == pytest.approx(expected)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    judged=st.dictionaries(st.integers(1, 80), st.integers(0, 4), min_size=1, max_size=40),
    shown=st.lists(st.integers(1, 120), unique=True, min_size=1, max_size=70),
)
def test_metrics_are_those_of_ir_measures(
    kb: psycopg.Connection[Any], judged: dict[int, int], shown: list[int]
) -> None:
    found = metrics(kb, [judged.get(doc, 0) for doc in shown], list(judged.values()))
    if not any(judged.values()):
        assert found == [None] * 4
        return
    wanted = [nDCG @ 10, R @ 8, R @ 50, RR]
    oracle = ir_measures.calc_aggregate(
        wanted,
        [Qrel("q", str(doc), grade) for doc, grade in judged.items()],
        [ScoredDoc("q", str(doc), 1000.0 - place) for place, doc in enumerate(shown)],
    )
    assert found == pytest.approx([oracle[each] for each in wanted], abs=1e-9)
