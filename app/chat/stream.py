"""An answer over HTTP while it comes about, ended at once when whoever asked has left."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import Receive, Scope, Send

from app.chat.events import NAMES, Event, Tell
from app.errors import AnyRequest, Problem, problem_of

EVENT_STREAM = "text/event-stream"
# a line now and then keeps proxies from closing a connection on which nothing happens
_HEARTBEAT_SECONDS = 10.0
# line ends to some clients, though not to the protocol, and letters to JSON
_LINE_ENDS = tuple(char.encode() for char in "\u0085\u2028\u2029")
_HEARTBEAT = b": waiting\n\n"
# events that may wait for a slow reader before the model has to wait, too
_MOST_WAITING = 64

Result = TypeVar("Result")


def encode(event: Event | Problem) -> bytes:
    """One server-sent event in two lines: JSON has no line ends in it."""
    name = "error" if isinstance(event, Problem) else NAMES[type(event)]
    data = msgspec.json.encode(event)
    for char in _LINE_ENDS:
        data = data.replace(char, b"\\u%04x" % ord(char.decode()))
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


async def events(
    request: AnyRequest, work: Callable[[Tell], Awaitable[object]]
) -> AsyncGenerator[bytes, None]:
    """The events that `work` tells. Closing this cancels the work."""
    queue: asyncio.Queue[Event | Problem | None] = asyncio.Queue(_MOST_WAITING)

    async def through() -> None:
        try:
            await work(queue.put)
        except Exception as error:
            # the status is sent already, so the last event says what went wrong
            await queue.put(problem_of(request, error))
        await queue.put(None)

    working = asyncio.create_task(through())
    waiting: asyncio.Task[Event | Problem | None] | None = None
    try:
        while True:
            waiting = waiting or asyncio.create_task(queue.get())
            done, _ = await asyncio.wait({waiting}, timeout=_HEARTBEAT_SECONDS)
            if not done:
                yield _HEARTBEAT
                continue
            event, waiting = waiting.result(), None
            if event is None:
                return
            yield encode(event)
    finally:
        for task in (working, waiting):
            if task is not None:
                task.cancel()
        with suppress(asyncio.CancelledError):
            await working


class BegunStream:
    """A stream whose first event is there already, so that what it streams from has begun."""

    def __init__(self, first: bytes, rest: AsyncGenerator[bytes, None]) -> None:
        self._first: bytes | None = first
        self._rest = rest

    def __aiter__(self) -> "BegunStream":
        """Itself: there is one stream."""
        return self

    async def __anext__(self) -> bytes:
        """The next event."""
        if self._first is None:
            return await anext(self._rest)
        first, self._first = self._first, None
        return first

    async def aclose(self) -> None:
        """End the work, whether or not anything of it was read."""
        await self._rest.aclose()


async def begun_events(
    request: AnyRequest, work: Callable[[Tell], Awaitable[object]]
) -> BegunStream:
    """`events`, begun. A generator that is closed before its first event runs nothing at all, so
    that work which somebody left at once could not note how it ended.
    """
    stream = events(request, work)
    return BegunStream(await anext(stream), stream)


async def unless_they_leave(request: AnyRequest, work: Awaitable[Result]) -> Result:
    """What the work comes to; it is cancelled when the client closes the connection before."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            # nobody reads this
            raise HTTPException(status_code=499, detail="the client closed the connection")
        return await working
    finally:
        leaving.cancel()
        working.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnected(request: AnyRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class EventStream(Response[Any]):
    """A response of server-sent events whose stream is closed whatever happens.

    The framework stops listening to a stream when the client leaves, but leaves it open.
    """

    def __init__(self, stream: BegunStream) -> None:
        # nobody between may keep an answer, or hold it back until it is whole
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(content=None, media_type=EVENT_STREAM, headers=headers)
        self._stream = stream

    def to_asgi_response(
        self,
        app: Litestar | None,
        request: Request[Any, Any, Any],
        **given: Any,  # noqa: ANN401
    ) -> ASGIResponse:
        """The response that streams."""
        return _ClosingResponse(
            self._stream,
            status_code=200,
            media_type=EVENT_STREAM,
            headers={**(given.get("headers") or {}), **self.headers},
            encoded_headers=given.get("encoded_headers"),
        )


class _ClosingResponse(ASGIStreamingResponse):
    """Streams, and closes what it streamed from."""

    def __init__(self, stream: BegunStream, **given: Any) -> None:  # noqa: ANN401
        super().__init__(iterator=stream, **given)
        self._begun = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events as they come."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._begun.aclose()
