"""The test that says whether one setting is better than another, and the grid."""

import numpy as np
import pytest
from scipy import stats

from bench.tune import grid, randomisation_test


def test_equal_results_are_no_difference_and_a_large_one_is_beyond_chance() -> None:
    usual = [0.1 * (number % 10) for number in range(60)]
    assert randomisation_test(usual, usual) == 1.0
    assert randomisation_test([value + 0.1 for value in usual], usual) < 0.001


def test_the_p_value_is_that_of_another_implementation() -> None:
    rng = np.random.default_rng(7)
    ours, theirs = rng.random(40) + 0.05, rng.random(40)
    oracle = stats.permutation_test(
        (ours, theirs), lambda a, b: np.mean(a - b), permutation_type="samples",
        n_resamples=9_999, rng=np.random.default_rng(3),
    )  # fmt: skip
    assert randomisation_test(ours.tolist(), theirs.tolist()) == pytest.approx(
        oracle.pvalue, abs=0.02
    )


def test_the_grid_holds_every_combination_and_shares_add_up_to_one() -> None:
    points = grid([0.3, 1.0], [20, 60], [50])
    assert len(points) == 4
    assert {round(p.vector_weight + p.keyword_weight, 9) for p in points} == {1.0}
