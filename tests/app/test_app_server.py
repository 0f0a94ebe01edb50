"""The real server: clients that dawdle hold nothing, and stopping loses no answer."""

import asyncio
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import httpx
import pytest

from app.asgi import create_app
from app.embedders import Embedders
from app.settings import from_environ
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.app.library import KENT, OPEN
from tests.app.running import Running, running

ASK = {"question": "excluded from a Kent school", "la": KENT}


class Waiting:
    """The offline model, which answers when the test lets it."""

    def __init__(self, real: Embedder, let_go: threading.Event) -> None:
        self.real, self.let_go = real, let_go
        self.name, self.model, self.width = real.name, real.model, real.width

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.let_go.wait(30)
        return self.real.embed(texts)

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        return await self.real.aembed(texts)

    def close(self) -> None:
        self.real.close()

    async def aclose(self) -> None:
        await self.real.aclose()


def _slow(let_go: threading.Event) -> Embedders:
    def build(provider: str, model: str, width: int, environ: Mapping[str, str]) -> Waiting:
        return Waiting(embedder_for(provider, model, width, environ), let_go)

    return Embedders(timeout=30, build=build)


async def _under_way(app_url: str, number: int) -> None:
    """Wait until the app works on that many requests."""
    async with httpx.AsyncClient(base_url=app_url) as client:
        for _ in range(400):
            text = (await client.get("/metrics")).text
            (line,) = [li for li in text.splitlines() if li.startswith("pgkb_http_requests_in_p")]
            # the look itself is one of them
            if float(line.split()[-1]) > number:
                return
            await asyncio.sleep(0.05)
    raise AssertionError("the requests did not get under way")


async def test_two_hundred_slow_requests_leave_the_service_alive_and_its_pool_free(
    library_url: str,
) -> None:
    let_go = threading.Event()
    settings = replace(
        from_environ(OPEN, database_url=library_url), pool_size=4, shutdown_seconds=1
    )
    app = create_app(settings, embedders=_slow(let_go))
    limits = httpx.Limits(max_connections=300)
    with running(app, settings) as server:
        async with httpx.AsyncClient(base_url=server.url, limits=limits, timeout=60) as client:
            asked = [
                asyncio.create_task(
                    client.post("/api/search", json=ASK | {"question": f"excluded child {n}?"})
                )
                for n in range(200)
            ]
            await _under_way(server.url, 200)
            took = []
            for _ in range(11):
                began = time.perf_counter()
                assert (await client.get("/health/live")).status_code == 200
                took.append(time.perf_counter() - began)
            pool = app.state.pool
            lent = -1
            for _ in range(200):
                # the last of them may still be on their way to the model
                if (lent := pool.get_size() - pool.get_idle_size()) == 0:
                    break
                await asyncio.sleep(0.05)
            ready = await client.get("/health/ready")
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        let_go.set()
    assert sorted(took)[5] < 0.1
    assert lent == 0
    assert ready.status_code == 200


async def test_stopping_lets_requests_end_and_takes_no_new_ones(library_url: str) -> None:
    let_go = threading.Event()
    settings = from_environ(OPEN, database_url=library_url)
    app = create_app(settings, embedders=_slow(let_go))
    with running(app, settings) as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
            asked = asyncio.create_task(client.post("/api/search", json=ASK))
            await _under_way(server.url, 1)
            server.stop()
            refused = False
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
                except OSError:
                    refused = True
                    break
                await asyncio.sleep(0.05)
            let_go.set()
            answer = await asked
    assert refused
    assert answer.status_code == 200
    assert app.state.pool.is_closing()


def _send(server: Running, *parts: bytes) -> bytes:
    """What the server answers to bytes that are sent and then no more."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        for part in parts:
            client.sendall(part)
        answer = b""
        while more := client.recv(65536):
            answer += more
        return answer


_HEAD = b"POST /api/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def test_half_a_body_is_given_up_with_408_and_half_a_head_is_closed(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.operations.observing._PATIENCE_SECONDS", 0.3)
    settings = from_environ(OPEN, database_url=library_url)
    with running(create_app(settings), settings) as server:
        half = _send(server, _HEAD + b'Content-Length: 100\r\n\r\n{"quest')
        chunked = _send(server, _HEAD + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"que\r\n')
        monkeypatch.setattr("app.server._HEADER_SECONDS", 0.3)
        head = _send(server, _HEAD)
        nothing = _send(server)
    for answer in (half, chunked):
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert b"application/problem+json" in answer
        assert b'"code":"too_slow"' in answer
    assert (head, nothing) == (b"", b"")


def test_a_body_that_keeps_its_pace_may_take_longer_than_the_patience(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.operations.observing._PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr("app.operations.observing._SLOWEST_BYTES_PER_SECOND", 100)
    settings = from_environ(OPEN, database_url=library_url)
    body = b'{"question": "who helps?"}' + b" " * 2000
    head = _HEAD + f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with (
        running(create_app(settings), settings) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as client,
    ):
        client.sendall(head)
        for start in range(0, len(body), 400):
            client.sendall(body[start : start + 400])
            time.sleep(0.12)
        answer = b""
        while more := client.recv(65536):
            answer += more
    assert answer.startswith(b"HTTP/1.1 200 "), answer
