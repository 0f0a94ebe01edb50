"""search.level_vector: one number throughout, in as many dimensions as are asked for."""

from typing import Any

import psycopg
import pytest

from tests.rows import value_of


@pytest.mark.parametrize("dims", [1, 124, 125, 126, 4000, 15_999, 16_000])
def test_every_dimension_holds_the_level(kb: psycopg.Connection[Any], dims: int) -> None:
    held = value_of(
        kb, "select array_agg(distinct n) from unnest(search.level_vector(2.5, %s)::real[]) as n",
        [dims],
    )  # fmt: skip
    assert held == [2.5]
    assert value_of(kb, "select vector_dims(search.level_vector(2.5, %s))", [dims]) == dims


def test_left_out_it_has_as_many_as_a_vector_may_have(kb: psycopg.Connection[Any]) -> None:
    assert value_of(kb, "select vector_dims(search.level_vector(0))") == 16_000
