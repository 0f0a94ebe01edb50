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
everything else (404), `robots` what /robots.txt gives (404). An answer is a function that writes to
the request; those of `tests.ingest.fetch.sites` (`page`, `moved`, `raw`) do as well. Answers may be
changed while the site runs, `down()` and `up()` take a host away and bring it back.

A large site: `town.grow(500)` makes 500 pages with validators, each with its own words, reached
from "/" in two steps; `change(n, ...)` rewrites some and `remove(n, ...)` takes some away.

What was seen: `seen` holds every request with its time, `paths`, `count(path)`, `gaps()` seconds
between arrivals, `most_at_once`, and `forget()` starts anew.
"""

import gzip
import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from itertools import pairwise

from ingest.fetch import Fetcher, FetchSettings
from ingest.fetch.addresses import Address
from tests.ingest.fetch.sites import BRISK, Answer, far_away, moved, page, raw, tourist

__all__ = [
    "Answer", "Grown", "Host", "Seen", "Web", "bomb", "calendar", "changing", "drip", "gone",
    "growing", "html", "in_turn", "login_wall", "missing", "moved", "packed", "page", "raw",
    "script_only", "sitemap", "sitemap_index", "slow", "soft_404", "status", "text",
    "validated", "web", "words", "wrong_length",
]  # fmt: skip

Link = str | tuple[str, str]
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_LONG_AGO = 1_700_000_000
_VOCABULARY = """
    advice assessment autumn carer child classroom college council decision document education
    evening family funding guidance health hearing inclusion journey letter meeting morning
    nursery officer panel parent phase plan provision pupil reading report review school season
    service session speech spring support teacher term therapy transport travel visit week
"""


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


# ---- pages ------------------------------------------------------------------------------------


def html_text(title: str, body: str, *, links: Sequence[Link] = (), head: str = "") -> str:
    """A page of paragraphs (one a line of `body`) and links."""
    paragraphs = "".join(f"<p>{escape(line)}</p>\n" for line in body.splitlines() if line)
    items = "".join(
        f'<li><a href="{escape(to)}">{escape(name)}</a></li>\n'
        for to, name in (link if isinstance(link, tuple) else (link, link) for link in links)
    )
    return (
        f'<!doctype html><html lang="en"><head><title>{escape(title)}</title>{head}</head><body>'
        f"<main><h1>{escape(title)}</h1>\n{paragraphs}</main><nav><ul>{items}</ul></nav>"
        "</body></html>"
    )


def html(
    title: str,
    body: str,
    *,
    links: Sequence[Link] = (),
    head: str = "",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An ordinary page."""
    markup = html_text(title, body, links=links, head=head)
    return page(markup.encode(), headers={**_HTML, **(headers or {})})


def words(seed: str, count: int = 120) -> str:
    """Sentences that no other seed gives."""
    chance = random.Random(seed)  # noqa: S311
    vocabulary = _VOCABULARY.split()
    sentences = []
    while count > 0:
        length = chance.randint(8, 14)
        sentence = " ".join(chance.choice(vocabulary) for _ in range(length))
        sentences.append(sentence.capitalize() + ".")
        count -= length
    half = len(sentences) // 2
    return " ".join(sentences[:half]) + "\n" + " ".join(sentences[half:])


def text(body: str | bytes, *, status_code: int = 200) -> Answer:
    """Plain text, a robots.txt for instance; bytes go out as they are."""
    data = body.encode() if isinstance(body, str) else body
    return page(data, status=status_code, headers={"Content-Type": "text/plain"})


def status(code: int, *, headers: Mapping[str, str] | None = None) -> Answer:
    """A refusal with a page of its own."""
    body = html_text(f"Error {code}", f"The server answered {code}.").encode()
    return page(body, status=code, headers={**_HTML, **(headers or {})})


def missing() -> Answer:
    """404."""
    return status(404)


def gone() -> Answer:
    """410: removed for good."""
    return status(410)


def soft_404() -> Answer:
    """Says that there is no such page, with 200 and the address in it."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        html(
            "Page not found",
            f"Sorry, we could not find {request.path} on our new site. It may have moved.\n"
            "Use the search above or go back to our home page to find what you need.",
            links=["/"],
        )(request)

    return answer


def login_wall() -> Answer:
    """A login form with 200 where a page was asked for."""
    form = (
        "<!doctype html><title>Sign in</title><main><h1>Sign in</h1><form method=post>"
        "<label>User <input name=u></label><label>Password <input type=password name=p></label>"
        "<button>Sign in</button></form></main>"
    )
    return page(form.encode(), headers=_HTML)


def script_only(body: str, *, source: str | None = None, method: str = "GET") -> Answer:
    """A page that only a script writes; with `source` it fetches its text from there first."""
    asked = f"fetch('{source}', {{method: '{method}'}}).then(r => r.text())"
    text_of = asked if source else "Promise.resolve('')"
    markup = (
        "<!doctype html><html><head><title>Loading</title>"
        + "".join(f'<meta name="build-{n}" content="{"x" * 20}">' for n in range(12))
        + '</head><body><div id="app"></div><script>'
        f"{text_of}.then(more => {{ document.title = 'Ready';"
        " const p = document.createElement('p');"
        f" p.textContent = {json.dumps(body)} + ' ' + more;"
        " document.getElementById('app').append(p); });"
        "</script></body></html>"
    )
    return page(markup.encode(), headers=_HTML)


def changing(markup: str) -> Answer:
    """The same text with another token, clock and nonce in each answer (C-09)."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        token = f"{random.getrandbits(128):032x}"
        noise = (
            f'<input type="hidden" name="token" value="{token}"><!-- {time.time_ns()} -->'
            f'<script nonce="{token}">window.t = "{token}"</script></body>'
        )
        page(markup.replace("</body>", noise).encode(), headers=_HTML)(request)

    return answer


