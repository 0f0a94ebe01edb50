"""One embedder per embedding set, built on first use and kept off the event loop."""

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.calls import ActiveSet
from app.errors import detail_for_log
from providers.embed import embedder_for
from providers.protocols import Embedder, ProviderError

_log = logging.getLogger("pgkb.app")


@dataclass(frozen=True, slots=True)
class Embedded:
    """A question's vector, or why there is none."""

    vector: list[float] | None
    problem: str | None = None


class Embedders:
    """The embedders of this process, by provider, model and width."""

    def __init__(
        self,
        *,
        timeout: float,
        environ: Mapping[str, str] = os.environ,
        build: Callable[[str, str, int, Mapping[str, str]], Embedder] = embedder_for,
    ) -> None:
        """`timeout` is the longest a question waits for its vector, in seconds."""
        self._timeout = timeout
        self._environ = environ
        self._build = build
        self._known: dict[tuple[str, str, int], Embedder] = {}
        self._building = asyncio.Lock()

    async def _embedder(self, provider: str, model: str, width: int) -> Embedder:
        """One embedder per key; loading a model takes a moment, so it happens in a thread."""
        key = (provider, model, width)
        async with self._building:
            if key not in self._known:
                self._known[key] = await asyncio.to_thread(
                    self._build, provider, model, width, self._environ
                )
            return self._known[key]

    async def offline(self) -> Embedder:
        """The offline model, which picks the sentences of an answer whatever set is active."""
        model, width = await asyncio.to_thread(_offline_model)
        return await self._embedder("local", model, width)

    async def embed(self, active: ActiveSet, question: str) -> Embedded:
        """The question's vector. No failure of a provider escapes: search goes on by keyword."""
        try:
            async with asyncio.timeout(self._timeout):
                embedder = await self._embedder(active.provider, active.model, active.width)
                vectors = await asyncio.to_thread(embedder.embed, [question])
            return Embedded(vector=vectors[0])
        except Exception as error:
            # whatever a provider does, a parent still gets the keyword results
            _log.warning(
                "embedding by %s failed: %s",
                active.provider,
                detail_for_log(error, private=(question,)),
            )
            return Embedded(vector=None, problem=_why(error))

    async def close(self) -> None:
        """Close the connections of every embedder that was built."""
        for embedder in self._known.values():
            await embedder.aclose()
        self._known.clear()


def _offline_model() -> tuple[str, int]:
    # slow to import, and a service on another provider never needs it before its first answer
    from providers.local import MODEL, WIDTH

    return MODEL, WIDTH


def _why(error: Exception) -> str:
    if isinstance(error, ProviderError):
        return str(error)
    if isinstance(error, TimeoutError):
        return "the embedding provider did not answer in time"
    return "the embedding provider failed"
