"""A small web on loopback that plays what real sites do, and remembers who asked for what, when.

All hosts share one server on 127.0.0.1 and are told apart by their names; the web's resolver knows
these names and no others, and its fetcher takes loopback for the internet. Nothing leaves the
machine. Use:

    with web() as net:
        town = net.host("www.town.gov.uk")
        town.robots = text("User-agent: *\\nCrawl-delay: 0.2")
        town.pages["/"] = html("Welcome", "Some words.", links=["/send", ("/p.pdf", "Our policy")])
        town.pages["/send"] = validated("<p>Words</p>", etag='W/"1"')
        town.under["/calendar"] = calendar()           # every path that starts so
        crawl(net.fetcher(), town.url("/"))            # net.resolver, net.policy, net.settings
        assert town.count("/send") == 1
        assert min(town.gaps()) >= 0.2

`pages` are answers by path and query, `under` by the start of a path, `missing` what is given for
everything else (404), `robots` what /robots.txt gives (404). Answers are those of `site_answers`
and of `tests.ingest.fetch.sites` (`page`, `moved`, `raw`), and may be changed while the site runs;
`down()` and `up()` take a host away and bring it back.

A large site: `town.grow(500)` makes 500 pages with validators, each with its own words, reached
from "/" in two steps; `change(n, ...)` rewrites some and `remove(n, ...)` takes some away.

What was seen: `seen` holds every request with its time, `paths`, `count(path)`, `gaps()` seconds
between arrivals, `most_at_once`, and `forget()` starts anew.
"""

import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from itertools import pairwise

from ingest.fetch import Fetcher, FetchSettings
from ingest.fetch.addresses import Address
from tests.ingest.crawl.site_answers import changing, html_text, missing, status, validated, words
from tests.ingest.fetch.sites import BRISK, Answer, far_away, tourist

_LONG_AGO = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that arrived; `at` is on the monotonic clock."""

    at: float
    method: str
    path: str
    headers: Mapping[str, str]


@dataclass(slots=True)
class Host:
    """One site of the web; see the module."""

    name: str
    port: int
    pages: dict[str, Answer] = field(default_factory=dict)
    under: dict[str, Answer] = field(default_factory=dict)
    robots: Answer | None = None
    missing: Answer = field(default_factory=lambda: missing())
    seen: list[Seen] = field(default_factory=list)
    most_at_once: int = 0
    _down: Answer | None = None
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str = "/") -> str:
        """The address of a page."""
        return f"http://{self.name}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order, robots.txt left out."""
        return [seen.path for seen in list(self.seen) if seen.path != "/robots.txt"]

    def count(self, path: str) -> int:
        """How many times a path was asked for."""
        return sum(1 for seen in list(self.seen) if seen.path == path)

    def gaps(self) -> list[float]:
        """Seconds between one arrival and the next, robots.txt included."""
        return [later.at - sooner.at for sooner, later in pairwise(list(self.seen))]

    def forget(self) -> None:
        """Start counting anew."""
        with self._lock:
            self.seen.clear()
            self.most_at_once = 0

    def down(self, answer: Answer | None = None) -> None:
        """Answer everything with this, 503 by default."""
        self._down = answer or status(503)

    def up(self) -> None:
        """Answer as before."""
        self._down = None

    def grow(self, count: int, *, validators: bool = True) -> "Grown":
        """Make `count` pages, the root included, each with its own words."""
        return Grown(self, count, validators=validators)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Note a request and answer it."""
        with self._lock:
            # clients spell names as they like
            headers = {name.title(): value for name, value in request.headers.items()}
            self.seen.append(Seen(time.monotonic(), request.command, request.path, headers))
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            self._answer_to(request.path)(request)
        finally:
            with self._lock:
                self._now -= 1

    def _answer_to(self, path: str) -> Answer:
        if self._down is not None:
            return self._down
        if path == "/robots.txt":
            return self.robots or missing()
        if path in self.pages:
            return self.pages[path]
        for start, answer in self.under.items():
            if path.startswith(start):
                return answer
        return self.missing


class Grown:
    """A large site: "/" links to parts, the parts to their pages.

    Pages are numbered from 0, the root; `path(n)` is where one is. A page has an ETag and a
    Last-Modified of its version, unless made without, and a token that changes with each answer.
    """

    def __init__(self, host: Host, count: int, *, validators: bool) -> None:
        self._host = host
        self._count = count
        self._validators = validators
        self._version = dict.fromkeys(range(count), 1)
        # a part for each twenty-four pages or so
        self._parts = min(max(1, (count - 1) // 25), max(0, count - 1))
        for number in range(count):
            self._write(number)

    def path(self, number: int) -> str:
        """Where a page is."""
        if number == 0:
            return "/"
        return f"/part/{number}" if number <= self._parts else f"/page/{number}"

    def change(self, *numbers: int) -> None:
        """Rewrite these pages."""
        for number in numbers:
            self._version[number] += 1
            self._write(number)

    def remove(self, *numbers: int, status_code: int = 404) -> None:
        """Take these pages away; links to them stay."""
        for number in numbers:
            self._host.pages[self.path(number)] = status(status_code)

    def _write(self, number: int) -> None:
        version = self._version[number]
        linked = self._linked(number)
        body = html_text(
            f"Page {number} of {self._host.name}",
            words(f"{self._host.name} {number} {version}"),
            links=[(self.path(other), f"Page {other}") for other in linked],
        )
        self._host.pages[self.path(number)] = (
            validated(
                body,
                etag=f'"{number}-{version}"',
                last_modified=formatdate(_LONG_AGO + 3600 * version, usegmt=True),
            )
            if self._validators
            else changing(body)
        )

    def _linked(self, number: int) -> Sequence[int]:
        if number == 0:
            return range(1, self._parts + 1)
        if number <= self._parts:
            return range(self._parts + number, self._count, self._parts)
        return [0]


@dataclass(slots=True)
class Web:
    """Hosts, and a fetcher for which they are the internet."""

    port: int = 0
    hosts: dict[str, Host] = field(default_factory=dict)
    # answers that never end look at this
    ended: threading.Event = field(default_factory=threading.Event)
    settings: FetchSettings = BRISK

    def host(self, name: str) -> Host:
        """The host of this name, made when it is new."""
        return self.hosts.setdefault(name, Host(name, self.port))

    def resolver(self, host: str, port: int) -> Sequence[str]:
        """Names of this web to loopback; numbers to themselves; nothing else is known."""
        try:
            return [str(ip_address(host))]
        except ValueError:
            if host not in self.hosts:
                raise socket.gaierror(socket.EAI_NONAME, "not known") from None
            return ["127.0.0.1"]

    def policy(self, address: Address) -> bool:
        """Loopback is the internet, everything else is inside."""
        return far_away(address)

    def fetcher(self, settings: FetchSettings | None = None) -> Fetcher:
        """A fetcher of this web."""
        return tourist(settings or self.settings, self.resolver)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def _any(self) -> None:
        name = self.headers.get("Host", "").rsplit(":", 1)[0]
        host = self.server.site.hosts.get(name)
        if self.command != "GET":
            self.close_connection = True
        if host is None:
            missing()(self)
            return
        try:
            host.answer(self)
        except OSError:
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PATCH = _any

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests read `seen`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100
    site: Web

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients that leave early are what is tested."""


@contextmanager
def web() -> Iterator[Web]:
    """A web without hosts, served while the block runs."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        net = server.site = Web(port=server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield net
        finally:
            net.ended.set()
            server.shutdown()
            thread.join()
