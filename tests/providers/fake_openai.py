"""A real HTTP server on loopback that speaks the embeddings part of OpenAI's and Azure's protocol.

    with fake_openai(max_items=16) as server:
        ...  # server.url is the base URL, server.calls what was asked

Vectors are of length one and depend on the text alone; the answer's order is shuffled and its
indexes are right. ``server.faults`` may be replaced between calls.
"""

import asyncio
import hashlib
import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

import numpy as np
import uvicorn
from litestar import Litestar, Request, Response, post

Answer = Response[bytes]


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong. Counted faults name the calls they hit, the first being 1."""

    width: int | None = None  # ignore the asked width and answer with this one
    length: float = 1.0  # of each vector
    nan: bool = False
    zero: bool = False
    duplicate_index: bool = False
    missing_item: bool = False
    index_beyond: bool = False
    not_json: bool = False  # a web page with status 200
    usage: Any = "right"  # what is said to be used up; None: nothing is said
    echo_key: bool = False  # refuse with 401 and say the key aloud
    echo_input: bool = False  # refuse with 400 and repeat the text
    bad_item: str | None = None  # refuse with 400 any request with this in a text
    bad_param: str | None = None  # refuse every request with 400 because of this parameter
    max_items: int | None = None
    max_characters: int | None = None  # of one request
    quota: bool = False  # 429 of the kind that waiting does not cure
    rate_limit_calls: frozenset[int] = frozenset()
    retry_after: str | None = None  # seconds, or "date:SECONDS" for an HTTP date that far ahead
    retry_after_ms: str | None = None
    fail_calls: frozenset[int] = frozenset()
    fail_status: int = 500
    delay: float = 0.0  # seconds before each answer


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came in."""

    path: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]
    texts: list[str]


@dataclass(slots=True)
class FakeServer:
    """The running server: where it is, what goes wrong, what it was asked."""

    port: int
    faults: Faults
    calls: list[Call] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The base URL for an OpenAI client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def azure_endpoint(self) -> str:
        """The endpoint for an Azure client."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def texts(self) -> list[str]:
        """Every text that was sent, in order."""
        return [text for call in self.calls for text in call.texts]


def fake_vector(text: str, width: int) -> list[float]:
    """The vector of length one that the server answers for a text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    drawn = np.random.default_rng(seed).standard_normal(width)
    vector: list[float] = (drawn / np.linalg.norm(drawn)).tolist()
    return vector


def tokens_in(text: str) -> int:
    """The tokens that the server bills for a text: its words."""
    return len(text.split())


@contextmanager
def fake_openai(**faults: Any) -> Iterator[FakeServer]:
    """Run the server on a free port in a thread; ``faults`` are the fields of Faults."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        server = FakeServer(bound.getsockname()[1], Faults(**faults))
        config = uvicorn.Config(
            _app(server), log_config=None, access_log=False, lifespan="off", ws="none"
        )
        runner = _QuickServer(config)
        thread = threading.Thread(target=runner.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 10
        while not runner.started:
            assert time.monotonic() < deadline, "the fake server did not start"
            time.sleep(0.005)
        try:
            yield server
        finally:
            runner.should_exit = True
            # a client that keeps its connection open would hold the shutdown up
            runner.force_exit = True
            thread.join(10)


class _QuickServer(uvicorn.Server):
    """Looks every hundredth of a second whether to end, not every tenth."""

    async def main_loop(self) -> None:
        while not self.should_exit:
            await asyncio.sleep(0.01)


def _app(server: FakeServer) -> Litestar:
    @post(["/v1/embeddings", "/openai/deployments/{deployment:str}/embeddings"], status_code=200)
    async def embeddings(request: Request[Any, Any, Any]) -> Answer:
        body = json.loads(await request.body())
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        query = request.scope["query_string"].decode()
        headers = dict(request.headers)
        server.calls.append(Call(request.scope["path"], query, headers, body, texts))
        faults, number = server.faults, len(server.calls)
        await asyncio.sleep(faults.delay)
        return _refusal(faults, number, texts, headers) or _answer(faults, body, texts)

    return Litestar([embeddings], logging_config=None, openapi_config=None)


def _error(
    status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any
) -> Answer:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    content = json.dumps({"error": error | more}).encode()
    return Response(content, status_code=status, headers=headers, media_type="application/json")


def _refusal(
    faults: Faults, number: int, texts: list[str], headers: dict[str, str]
) -> Answer | None:
    if faults.echo_key:
        key = headers.get("authorization", headers.get("api-key", ""))
        return _error(401, f"Incorrect API key provided: {key}", code="invalid_api_key")
    if faults.quota:
        return _error(429, "You exceeded your current quota", code="insufficient_quota")
    if number in faults.rate_limit_calls:
        return _error(429, "Slow down", code="rate_limit_exceeded", headers=_waits(faults))
    if number in faults.fail_calls:
        return _error(faults.fail_status, "Something broke", headers=_waits(faults))
    if faults.bad_param is not None:
        return _error(400, "This parameter is wrong", param=faults.bad_param)
    if faults.max_items is not None and len(texts) > faults.max_items:
        return _error(400, f"Too many inputs. The max number of inputs is {faults.max_items}.")
    if faults.max_characters is not None and sum(map(len, texts)) > faults.max_characters:
        return _error(400, "Requested too many tokens in one request")
    if any(not text.strip() for text in texts):
        return _error(400, "'$.input' is invalid", param="input")
    if faults.echo_input:
        return _error(400, f"I dislike the words: {texts[0]}")
    if faults.bad_item is not None and any(faults.bad_item in text for text in texts):
        return _error(400, "One of the inputs is not acceptable", param="input")
    return None


def _waits(faults: Faults) -> dict[str, str]:
    told: dict[str, str] = {}
    if faults.retry_after is not None:
        ahead = faults.retry_after.removeprefix("date:")
        is_date = ahead != faults.retry_after
        told["retry-after"] = (
            formatdate(time.time() + float(ahead), usegmt=True) if is_date else ahead
        )
    if faults.retry_after_ms is not None:
        told["retry-after-ms"] = faults.retry_after_ms
    return told


def _answer(faults: Faults, body: dict[str, Any], texts: list[str]) -> Answer:
    if faults.not_json:
        return Response(b"<html>Welcome</html>", media_type="text/html")
    width = faults.width or body.get("dimensions") or 1536
    data = [
        {"object": "embedding", "index": at, "embedding": _vector(faults, text, width)}
        for at, text in enumerate(texts)
    ]
    if faults.duplicate_index:
        data[-1]["index"] = 0
    if faults.index_beyond:
        data[-1]["index"] = len(texts)
    if faults.missing_item:
        data.pop()
    random.Random(len(texts)).shuffle(data)  # noqa: S311
    answer = {"object": "list", "model": body["model"], "data": data}
    if faults.usage is not None:
        total = sum(map(tokens_in, texts)) if faults.usage == "right" else faults.usage
        answer["usage"] = {"prompt_tokens": total, "total_tokens": total}
    # json writes a NaN as NaN, as some servers do
    return Response(json.dumps(answer).encode(), media_type="application/json")


def _vector(faults: Faults, text: str, width: int) -> list[float]:
    if faults.zero:
        return [0.0] * width
    vector = [faults.length * value for value in fake_vector(text, width)]
    if faults.nan:
        vector[0] = float("nan")
    return vector
