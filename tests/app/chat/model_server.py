"""A real HTTP server on loopback that speaks the chat part of OpenAI's protocol, as told.

    with model_server(Script("Ask the school [1].")) as server:
        ...  # server.url is the base URL, server.asked what it was asked, server.open who listens

It notices who leaves: `left` counts streams that the client closed before their end.
"""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn


@dataclass(frozen=True, slots=True)
class Script:
    """What is said, and what goes wrong. A delta that is no text is sent as it is."""

    deltas: str | Sequence[str | dict[str, Any]] = "Hello."
    wait: float = 0.0  # before each delta
    status: int = 200
    stall_after: int | None = None  # deltas, then silence for ever
    die_after: int | None = None  # deltas, then the connection breaks
    end_after: int | None = None  # deltas, then the stream ends politely, without a reason
    garble_after: int | None = None  # deltas, then an event that is no JSON
    finish: str | None = "stop"
    not_events: bool = False  # a web page with status 200
    error: str = "Something broke"

    def pieces(self) -> list[str | dict[str, Any]]:
        """The deltas; a text alone is cut into words."""
        if isinstance(self.deltas, str):
            words = self.deltas.split(" ")
            return [word + " " for word in words[:-1]] + words[-1:]
        return list(self.deltas)


@dataclass(slots=True)
class ModelServer:
    """The running server."""

    port: int
    scripts: list[Script]
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    left: int = 0

    @property
    def url(self) -> str:
        """The base URL for an OpenAI client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self) -> Script:
        """The script of the latest call; the last one is for all that follow."""
        return self.scripts[min(len(self.asked), len(self.scripts)) - 1]

    def prompt(self, call: int = -1) -> str:
        """Everything a call said to the model."""
        return "\n".join(message["content"] for message in self.asked[call]["messages"])


@contextmanager
def model_server(*scripts: Script) -> Iterator[ModelServer]:
    """Run the server on a free port in a thread."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        server = ModelServer(bound.getsockname()[1], list(scripts) or [Script()])
        with running(_Talker(server), bound):
            yield server


@contextmanager
def running(app: Any, bound: socket.socket, *, lifespan: str = "off") -> Iterator[None]:
    """An ASGI app under uvicorn in a thread, until the block ends."""
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan=lifespan, ws="none")  # type: ignore[arg-type]
    config.timeout_graceful_shutdown = 5
    runner = _QuickServer(config)
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not runner.started:
        assert thread.is_alive(), "the server ended at once"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.005)
    try:
        yield
    finally:
        runner.should_exit = True
        thread.join(15)


class _QuickServer(uvicorn.Server):
    """Looks every hundredth of a second whether to end, not every tenth."""

    async def main_loop(self) -> None:
        while not self.should_exit:
            await asyncio.sleep(0.01)


class _Talker:
    """The ASGI app: below any framework, so that it can break off as servers do."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        server = self._server
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        server.asked.append(json.loads(body))
        server.paths.append(scope["path"])
        server.headers.append({k.decode(): v.decode() for k, v in scope["headers"]})
        script = server.script()
        if script.status != 200 or script.not_events:
            await _answer(send, script)
            return
        server.open += 1
        server.most_open = max(server.most_open, server.open)
        talking = asyncio.ensure_future(_talk(send, script))
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait({talking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not talking.done():
                server.left += 1
                talking.cancel()
                return
            talking.result()
        finally:
            server.open -= 1
            leaving.cancel()


async def _answer(send: Any, script: Script) -> None:
    content = (
        b"<html>Welcome</html>"
        if script.not_events
        else json.dumps(
            {"error": {"message": script.error, "type": "t", "param": None, "code": None}}
        ).encode()
    )
    kind = b"text/html" if script.not_events else b"application/json"
    await _start(send, script.status, kind)
    await send({"type": "http.response.body", "body": content})


async def _start(send: Any, status: int, kind: bytes) -> None:
    await send(
        {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]}
    )


async def _talk(send: Any, script: Script) -> None:
    async def event(data: str) -> None:
        body = f"data: {data}\n\n".encode()
        await send({"type": "http.response.body", "body": body, "more_body": True})

    await _start(send, 200, b"text/event-stream")
    # as OpenAI does: the first event names the role, the last but one has no choice
    await event(_chunk({"role": "assistant", "content": ""}))
    for number, piece in enumerate(script.pieces()):
        if number == script.stall_after:
            await asyncio.sleep(3600)
        if number == script.die_after:
            raise ConnectionResetError
        if number == script.end_after:
            break
        if number == script.garble_after:
            await event('{"choices": [')
        await asyncio.sleep(script.wait)
        await event(_chunk({"content": piece} if isinstance(piece, str) else piece))
    else:
        await event(_chunk({}, finish=script.finish))
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        await event(json.dumps({"object": "chat.completion.chunk", "choices": [], "usage": usage}))
        await event("[DONE]")
    await send({"type": "http.response.body", "body": b""})


def _chunk(delta: dict[str, Any], *, finish: str | None = None) -> str:
    return json.dumps(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
    )
