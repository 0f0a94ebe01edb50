"""The app in its real HTTP server, on a port of its own, beside the test."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from litestar import Litestar

from app.server import server_of
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers: its address, and the thing to stop it with."""

    port: int
    server: uvicorn.Server
    thread: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Ask it to stop, as SIGTERM does; returns at once."""
        self.server.should_exit = True


@contextmanager
def running(app: Litestar, settings: Settings) -> Iterator[Running]:
    """Serve the app in a thread until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = server_of(app, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the server did not start")
        time.sleep(0.01)
    try:
        yield Running(listening.getsockname()[1], server, thread)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
    assert not thread.is_alive(), "the server did not stop"
