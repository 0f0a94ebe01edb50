"""search.fuse: rule 6, Reciprocal Rank Fusion (faults R-10, R-12)."""

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rows import Row, array_of, rows_of

Ranks = dict[int, int]


def vector_hits(ranks: Ranks) -> list[Row]:
    return [{"chunk_id": c, "similarity": 1 / (1 + r), "rank": r} for c, r in ranks.items()]


def keyword_hits(ranks: Ranks) -> list[Row]:
    return [
        {
            "chunk_id": c,
            "bm25_score": 100.0 / r,
            "rank": r,
            "identifier_matched": False,
            "rare_words_matched": False,
            "coverage": 0.5,
        }
        for c, r in ranks.items()
    ]


def fuse(
    db: psycopg.Connection[Any],
    vector: Sequence[Row],
    keyword: Sequence[Row],
    *,
    k: float = 60,
    vector_weight: float = 0.7,
    keyword_weight: float = 0.3,
) -> dict[int, Row]:
    rows = rows_of(
        db,
        "search.fuse({vector}, {keyword}, %s, %s, %s)",
        [k, vector_weight, keyword_weight],
        vector=array_of("search.vector_hit", vector),
        keyword=array_of("search.keyword_hit", keyword),
    )
    assert len({row["chunk_id"] for row in rows}) == len(rows)
    return {row["chunk_id"]: row for row in rows}


def scores(rows: dict[int, Row]) -> dict[int, float]:
    return {chunk: row["rrf_raw"] for chunk, row in rows.items()}


def test_a_hit_of_both_legs_gets_the_sum_and_of_one_leg_its_share(
    kb: psycopg.Connection[Any],
) -> None:
    fused = fuse(kb, vector_hits({1: 1, 2: 2}), keyword_hits({2: 1, 3: 2}))
    assert scores(fused) == pytest.approx({1: 0.7 / 61, 2: 0.7 / 62 + 0.3 / 61, 3: 0.3 / 62})
    assert {c: row["matched_by"] for c, row in fused.items()} == {
        1: "vector",
        2: "hybrid",
        3: "keyword",
    }


def test_a_chunk_without_a_keyword_match_gets_exactly_nothing_for_it(
    kb: psycopg.Connection[Any],
) -> None:
    fused = fuse(kb, vector_hits({1: 1, 2: 2, 3: 3}), keyword_hits({3: 1}))
    assert fused[1]["rrf_raw"] == 0.7 / (60 + 1)
    assert fused[2]["rrf_raw"] == 0.7 / (60 + 2)
    assert [fused[c]["bm25_rank"] for c in (1, 2, 3)] == [None, None, 1]


def test_weights_given_as_whole_numbers_do_not_divide_to_zero(
    kb: psycopg.Connection[Any],
) -> None:
    fused = fuse(kb, vector_hits({1: 1}), keyword_hits({2: 1}), vector_weight=1, keyword_weight=1)
    assert scores(fused) == pytest.approx({1: 1 / 61, 2: 1 / 61})


def test_hits_that_share_a_rank_share_a_score(kb: psycopg.Connection[Any]) -> None:
    fused = fuse(kb, vector_hits(dict.fromkeys(range(1, 21), 1)), [])
    assert len(set(scores(fused).values())) == 1


def test_two_empty_legs_fuse_to_nothing(kb: psycopg.Connection[Any]) -> None:
    assert fuse(kb, [], []) == {}


def test_an_identifier_or_every_rare_word_lifts_the_floor(kb: psycopg.Connection[Any]) -> None:
    plain, by_identifier, by_words = keyword_hits({1: 1, 2: 2, 3: 3})
    by_identifier["identifier_matched"] = True
    by_words["rare_words_matched"] = True
    fused = fuse(kb, vector_hits({4: 1}), [plain, by_identifier, by_words])
    assert {c: row["floor_exempt"] for c, row in fused.items()} == {
        1: False,
        2: True,
        3: True,
        4: False,
    }


LEG = st.dictionaries(st.integers(1, 30), st.integers(1, 60), max_size=12)
# what a setting can say: no smaller than its eighteenth decimal
WEIGHT = st.integers(0, 10**7).map(lambda n: n / 10**6)
PROPERTY = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@PROPERTY
@given(vector=LEG, keyword=LEG, k=st.floats(1, 1000), weights=st.tuples(WEIGHT, WEIGHT))
def test_the_score_is_the_sum_of_weight_over_k_plus_rank(
    kb: psycopg.Connection[Any],
    vector: Ranks,
    keyword: Ranks,
    k: float,
    weights: tuple[float, float],
) -> None:
    fused = fuse(
        kb,
        vector_hits(vector),
        keyword_hits(keyword),
        k=k,
        vector_weight=weights[0],
        keyword_weight=weights[1],
    )
    expected = {
        chunk: (weights[0] / (k + vector[chunk]) if chunk in vector else 0.0)
        + (weights[1] / (k + keyword[chunk]) if chunk in keyword else 0.0)
        for chunk in vector.keys() | keyword.keys()
    }
    assert scores(fused) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@PROPERTY
