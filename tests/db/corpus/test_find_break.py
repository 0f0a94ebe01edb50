"""corpus.find_break: where a passage ends."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask


def _cut(db: psycopg.Connection, window: str, size: int, low: int) -> int:
    cut: int = ask(db, "select corpus.find_break(%s, %s, %s)", window, size, low)
    return cut


def _window(breaks: dict[int, str], length: int = 150) -> str:
    """A text of letters in which the break that ends at each place is this one."""
    letters = ["x"] * length
    for end, mark in breaks.items():
        letters[end - len(mark) : end] = mark
    return "".join(letters)


@pytest.mark.parametrize(
    ("breaks", "cut"),
    [
        ({60: "\n\n", 97: ". ", 99: " "}, 60),  # a paragraph before any sentence
        ({60: ". ", 99: " "}, 60),  # a sentence before any word
        ({60: " ", 149: " "}, 60),
        ({}, 100),
        ({90: "\n\n", 112: "\n\n"}, 90),  # the nearest
        ({80: "\n\n", 112: "\n\n"}, 112),
        ({90: "\n\n", 110: "\n\n"}, 90),  # the earlier of two equally near
        ({60: "\n\n", 101: "\n\n"}, 101),  # across the size
        ({60: ". ", 101: ". "}, 101),
        ({60: '." ', 101: '." '}, 101),
        ({60: '." ', 102: '." '}, 102),
        ({60: "\r\n\r\n", 102: "\r\n\r\n"}, 102),
        ({95: "\r\n\r\n", 130: ". "}, 95),
        ({95: "\n \t\n", 130: ". "}, 95),  # an empty line that is not quite empty
        ({120: "\n\n\n\n\n"}, 120),  # after the whole gap
        ({40: "\n\n", 130: " "}, 130),  # too early to count
        ({70: "? ", 75: "! ", 140: "\n"}, 75),
        ({99: "3.5", 140: " "}, 140),  # a dot inside a number ends no sentence
    ],
)
def test_the_best_kind_of_break_nearest_to_the_size_wins(
    reference: psycopg.Connection, breaks: dict[int, str], cut: int
) -> None:
    assert _cut(reference, _window(breaks), 100, 50) == cut


def test_a_window_that_fits_is_taken_whole(reference: psycopg.Connection) -> None:
    assert _cut(reference, "one two. three", 100, 50) == 14


@given(
    places=st.sets(st.integers(6, 29).map(lambda n: n * 5), max_size=6),
    mark=st.sampled_from(["\n\n", ". ", " ", "\r\n\r\n"]),
    size=st.integers(60, 110),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_nearest_of_many_breaks_is_taken(
    reference: psycopg.Connection, places: set[int], mark: str, size: int
) -> None:
    low, high = size // 2, size + size // 2
    # a break that an edge of what may be cut runs through counts or not: not asked here
    places = {p for p in places if p - len(mark) >= low and p <= high}
    window = _window(dict.fromkeys(places, mark), length=high)
    cut = _cut(reference, window, size, low)
    assert cut == (min(places, key=lambda p: (abs(p - size), p)) if places else size)


def test_a_letter_keeps_its_marks(reference: psycopg.Connection) -> None:
    window = "x" * 98 + "e\u0301\u0302\u0303" + "x" * 48
    assert _cut(reference, window, 100, 50) == 98
