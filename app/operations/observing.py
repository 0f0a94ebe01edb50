"""The outermost layer: every request, refused ones too, is timed, counted, logged and bounded."""

import asyncio
import logging
import time
from contextlib import ExitStack

from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import (
    ASGIApp,
    Message,
    Receive,
    ReceiveMessage,
    Scope,
    Send,
)
from structlog.contextvars import bound_contextvars

from app.errors import detail_for_log, private_of, request_id_of
from app.operations import metrics, tracing

_log = logging.getLogger("pgkb.request")

# a body may take this long to begin, and from then on comes at this pace or is given up
_PATIENCE_SECONDS = 10.0
_SLOWEST_BYTES_PER_SECOND = 8 * 1024
_WENT_AWAY = 499
# asked every few seconds by machines: not worth a line each
_QUIET = frozenset({"/health/live", "/health/ready", "/metrics"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
    # answers are about somebody's child
    b"cache-control": b"no-store",
}


class SlowBodyError(HTTPException):
    """A body that does not arrive; its connection is closed."""

    status_code = 408


class Observing:
    """Wraps the application's ASGI handler."""

    def __init__(self, handler: ASGIApp) -> None:
        """`handler` answers; what it lets through as an exception ends here."""
        self._handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._handler(scope, receive, send)
            return
        began = time.perf_counter()
        answer = _Answer(send)
        metrics.request_began()
        with ExitStack() as during:
            during.enter_context(bound_contextvars(request_id=request_id_of(scope)))
            span = during.enter_context(tracing.request_span())
            try:
                await self._handler(scope, _Pace(receive), answer.send)
            except (Exception, asyncio.CancelledError) as error:
                # the answer has begun, or the server stops: it can only be cut off
                _log.error("answer cut off: %s", detail_for_log(error, private=private_of(scope)))
            finally:
                seconds = time.perf_counter() - began
                method = str(scope["method"]) if scope["method"] in _METHODS else "other"
                route = scope.get("path_template") or metrics.UNMATCHED
                status = answer.status or _WENT_AWAY
                metrics.request_ended(method=method, route=route, status=status, seconds=seconds)
                tracing.describe(span, method=method, route=route, status=status)
                _log.log(
                    logging.DEBUG if route in _QUIET else logging.INFO,
                    "answered",
                    extra={
                        "method": method,
                        "route": route,
                        "status": status,
                        "duration_ms": round(seconds * 1000, 1),
                    },
                )


class _Answer:
    """Adds the headers every answer has, and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name.lower() for name, _ in message["headers"]}
            more = [pair for pair in _HEADERS.items() if pair[0] not in given]
            message["headers"] = [*message["headers"], *more]
        await self._send(message)


class _Pace:
    """Receives a body as long as it keeps coming: one that drips holds nothing for long."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._waited = 0.0
        self._bytes = 0
        self._complete = False

    async def __call__(self) -> ReceiveMessage:
        if self._complete:
            # only a disconnect can follow, and that takes as long as the answer does
            return await self._receive()
        allowed = _PATIENCE_SECONDS + self._bytes / _SLOWEST_BYTES_PER_SECOND - self._waited
        began = time.perf_counter()
        try:
            async with asyncio.timeout(max(allowed, 0.0)):
                message = await self._receive()
        except TimeoutError:
            self._complete = True
            raise SlowBodyError(headers={"Connection": "close"}) from None
        self._waited += time.perf_counter() - began
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
        else:
            self._complete = True
        return message
