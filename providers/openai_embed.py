"""Embeddings from OpenAI, Azure OpenAI and any server that speaks OpenAI's protocol.

One conversation with the service is written once, as a generator of requests and waits; ``embed``
and ``aembed`` only carry it out, blocking or not.
"""

import asyncio
import json
import logging
import random
import weakref
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import httpx2
import openai

from providers.inputs import Part, check_texts, pack, parts_of
from providers.openai_clients import Connection, async_client, sync_client
from providers.openai_errors import Failure, explain
from providers.pacing import Clock, backoff, gate_for
from providers.protocols import ProviderError
from providers.usage import note
from providers.vectors import mean, place

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold, and how patient we are with the service."""

    max_items: int = 256
    max_request_tokens: int = 250_000
    max_input_tokens: int = 8_000
    attempts: int = 5
    longest_wait: float = 60.0  # seconds; asked to wait longer, we give up at once
    timeout: float = 30.0  # seconds without a byte from the service


@dataclass(frozen=True, slots=True)
class Send:
    """Ask the service for these texts' vectors."""

    texts: list[str]


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for this many seconds."""

    seconds: float


Vectors = list[list[float]]
Reply = bytes | Failure | None  # a Send is answered by the body or a failure, a Wait by None
# What the carrying-out side expects of an exchange with the service that ends in some result.
Conversation = Generator[Send | Wait, Reply, Vectors]


class _Refused(Exception):
    """A signal between two methods: the service refuses the request that holds ``part``."""

    def __init__(self, failure: Failure, part: Part) -> None:
        super().__init__()
        self.failure = failure
        self.part = part


class OpenAIEmbedder:
    """An Embedder over HTTP. Safe to share between threads and event loops."""

    def __init__(
        self,
        *,
        connection: Connection,
        model: str,
        width: int,
        limits: Limits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.name = connection.provider
        self.model = model
        self.width = width
        self._connection = connection
        self._limits = limits or Limits()
        self._clock = clock or Clock()
        self._served = connection.deployment or model
        self._dimensions = width if connection.send_dimensions else openai.omit
        self._gate = gate_for(connection.base_url, self._served)
        self._client = sync_client(connection, timeout=self._limits.timeout)
        # the connections of a forgotten embedder are closed with it
        weakref.finalize(self, self._client.close)
        # a connection belongs to the event loop that opened it
        self._async_clients: weakref.WeakKeyDictionary[
            asyncio.AbstractEventLoop, openai.AsyncOpenAI
        ] = weakref.WeakKeyDictionary()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length one per text, in order. Raises ProviderError."""
        steps = self._converse(texts)
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as done:
                vectors: Vectors = done.value
                return vectors
            if isinstance(step, Wait):
                self._clock.sleep(step.seconds)
                reply = None
            else:
                reply = self._post(step.texts)

    async def aembed(self, texts: Sequence[str]) -> Vectors:
        """As ``embed``, without blocking the event loop."""
        steps = self._converse(texts)
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as done:
                vectors: Vectors = done.value
                return vectors
            if isinstance(step, Wait):
                await self._clock.asleep(step.seconds)
                reply = None
            else:
                reply = await self._apost(step.texts)

    def close(self) -> None:
        """Close the connections that ``embed`` opened."""
        self._client.close()

    async def aclose(self) -> None:
        """Close every connection, those that ``aembed`` opened in this event loop included."""
        self.close()
        client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    # -- the two ways to send -------------------------------------------------------------------

    def _post(self, texts: list[str]) -> bytes | Failure:
        try:
            return self._client.embeddings.with_raw_response.create(
                model=self._served,
                input=texts,
                encoding_format="float",
                dimensions=self._dimensions,
            ).content
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            return self._explain(error, texts)

    async def _apost(self, texts: list[str]) -> bytes | Failure:
        loop = asyncio.get_running_loop()
        client = self._async_clients.get(loop)
        if client is None:
            client = async_client(self._connection, timeout=self._limits.timeout)
            self._async_clients[loop] = client
        try:
            response = await client.embeddings.with_raw_response.create(
                model=self._served,
                input=texts,
                encoding_format="float",
                dimensions=self._dimensions,
            )
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            return self._explain(error, texts)
        return response.content

    def _explain(self, error: Exception, texts: list[str]) -> Failure:
        return explain(
            error,
            model=self.model,
            key=self._connection.key,
            key_name=self._connection.key_name,
            texts=texts,
        )

    # -- the conversation -----------------------------------------------------------------------

    def _converse(self, texts: Sequence[str]) -> Conversation:
        checked = check_texts(texts)
        limits = self._limits
        found: list[Vectors] = [[] for _ in checked]
        for batch in pack(
            parts_of(checked, limit=limits.max_input_tokens),
            max_items=limits.max_items,
            max_tokens=limits.max_request_tokens,
        ):
            try:
                vectors = yield from self._embed_batch(batch, total=len(checked))
            except ProviderError as error:
                # a text that is begun is not finished: its last parts are in this batch
                error.finished = self._whole(found[: batch[0].item])
                raise
            for part, vector in zip(batch, vectors, strict=True):
                found[part.item].append(vector)
        return self._whole(found)

    def _whole(self, found: list[Vectors]) -> Vectors:
        """One vector per text out of those of its parts."""
        return [
            mean(parts, model=self.model, width=self.width, item=item)
            for item, parts in enumerate(found)
        ]

    def _embed_batch(self, batch: list[Part], *, total: int) -> Conversation:
        refused: _Refused | None = None
        try:
            return (yield from self._narrow(batch))
        except _Refused as signal:
            refused = signal
        error = refused.failure.error
        if not refused.failure.narrowable:
            raise error
        if refused.part is batch[0] and batch[-1].item != refused.part.item:
            # nothing has passed so far: when the last text is refused too, no text is to blame
            probe = yield from self._ask(batch[-1:])
            if isinstance(probe, Failure):
                raise error
        raise ProviderError(
            f"{error}, because of text {refused.part.item} of {total}",
            code=error.code,
            item=refused.part.item,
            detail=error.detail,
        )

    def _narrow(self, batch: list[Part]) -> Conversation:
        """The batch's vectors, halving it as long as the service refuses it for what it holds."""
        answer = yield from self._ask(batch)
        if not isinstance(answer, Failure):
            return answer
        if not answer.narrowable or len(batch) == 1:
            raise _Refused(answer, batch[0])
        half = len(batch) // 2
        first = yield from self._narrow(batch[:half])
        second = yield from self._narrow(batch[half:])
        return first + second

    def _ask(self, batch: list[Part]) -> Generator[Send | Wait, Reply, Vectors | Failure]:
        """One request, repeated while repeating can help."""
        longest = self._limits.longest_wait
        attempt = 1
        while True:
            yield from self._pass_gate()
            reply = yield Send([part.text for part in batch])
            if isinstance(reply, bytes):
                return self._read(reply, batch)
            if reply is None:
                raise RuntimeError("a request was carried out without a reply")
            if not reply.error.retryable:
                return reply
            if reply.told is not None:
                reply.error.retry_after = min(reply.told, longest)
                if reply.told > longest:
                    return reply
            wait = backoff(attempt) if reply.told is None else reply.told
            if reply.error.code == "rate_limited":
                # spread by up to 5 %, so that waiting callers do not come back as one
                self._gate.hold(wait * random.uniform(1.0, 1.05), clock=self._clock)  # noqa: S311
            if attempt == self._limits.attempts:
                return reply
            log.info(
                "attempt %d of %d for %s failed (%s), the next one in %.1f s",
                attempt,
                self._limits.attempts,
                self.model,
                reply.error.code,
                wait,
            )
            if reply.error.code != "rate_limited":
                yield Wait(wait)
            attempt += 1

    def _pass_gate(self) -> Generator[Wait, None, None]:
        """Wait while the service has asked anyone in this process to wait."""
        waited = 0.0
        while (rest := self._gate.remaining(clock=self._clock)) > 0:
            if waited > self._limits.longest_wait:
                raise ProviderError(
                    f"the embedding service for {self.model} keeps asking us to slow down",
                    code="rate_limited",
                    retryable=True,
                    retry_after=min(rest, self._limits.longest_wait),
                )
            yield Wait(rest)
            waited += rest

    def _read(self, body: bytes, batch: list[Part]) -> Vectors:
        try:
            answer = json.loads(body)
            entries = [(entry["index"], entry["embedding"]) for entry in answer["data"]]
            billed = (answer.get("usage") or {}).get("total_tokens")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            problem = type(error).__name__
        else:
            # also when the vectors are no good: they were billed
            note(
                billed,
                texts=[part.item for part in batch],
                estimates=[part.tokens for part in batch],
            )
            try:
                return place(entries, count=len(batch), model=self.model, width=self.width)
            except ProviderError as error:
                if error.item is not None:
                    error.item = batch[error.item].item
                raise
        raise ProviderError(
            f"the embedding service for {self.model} answered with something that is not a list "
            "of embeddings; check the base address",
            code="service_failed",
            detail=problem,
        )
