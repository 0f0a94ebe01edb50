"""What the hosts of the small web answer: pages, trouble, spaces without end, sitemaps.

An answer is a function that writes to the request. See `site_server`, which gives them out.
"""

import gzip
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from html import escape
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from tests.ingest.fetch.sites import Answer, page, raw

if TYPE_CHECKING:
    from tests.ingest.crawl.site_server import Web

Link = str | tuple[str, str]
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_VOCABULARY = """
    advice assessment autumn carer child classroom college council decision document education
    evening family funding guidance health hearing inclusion journey letter meeting morning
    nursery officer panel parent phase plan provision pupil reading report review school season
    service session speech spring support teacher term therapy transport travel visit week
"""


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


def script_only(
    body: str, *, source: str | None = None, method: str = "GET", menu: Sequence[str] = ()
) -> Answer:
    """A page that only a script writes; with `source` it fetches its text from there first."""
    items = "".join(f'<li><a href="{escape(to)}">Go to {escape(to)}</a></li>' for to in menu)
    links = f"<nav><ul>{items}</ul></nav>" if menu else ""
    asked = f"fetch('{source}', {{method: '{method}'}}).then(r => r.text())"
    text_of = asked if source else "Promise.resolve('')"
    markup = (
        "<!doctype html><html><head><title>Loading</title>"
        + "".join(f'<meta name="build-{n}" content="{"x" * 20}">' for n in range(12))
        + f'</head><body>{links}<div id="app"></div><script>'
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
