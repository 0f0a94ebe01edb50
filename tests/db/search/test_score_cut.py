"""search.score_cut: of the best as many as are wanted, never fewer, and not many more."""

from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bulk import text_of
from tests.rows import value_of


def cut(db: psycopg.Connection[Any], blocks: list[Any], wanted: int) -> float:
    ceiling = max((float(max(block)) for block in blocks), default=0.0)
    found: float = value_of(
        db,
        "select search.score_cut(array(select row(1, u.n, u.scores::vector)::search.block_scores "
        "from unnest(%s::text[]) with ordinality as u (scores, n)), %s, %s)",
        [[text_of(block) for block in blocks], wanted, ceiling],
    )
    return found


def above(blocks: list[Any], level: float) -> int:
    return sum(int((np.asarray(block, dtype=np.float32) > level).sum()) for block in blocks)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10_000), wanted=st.integers(1, 200), blocks=st.integers(1, 4))
def test_between_what_is_wanted_and_twice_that_exceed_it(
    kb: psycopg.Connection[Any], seed: int, wanted: int, blocks: int
) -> None:
    rng = np.random.default_rng(seed)
    # as scores are: most chunks hold none of the words, the best stand alone
    made = [
        np.round(rng.exponential(2, size) * (rng.random(size) < 0.4), 4)
        for size in rng.integers(1, 1500, blocks)
    ]
    level = cut(kb, made, wanted)
    every = above(made, 0)
    assert above(made, level) >= min(wanted, every)
    assert above(made, level) <= 2 * wanted


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10_000),
    wanted=st.sampled_from([10, 125, 1000]),
    sizes=st.sampled_from([(16_000,), (16_000, 16_000, 7_001), (16_000, 300, 40)]),
    best=st.sampled_from(["anywhere", "in the sample", "outside of it"]),
)
def test_of_large_blocks_a_sample_leads_there_whatever_is_in_it(
    kb: psycopg.Connection[Any], seed: int, wanted: int, sizes: tuple[int, ...], best: str
) -> None:
    rng = np.random.default_rng(seed)
    made = []
    for size in sizes:
        scores = np.round(rng.exponential(2, size) * (rng.random(size) < 0.7), 4)
        sampled = np.zeros(size, dtype=bool)
        sampled[size * 7 // 16 : size * 7 // 16 + size // 8] = True
        if best != "anywhere":
            scores[sampled == (best == "in the sample")] += 5
        made.append(scores)
    level = cut(kb, made, wanted)
    assert wanted <= above(made, level) <= 2 * wanted


@pytest.mark.parametrize("same", [1, 5000, 15_990])
def test_of_equal_scores_all_exceed_it_rather_than_none(
    kb: psycopg.Connection[Any], same: int
) -> None:
    blocks = [[1.5] * same + [0.0] * 10]
    assert above(blocks, cut(kb, blocks, 100)) == same


def test_without_blocks_it_is_nothing(kb: psycopg.Connection[Any]) -> None:
    assert cut(kb, [], 100) == 0
