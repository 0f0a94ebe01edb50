"""Web sites on loopback addresses, and a fetcher that believes they are far away.

Each site plays a host of its own on 127.0.0.x; the resolver is the test's. What is wrong with
real sites is written as raw answers, because no server would send it.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from ingest.fetch import Fetcher, FetchSettings
from ingest.fetch.addresses import Address

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(slots=True)
class Site:
    """A running site: its pages by path, and who asked for what."""

    address: str
    port: int = 0
    pages: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/", *, host: str | None = None, scheme: str = "http") -> str:
        """The address of a page, under a host name or the number."""
        return f"{scheme}://{host or self.address}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [path for path, _ in self.asked]


def page(
    body: bytes = b"<p>hello</p>", *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Answer:
    """An ordinary answer."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def moved(to: str, status: int = 302) -> Answer:
    """A redirect."""
    return page(b"", status=status, headers={"Location": to})


def raw(*pieces: bytes, pause: float = 0, forever: bool = False) -> Answer:
    """Bytes as they are, with pauses between them; the last again and again when `forever`."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        site: Site = request.server.site  # type: ignore[attr-defined]
        request.close_connection = True
        try:
            for piece in pieces:
                request.wfile.write(piece)
                site.ended.wait(pause)
            while forever and not site.ended.wait(pause):
                request.wfile.write(pieces[-1])
        except OSError:
            return

    return answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site: Site = self.server.site  # type: ignore[attr-defined]
        site.asked.append((self.path, dict(self.headers.items())))
        site.pages.get(self.path, page(b"nothing here", status=404))(self)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests read `asked`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients that leave early are what is tested."""


@contextmanager
def site(
    address: str = "127.0.0.1",
    pages: Mapping[str, Answer] | None = None,
    *,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Site]:
    """A site with these pages while the block runs."""
    here = Site(address, pages=dict(pages or {}))
    with _Server((address, 0), _Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.site = here
        here.port = server.server_address[1]
        # a short poll, so that ending a site costs a test nothing
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield here
        finally:
            here.ended.set()
            server.shutdown()
            thread.join()


def names(**hosts: str | Sequence[str]) -> Callable[[str, int], Sequence[str]]:
    """A resolver that knows these hosts (`_` for a dot), numbers, and no others."""
    known = {
        host.replace("_", "."): [found] if isinstance(found, str) else found
        for host, found in hosts.items()
    }

    def resolver(host: str, port: int) -> Sequence[str]:
        try:
            return [str(ip_address(host))]
        except ValueError:
            if host not in known:
                raise socket.gaierror(socket.EAI_NONAME, "not known") from None
            return known[host]

    return resolver


def far_away(address: Address) -> bool:
    """A policy for tests: 127.0.0.x is the internet, everything else is inside."""
    return str(address).startswith("127.0.0.")


# any port; patient, as the machine may be busy: tests of patience set their own
BRISK = FetchSettings(
    ports=None, max_bytes=2_000_000, wall_seconds=20, quiet_seconds=10, connect_seconds=10
)


@cache
def _usual_trust() -> ssl.SSLContext:
    """Made once: it reads every certificate of the system."""
    return ssl.create_default_context()


def tourist(
    settings: FetchSettings = BRISK,
    resolver: Callable[[str, int], Sequence[str]] | None = None,
    *,
    ssl_context: ssl.SSLContext | None = None,
) -> Fetcher:
    """A fetcher for which loopback is the internet."""
    return Fetcher(settings, resolver=resolver or names(), policy=far_away, ssl_context=ssl_context)