def validated(
    markup: str,
    *,
    etag: str | None = None,
    last_modified: str | None = None,
    accepts: Callable[[str], bool] | None = None,
) -> Answer:
    """A page that answers 304 to its own validators, sent back byte for byte.

    `accepts` decides on the If-None-Match instead, for servers that compare in ways of their own.
    """
    offered = {"ETag": etag, "Last-Modified": last_modified}
    headers = {name: value for name, value in offered.items() if value is not None}

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("If-None-Match")
        if asked is not None:
            unchanged = accepts(asked) if accepts else asked == etag
        else:
            since = request.headers.get("If-Modified-Since")
            unchanged = since is not None and since == last_modified
        if unchanged:
            page(b"", status=304, headers=headers)(request)
        else:
            page(markup.encode(), headers={**_HTML, **headers})(request)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """The first answer, then the next, and the last from then on."""
    left = list(answers)
    lock = threading.Lock()

    def answer(request: BaseHTTPRequestHandler) -> None:
        with lock:
            now = left.pop(0) if len(left) > 1 else left[0]
        now(request)

    return answer


# ---- trouble ----------------------------------------------------------------------------------


def slow(answer: Answer, seconds: float) -> Answer:
    """An answer that comes late."""

    def late(request: BaseHTTPRequestHandler) -> None:
        net: Web = request.server.site  # type: ignore[attr-defined]
        net.ended.wait(seconds)
        answer(request)

    return late


def drip(*, pause: float = 0.05) -> Answer:
    """A page that never ends, a few bytes at a time."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    return raw(head, b"and so on ", pause=pause, forever=True)


def bomb(megabytes: int = 50) -> Answer:
    """A small packed body that unpacks to a large one (C-12)."""
    return packed(b"<p>" + b" " * (megabytes * 1024 * 1024), content_type="text/html")


def wrong_length(*, promised: int = 5000) -> Answer:
    """A body shorter than its header says."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {promised}\r\n\r\n"
    return raw(head.encode(), b"<p>only this</p>")


def packed(body: bytes, *, header: bool = True, content_type: str = "application/xml") -> Answer:
    """A body in gzip, with the header that says so or, as a file, without."""
    headers = {"Content-Type": content_type if header else "application/gzip"}
    if header:
        headers["Content-Encoding"] = "gzip"
    return page(gzip.compress(body, 9), headers=headers)


# ---- endless spaces (C-07) --------------------------------------------------------------------


def calendar(path: str = "/calendar") -> Answer:
    """Months with no end: each links to the next and the one before, by query."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        _, _, asked = request.path.partition("month=")
        month = int(asked) if asked.lstrip("-").isdigit() else 0
        html(
            f"Events of month {month}",
            f"There are no events in month {month}.",
            links=[f"{path}?month={month + 1}", f"{path}?month={month - 1}"],
        )(request)

    return answer


def growing(step: str = "more") -> Answer:
    """Every path under it is a page that links one level deeper, by a relative link."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        html("Almost there", "This page was not here.", links=[f"{step}/", f"{step}/index.html"])(
            request
        )

    return answer


# ---- sitemaps (C-13) --------------------------------------------------------------------------


def sitemap_text(urls: Sequence[str], *, lastmod: str | None = None) -> bytes:
    """The XML of a sitemap."""
    stamp = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    rows = "".join(f"<url><loc>{escape(url)}</loc>{stamp}</url>\n" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    ).encode()


def sitemap(urls: Sequence[str], *, lastmod: str | None = None) -> Answer:
    """A sitemap."""
    return page(sitemap_text(urls, lastmod=lastmod), headers={"Content-Type": "application/xml"})


def sitemap_index(urls: Sequence[str]) -> Answer:
    """A sitemap of sitemaps."""
    rows = "".join(f"<sitemap><loc>{escape(url)}</loc></sitemap>\n" for url in urls)
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}'
        "</sitemapindex>\n"
    )
    return page(body.encode(), headers={"Content-Type": "application/xml"})
