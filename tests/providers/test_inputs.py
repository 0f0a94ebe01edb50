"""What is sent: no blank text, nothing above a limit, nothing cut off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.inputs import Part, check_texts, estimate_tokens, pack, parts_of, split_text
from providers.protocols import ProviderError


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b\ufeff", "\u00a0\u3000", "\x00"])
def test_a_blank_text_is_refused_and_named(blank: str) -> None:
    with pytest.raises(ProviderError, match="text 1 of 2 is blank") as caught:
        check_texts(["fine", blank])
    assert caught.value.item == 1
    assert caught.value.code == "blank_input"


def test_one_text_in_place_of_a_list_is_a_programming_error() -> None:
    with pytest.raises(TypeError):
        check_texts("text")


def test_half_a_surrogate_pair_does_not_stop_the_rest() -> None:
    assert check_texts(["a\ud800b"]) == ["a?b"]


def test_other_scripts_are_estimated_higher_than_english() -> None:
    english = estimate_tokens("special educational needs " * 10)
    assert 60 < english < 130
    assert estimate_tokens("特別支援教育" * 10) >= 120


@given(st.text(min_size=1, max_size=400), st.integers(min_value=5, max_value=60))
def test_a_long_text_is_split_under_the_limit_and_nothing_is_lost(text: str, limit: int) -> None:
    pieces = split_text(text, limit=limit)
    assert "".join(pieces) == text
    assert all(estimate_tokens(piece) <= limit for piece in pieces)


def test_a_text_is_split_between_words() -> None:
    pieces = split_text("several words in a row " * 20, limit=40)
    assert len(pieces) > 2
    assert all(piece.endswith(" ") for piece in pieces)


@given(
    st.lists(st.integers(min_value=1, max_value=120), max_size=50),
    st.integers(min_value=1, max_value=9),
)
def test_batches_keep_the_order_and_both_limits(sizes: list[int], max_items: int) -> None:
    parts = [Part(item, "x", tokens) for item, tokens in enumerate(sizes)]
    batches = list(pack(parts, max_items=max_items, max_tokens=100))
    assert [part for batch in batches for part in batch] == parts
    assert all(len(batch) <= max_items for batch in batches)
    assert all(len(b) == 1 or sum(p.tokens for p in b) <= 100 for b in batches)


def test_every_part_knows_the_text_it_came_from() -> None:
    parts = parts_of(["short", "a long one " * 40], limit=50)
    assert parts[0].item == 0
    assert {part.item for part in parts[1:]} == {1}
    assert len(parts) > 2
