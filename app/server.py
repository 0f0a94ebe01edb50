"""The HTTP server the app runs in: how it stops, and how long it waits for a request."""

import asyncio

import uvicorn
from litestar import Litestar
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.settings import Settings

# from a connection, or the first byte of a further request on it, to the end of the headers
_HEADER_SECONDS = 10.0


class PatientProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, to clients that send their headers in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def on_message_begin(self) -> None:
        """Start to wait for the rest of the headers."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """The headers are there; how long a body may take is the app's to say."""
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody to wait for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._waiting = self.loop.call_later(_HEADER_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def server_of(app: Litestar, settings: Settings) -> uvicorn.Server:
    """A server for the app. When it is asked to stop it takes no new connection, lets requests
    end for `shutdown_seconds`, and closes the pool.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=PatientProtocol,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            # whose word about the caller's address counts is for the app to say
            proxy_headers=False,
            timeout_graceful_shutdown=int(settings.shutdown_seconds),
        )
    )
