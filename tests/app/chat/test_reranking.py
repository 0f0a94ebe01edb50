"""Sources stand in the order of a reranker, and in that of the search when it fails."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.answering import Inquiry
from app.chat.asking import Ask, begin
from app.chat.desk import Desk
from app.chat.pipeline import answer
from app.embedders import Embedders
from app.pool import pool_of
from app.settings import from_environ
from providers.protocols import ProviderError
from tests.app.chat.service import QUESTION
from tests.app.library import BIRMINGHAM


class _Backwards:
    """What came last is best."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked = [question, *texts]
        return [float(at) for at in range(len(texts))]

    async def aclose(self) -> None: ...


class _Down(_Backwards):
    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        raise ProviderError("the reranker cannot be reached", code="unreachable")


async def _sources(url: str, reranker: _Backwards | None) -> tuple[list[int], list[str]]:
    """Chunks of the sources in their order, and what did not work."""
    settings = replace(from_environ({}, database_url=url), pool_size=1)

    async def nobody(event: object) -> None:
        del event

    async with pool_of(settings) as pool:
        embedders = Embedders(timeout=60)
        try:
            desk = Desk(pool=pool, embedders=embedders, reranker=reranker)
            inquiry = Inquiry(question=QUESTION, la=BIRMINGHAM)
            begun = await begin(desk, Ask(inquiry, keep=False))
            said = await answer(desk, begun, nobody)
        finally:
            await embedders.close()
    return [source.chunk_id for source in said.sources], said.degraded


async def test_sources_are_numbered_in_the_order_of_the_reranker(library_url: str) -> None:
    plain, _ = await _sources(library_url, None)
    assert len(plain) > 1
    reranker = _Backwards()
    turned, degraded = await _sources(library_url, reranker)
    assert turned == plain[::-1]
    assert degraded == []
    assert reranker.asked[0] == QUESTION


async def test_a_reranker_that_fails_leaves_the_order_of_the_search_and_is_told_of(
    library_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    plain, _ = await _sources(library_url, None)
    assert await _sources(library_url, _Down()) == (plain, ["rerank_failed"])
    assert QUESTION not in caplog.text
