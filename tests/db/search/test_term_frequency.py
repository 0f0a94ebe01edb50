"""search.term_frequency and bm25_impact: the parts of the formula."""

from typing import Any

import psycopg
import pytest

from tests.rows import value_of


@pytest.mark.parametrize("times", [0, 1, 2, 3, 7, 50, 200, 255])
def test_the_frequency_is_the_number_of_positions(kb: psycopg.Connection[Any], times: int) -> None:
    text = "other " + "womp " * times
    assert (
        value_of(kb, "select search.term_frequency(to_tsvector('simple', %s), 'womp')", [text])
        == times
    )


def test_a_lexeme_without_positions_counts_once(kb: psycopg.Connection[Any]) -> None:
    query = "select search.term_frequency(array_to_tsvector('{#s36,other}'), '''#s36''')"
    assert value_of(kb, query) == 1


def test_the_impact_is_bm25_without_idf(kb: psycopg.Connection[Any]) -> None:
    found = value_of(kb, "select search.bm25_impact(3, 120, 90, 1.2, 0.75)")
    assert found == pytest.approx(3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 120 / 90)))