@given(vector=LEG, keyword=LEG, seed=st.integers())
def test_the_order_in_which_hits_arrive_changes_no_score(
    kb: psycopg.Connection[Any], vector: Ranks, keyword: Ranks, seed: int
) -> None:
    first, second = vector_hits(vector), keyword_hits(keyword)
    before = fuse(kb, first, second)
    shuffle = random.Random(seed).shuffle  # noqa: S311 - an order, not a secret
    shuffle(first)
    shuffle(second)
    assert fuse(kb, first, second) == before


@PROPERTY
@given(vector=LEG, keyword=LEG, extra=LEG)
def test_chunks_that_do_not_match_change_no_score(
    kb: psycopg.Connection[Any], vector: Ranks, keyword: Ranks, extra: Ranks
) -> None:
    before = scores(fuse(kb, vector_hits(vector), keyword_hits(keyword)))
    others = {chunk + 1000: rank for chunk, rank in extra.items()}
    after = scores(fuse(kb, vector_hits(vector | others), keyword_hits(keyword)))
    assert {chunk: after[chunk] for chunk in before} == before


@PROPERTY
@given(vector=LEG, keyword=LEG)
def test_an_absent_leg_is_worth_exactly_nothing(
    kb: psycopg.Connection[Any], vector: Ranks, keyword: Ranks
) -> None:
    # fault R-10
    alone = fuse(kb, vector_hits(vector), [])
    assert scores(fuse(kb, vector_hits(vector), [], keyword_weight=1000)) == scores(alone)
    beside = scores(fuse(kb, vector_hits(vector), keyword_hits(keyword)))
    for chunk in vector.keys() - keyword.keys():
        assert beside[chunk] == alone[chunk]["rrf_raw"]


@PROPERTY
@given(vector=LEG, keyword=LEG, k=st.floats(1, 1000))
def test_a_hit_of_both_legs_is_worth_more_than_of_either(
    kb: psycopg.Connection[Any], vector: Ranks, keyword: Ranks, k: float
) -> None:
    both = scores(fuse(kb, vector_hits(vector), keyword_hits(keyword), k=k))
    first = scores(fuse(kb, vector_hits(vector), [], k=k))
    second = scores(fuse(kb, [], keyword_hits(keyword), k=k))
    for chunk in vector.keys() & keyword.keys():
        assert both[chunk] > max(first[chunk], second[chunk])


@PROPERTY
@given(
    ranks=st.lists(st.integers(1, 1000), unique=True, min_size=2, max_size=12),
    k=st.integers(1, 1000),
    weight=st.integers(1, 10),
)
def test_a_better_rank_is_worth_strictly_more_also_in_whole_numbers(
    kb: psycopg.Connection[Any], ranks: list[int], k: int, weight: int
) -> None:
    # fault R-12: whole numbers all through
    hits = dict(zip(range(len(ranks)), sorted(ranks), strict=True))
    for fused in (
        fuse(kb, vector_hits(hits), [], k=k, vector_weight=weight),
        fuse(kb, [], keyword_hits(hits), k=k, keyword_weight=weight),
    ):
        in_order = [fused[chunk]["rrf_raw"] for chunk in hits]
        assert in_order[-1] > 0
        assert all(a > b for a, b in pairwise(in_order))


@PROPERTY
@given(vector=LEG, keyword=LEG, weights=st.tuples(WEIGHT, WEIGHT), more=st.tuples(WEIGHT, WEIGHT))
def test_a_larger_weight_never_lowers_a_score(
    kb: psycopg.Connection[Any],
    vector: Ranks,
    keyword: Ranks,
    weights: tuple[float, float],
    more: tuple[float, float],
) -> None:
    legs = vector_hits(vector), keyword_hits(keyword)
    light = scores(fuse(kb, *legs, vector_weight=weights[0], keyword_weight=weights[1]))
    heavy = scores(
        fuse(
            kb,
            *legs,
            vector_weight=weights[0] + more[0],
            keyword_weight=weights[1] + more[1],
        )
    )
    assert all(heavy[chunk] >= light[chunk] for chunk in light)


def test_a_missing_rank_counts_nothing_and_no_score_is_null(kb: psycopg.Connection[Any]) -> None:
    # fault R-12: a NULL would sort first
    ranked, unranked = vector_hits({1: 1, 2: 2})
    fused = fuse(kb, [ranked, unranked | {"rank": None}], keyword_hits({2: 1}))
    assert scores(fused) == {1: 0.7 / 61, 2: 0.3 / 61}
    (row,) = rows_of(
        kb,
        "search.fuse({vector}, null, null, null, null)",
        vector=array_of("search.vector_hit", [ranked]),
    )
    assert row["rrf_raw"] == 0
