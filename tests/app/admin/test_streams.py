"""Bodies over a real connection: too large, half sent, very large; memory stays flat."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from app.access.user import Role
from app.asgi import create_app
from app.settings import from_environ
from tests.app.admin.office import BASE
from tests.app.people import sign_in
from tests.app.running import running

MEGABYTE = 1024 * 1024
_PIECE = bytes(MEGABYTE)


@dataclass(frozen=True, slots=True)
class Counter:
    """Where bodies are handed in: a server, a curator's token, the spool and the database."""

    port: int
    token: str
    spool: Path
    url: str

    def connect(self) -> socket.socket:
        """A connection to it."""
        return socket.create_connection(("127.0.0.1", self.port))

    def spooled(self) -> list[Path]:
        """The files that lie in the spool."""
        return list(self.spool.iterdir()) if self.spool.is_dir() else []

    def uploads(self) -> list[int]:
        """How many bytes each upload has that the database knows."""
        with psycopg.connect(self.url) as db:
            return [size for (size,) in db.execute("select byte_count from intake.upload")]


@pytest.fixture
def counter(db_url: str, tmp_path: Path) -> Iterator[Counter]:
    """The real server over an empty database."""
    spool = tmp_path / "uploads"
    settings = from_environ({"PGKB_UPLOAD_DIR": str(spool)}, database_url=db_url)
    app = create_app(settings)
    token = sign_in(app, Role.CURATOR).headers["Authorization"]
    with running(app, settings) as server:
        yield Counter(server.port, token, spool, db_url)


def _head(counter: Counter, *, path: str, length: int | None) -> bytes:
    """The head of a request with a form, its file's head included."""
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    lines = [
        f"POST {BASE}/{path} HTTP/1.1",
        "Host: testserver.local",
        f"Authorization: {counter.token}",
        "Content-Type: multipart/form-data; boundary=x",
        "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}",
    ]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    return head + (_chunk(form) if length is None else form)


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _answer(connection: socket.socket) -> tuple[int, dict[str, object]]:
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status, json.loads(answer.read() or b"{}")


def test_a_body_that_grows_too_large_is_cut_off_while_it_comes(counter: Counter) -> None:
    """A-05: sixty megabytes without a length, refused after fifty, with no file left."""
    with counter.connect() as connection:
        connection.sendall(_head(counter, path="upload", length=None))
        sent = 0
        try:
            for _ in range(60):
                connection.sendall(_chunk(_PIECE))
                sent += 1
        except OSError:
            # the server has hung up, as it should
            pass
    assert 50 <= sent <= 60
    # whoever announces it is told at once
    with counter.connect() as connection:
        connection.sendall(_head(counter, path="upload", length=60 * MEGABYTE))
        status, problem = _answer(connection)
    assert (status, problem["code"]) == (413, "too_large")
    assert counter.spooled() == []
    assert counter.uploads() == []


def test_a_caller_that_leaves_half_way_leaves_no_file(counter: Counter) -> None:
    with counter.connect() as connection:
        connection.sendall(_head(counter, path="upload", length=20 * MEGABYTE))
        for _ in range(10):
            connection.sendall(_PIECE)
        _until(counter.spooled)
    _until(lambda: not counter.spooled())
    assert counter.uploads() == []


def test_an_archive_of_190_megabytes_goes_to_the_disk_and_not_to_memory(counter: Counter) -> None:
    """A-05: an honest one is taken."""
    process = psutil.Process()
    tail = b"\r\n--x--\r\n"
    form = len(_head(counter, path="upload-zip", length=0).split(b"\r\n\r\n", 1)[1])
    before = most = process.memory_info().rss
    with counter.connect() as connection:
        length = form + 190 * MEGABYTE + len(tail)
        connection.sendall(_head(counter, path="upload-zip", length=length))
        for _ in range(190):
            connection.sendall(_PIECE)
            most = max(most, process.memory_info().rss)
        connection.sendall(tail)
        status, body = _answer(connection)
    assert status == 202, body
    (spooled,) = counter.spooled()
    assert spooled.stat().st_size == 190 * MEGABYTE
    assert counter.uploads() == [190 * MEGABYTE]
    assert most - before < 40 * MEGABYTE


def _until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)
