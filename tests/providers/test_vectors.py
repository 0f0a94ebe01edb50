"""Every vector is checked before anything is stored."""

import math
from typing import TypedDict

import pytest

from providers.protocols import ProviderError
from providers.vectors import mean, normalise, place


class Shape(TypedDict):
    model: str
    width: int


SHAPE: Shape = {"model": "some-model", "width": 3}


def test_a_vector_of_another_length_is_scaled_to_one() -> None:
    vector = normalise([3, 0.0, 4.0], **SHAPE)
    assert vector == pytest.approx([0.6, 0.0, 0.8])


@pytest.mark.parametrize("scale", [1e-6, 1e200])
def test_very_small_and_very_large_vectors_keep_their_direction(scale: float) -> None:
    assert normalise([scale, 0, 0], **SHAPE) == [1.0, 0.0, 0.0]


def test_a_wrong_width_is_refused_naming_model_and_both_widths() -> None:
    with pytest.raises(ProviderError) as caught:
        normalise([1.0] * 5, **SHAPE)
    assert "some-model" in str(caught.value)
    assert "width 5" in str(caught.value)
    assert "width 3" in str(caught.value)
    assert caught.value.code == "bad_vector"
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("vector", "says"),
    [
        ([0, 0, 0], "zero vector"),
        ([1e-30, 0, 0], "zero vector"),
        ([1.0, math.nan, 0], "not finite"),
        ([1.0, math.inf, 0], "not finite"),
        (["1", 0, 0], "not a list of numbers"),
        ([True, 0, 0], "not a list of numbers"),
        ([[1, 0, 0]], "not a list of numbers"),
        (None, "not a list of numbers"),
        ("AAAA", "not a list of numbers"),
        ([10**400, 0, 0], "too large"),
        ([], "width 0"),
    ],
)
def test_what_is_no_usable_vector_is_refused(vector: object, says: str) -> None:
    with pytest.raises(ProviderError, match=says):
        normalise(vector, **SHAPE)


def test_vectors_are_placed_by_index_and_not_by_position() -> None:
    answers = [(1, [0, 1, 0]), (2, [0, 0, 1]), (0, [1, 0, 0])]
    assert place(answers, count=3, **SHAPE) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("indexes", "says"),
    [
        ([0, 0], "two vectors for one text"),
        ([0], "1 of 2 came back"),
        ([], "0 of 2 came back"),
        ([0, 2], "not sent"),
        ([0, -1], "not sent"),
        ([0, "1"], "not sent"),
        ([0, True], "not sent"),
        ([0, None], "not sent"),
    ],
)
def test_missing_double_and_foreign_indexes_are_refused(indexes: list[object], says: str) -> None:
    with pytest.raises(ProviderError, match=says):
        place([(index, [1, 0, 0]) for index in indexes], count=2, **SHAPE)


def test_parts_that_cancel_each_other_out_are_refused() -> None:
    with pytest.raises(ProviderError, match="zero vector"):
        mean([[1.0, 0, 0], [-1.0, 0, 0]], item=4, **SHAPE)
