"""search.rerank_depth: the wider the vectors, the fewer of the nearest by bits are ranked again."""

from typing import Any

import psycopg
import pytest

from tests.rows import value_of


def depth(db: psycopg.Connection[Any], candidates: int, width: int) -> int:
    found: int = value_of(db, "select search.rerank_depth(%s, %s)", [candidates, width])
    return found


@pytest.mark.parametrize(
    ("candidates", "width", "ranked"),
    [
        (50, 384, 800),
        (50, 768, 400),
        (50, 1024, 300),
        (50, 1536, 200),
        (50, 3072, 100),  # never fewer than twice the candidates
        (50, 4096, 100),
        (100, 1536, 400),  # eight times the candidates at 768 dimensions
        (10, 1536, 200),  # kb.rerank_depth at least
        (100, 384, 1600),
        (500, 768, 4000),  # a scan gives more than the 1000 of a graph
    ],
)
def test_as_many_are_ranked_as_the_bits_leave_in_doubt(
    kb: psycopg.Connection[Any], candidates: int, width: int, ranked: int
) -> None:
    assert depth(kb, candidates, width) == ranked


def test_the_setting_is_the_depth_at_768_dimensions(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.rerank_depth = 600")
    assert [depth(kb, 50, width) for width in (768, 1536, 384)] == [600, 300, 1200]
