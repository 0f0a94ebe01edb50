"""Bodies over a real connection: too large, half sent, very large; memory stays flat."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import uvicorn
from litestar import Litestar

from tests.app.admin.office import BASE, Office

MEGABYTE = 1024 * 1024
_PIECE = bytes(MEGABYTE)


@contextmanager
def _listening(app: Litestar) -> Iterator[int]:
    """A server of the app on a port of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    serving.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield int(listening.getsockname()[1])
    finally:
        server.should_exit = True
        serving.join()
        listening.close()


def _head(office: Office, *, path: str, length: int | None) -> bytes:
    """The head of a request with a form, its file's head included."""
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    lines = [
        f"POST {BASE}/{path} HTTP/1.1",
        "Host: testserver.local",
        f"Authorization: {office.curator.headers['Authorization']}",
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


async def test_a_body_that_grows_too_large_is_cut_off_while_it_comes(office: Office) -> None:
    """A-05: sixty megabytes without a length, refused after fifty, with no file left."""
    with _listening(office.app) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(_head(office, path="upload", length=None))
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
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(_head(office, path="upload", length=60 * MEGABYTE))
            status, problem = _answer(connection)
        assert (status, problem["code"]) == (413, "too_large")
    assert office.spooled() == []
    assert office.rows("select 1 from intake.upload") == []


async def test_a_caller_that_leaves_half_way_leaves_no_file(office: Office) -> None:
    with _listening(office.app) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(_head(office, path="upload", length=20 * MEGABYTE))
            for _ in range(10):
                connection.sendall(_PIECE)
            while not office.spooled():
                time.sleep(0.02)
        deadline = time.monotonic() + 30
        while office.spooled():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert office.rows("select 1 from intake.upload") == []


async def test_an_archive_of_190_megabytes_goes_to_the_disk_and_not_to_memory(
    office: Office,
) -> None:
    """A-05: an honest one is taken."""
    process = psutil.Process()
    tail = b"\r\n--x--\r\n"
    head_length = len(_head(office, path="upload-zip", length=0).split(b"\r\n\r\n", 1)[1])
    with _listening(office.app) as port:
        before = most = process.memory_info().rss
        with socket.create_connection(("127.0.0.1", port)) as connection:
            length = head_length + 190 * MEGABYTE + len(tail)
            connection.sendall(_head(office, path="upload-zip", length=length))
            for _ in range(190):
                connection.sendall(_PIECE)
                most = max(most, process.memory_info().rss)
            connection.sendall(tail)
            status, body = _answer(connection)
    assert status == 202, body
    (spooled,) = office.spooled()
    assert (office.spool / spooled).stat().st_size == 190 * MEGABYTE
    assert office.rows(
        "select byte_count, sha256 = sha256(%s) as same from intake.upload", b""
    ) == [{"byte_count": 190 * MEGABYTE, "same": False}]
    assert most - before < 40 * MEGABYTE
