"""A reranker behind HTTP: how well each of some texts answers a question.

It is asked in the shape that Cohere, Jina, vLLM and others share: `query` and `documents` out,
`results` with `index` and `relevance_score` back.
"""

import math
import os
from collections.abc import Mapping, Sequence

import httpx2
import msgspec

from providers.environment import address, is_loopback, key_of, number, value
from providers.protocols import ProviderError, Reranker

TIMEOUT = 10  # seconds


class _Result(msgspec.Struct):
    index: int
    relevance_score: float


class _Results(msgspec.Struct):
    results: list[_Result]


def reranker_for(environ: Mapping[str, str] = os.environ) -> Reranker | None:
    """The reranker of PGKB_RERANK_URL; None when that is not set.

    Raises ProviderError (code misconfigured) with one line naming the variable to set.
    """
    url = value(environ, "PGKB_RERANK_URL")
    if not url:
        return None
    keyed = bool(value(environ, "PGKB_RERANK_API_KEY"))
    return HttpReranker(
        url=address(url, "PGKB_RERANK_URL", secure=keyed),
        key=key_of(environ, "PGKB_RERANK_API_KEY") if keyed else None,
        model=value(environ, "PGKB_RERANK_MODEL") or None,
        timeout=number(environ, "PGKB_RERANK_TIMEOUT", TIMEOUT),
    )


class HttpReranker:
    """Asks one endpoint, once for all texts."""

    def __init__(
        self,
        *,
        url: str,
        key: str | None = None,
        model: str | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        """`url` is the whole address that is asked; `timeout` in seconds."""
        self._url = url
        self._model = model
        self._client = httpx2.AsyncClient(
            timeout=timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            # what leads to a server of one's own is not for a proxy
            trust_env=not is_loopback(url),
        )

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, the highest for the best. Raises ProviderError."""
        if not texts:
            return []
        asked = {"query": question, "documents": list(texts)}
        if self._model:
            asked["model"] = self._model
        try:
            answer = await self._client.post(self._url, json=asked)
        except httpx2.TimeoutException as error:
            raise _failed("timeout", "the reranker did not answer in time") from error
        except httpx2.HTTPError as error:
            raise _failed("unreachable", "the reranker cannot be reached") from error
        if answer.status_code in {401, 403}:
            raise _failed("unauthorised", "the reranker refuses the key: set PGKB_RERANK_API_KEY")
        if answer.status_code != 200:
            raise _failed(
                "service_failed", "the reranker failed", detail=f"status {answer.status_code}"
            )
        return _in_order(_read(answer.content), len(texts))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()


def _read(content: bytes) -> list[_Result]:
    try:
        return msgspec.json.decode(content, type=_Results).results
    except (msgspec.DecodeError, ValueError) as error:
        raise _failed("service_failed", "the reranker's answer cannot be read") from error


def _in_order(results: Sequence[_Result], count: int) -> list[float]:
    """The scores in the order of the texts; every text has one, or the answer is none."""
    scores = {result.index: result.relevance_score for result in results}
    whole = len(results) == count and scores.keys() == set(range(count))
    if not whole or not all(map(math.isfinite, scores.values())):
        raise _failed("service_failed", "the reranker did not score every text once")
    return [scores[at] for at in range(count)]


def _failed(code: str, message: str, *, detail: str | None = None) -> ProviderError:
    return ProviderError(message, code=code, detail=detail)
