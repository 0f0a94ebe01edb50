"""What a call uses up is counted to the last token, and charged to the texts it was for."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.openai_embed import Limits
from providers.protocols import ProviderError
from providers.usage import metered, note
from tests.providers.fake_openai import fake_openai, tokens_in
from tests.providers.test_openai_embed import TEXTS, embedder


@given(
    st.integers(0, 10**8),
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9000)), min_size=1, max_size=50),
)
def test_the_shares_add_up_to_what_was_billed(billed: int, parts: list[tuple[int, int]]) -> None:
    with metered() as usage:
        note(billed, texts=[text for text, _ in parts], estimates=[size for _, size in parts])
    assert sum(usage.by_text.values()) == billed
    assert all(share >= 0 for share in usage.by_text.values())


def test_every_request_of_a_call_counts() -> None:
    with fake_openai() as server, metered() as usage:
        embedder(server, limits=Limits(max_items=8)).embed(TEXTS)
    assert len(server.calls) == 3
    assert sum(usage.by_text.values()) == sum(map(tokens_in, TEXTS))
    assert set(usage.by_text) == set(range(len(TEXTS)))


def test_on_an_event_loop_it_counts_the_same() -> None:
    async def run() -> int:
        with fake_openai() as server, metered() as usage:
            client = embedder(server)
            await client.aembed(TEXTS)
            await client.aclose()
        return sum(usage.by_text.values())

    assert asyncio.run(run()) == sum(map(tokens_in, TEXTS))


def test_a_longer_text_is_charged_more() -> None:
    texts = ["short", "a much longer text about the special educational needs of a child " * 5]
    with fake_openai() as server, metered() as usage:
        embedder(server).embed(texts)
    assert usage.tokens_of(1) > 10 * usage.tokens_of(0)


def test_what_was_answered_before_a_failure_is_counted() -> None:
    with (
        fake_openai(fail_calls=frozenset({3})) as server,
        metered() as usage,
        pytest.raises(ProviderError),
    ):
        embedder(server, limits=Limits(max_items=8, attempts=1)).embed(TEXTS)
    assert sum(usage.by_text.values()) == sum(map(tokens_in, TEXTS[:16]))


def test_vectors_that_are_refused_were_billed_all_the_same() -> None:
    with fake_openai(nan=True) as server, metered() as usage, pytest.raises(ProviderError):
        embedder(server).embed(TEXTS)
    assert sum(usage.by_text.values()) == sum(map(tokens_in, TEXTS))


@pytest.mark.parametrize("told", [None, "many", -5, 10**15, 1.5, True, [3]])
def test_where_no_sensible_figure_is_told_the_estimate_counts(told: Any) -> None:
    with fake_openai(usage=told) as server, metered() as usage:
        embedder(server).embed(["four words are here"])
    assert 4 <= usage.tokens_of(0) <= 19


def test_nothing_is_counted_outside_of_a_meter() -> None:
    with fake_openai() as server:
        with metered() as usage:
            pass
        embedder(server).embed(TEXTS)
    assert usage.by_text == {}
