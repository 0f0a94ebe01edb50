"""search.count_above: what scores higher than a level, over blocks of any size."""

from typing import Any

import psycopg
import pytest

from tests.rows import value_of


@pytest.mark.parametrize(
    ("level", "above"), [(0, 5), (0.5, 4), (1, 2), (2.999, 1), (3, 0)], ids=str
)
def test_what_scores_higher_is_counted_and_what_scores_the_same_is_not(
    kb: psycopg.Connection[Any], level: float, above: int
) -> None:
    assert (
        value_of(
            kb,
            "select search.count_above(array[row(1, 0, '[0,1,3]'::vector), row(2, 0, "
            "'[0.5,0]'::vector), row(3, 0, '[2]'::vector), row(4, 0, '[1,0,0,0]'::vector)"
            "]::search.block_scores[], %s::real)",
            [level],
        )
        == above
    )


def test_without_blocks_there_is_nothing(kb: psycopg.Connection[Any]) -> None:
    assert value_of(kb, "select search.count_above('{}', 1)") == 0
