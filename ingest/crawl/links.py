"""What a page links to, what it calls itself, and what it asks of machines.

The page is read as a stream of tags: no tree is built, because a tree of markup that is nested two
hundred thousand deep takes minutes to search, and links need none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from lxml import etree

from ingest.crawl.robots import agent_token
from ingest.crawl.urls import normal_url
from ingest.parse.clean import clean_line
from ingest.parse.decode import decode
from ingest.parse.result import Refused

# A page with more is a list of everything, which sitemaps give in a better form.
MOST_LINKS = 5000
_LARGEST = 10_000_000
_PIECE = 1 << 16
_LONGEST_TEXT = 300
# Markup inside these is not part of the page (a template) or speaks another language.
_ASIDE = frozenset(["template", "svg", "math"])
_NOT_SHOWN = frozenset(["script", "style", "noscript"])
_REFRESH = re.compile(r"^\s*[\d.]*\s*[;,]?\s*url\s*=\s*[\"']?([^\"']+)", re.IGNORECASE)
_NOFOLLOW = frozenset(["nofollow", "ugc", "sponsored"])


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a normal address, and the words it is offered with."""

    url: str
    text: str
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links of a page, each address once, in order.

    `canonical` is the address that the page gives itself, when it can be believed. `noindex` and
    `nofollow` are what it asks of machines; with `nofollow`, no link of it is to be followed.
    """

    links: tuple[Link, ...] = ()
    canonical: str | None = None
    noindex: bool = False
    nofollow: bool = False


def read_links(
    data: bytes,
    *,
    url: str,
    header_charset: str | None = None,
    robots_header: str | None = None,
    user_agent: str = "pgkb",
) -> PageLinks:
    """The links of an HTML page that was found at `url`, a normal address.

    `robots_header` is its X-Robots-Tag. What is no text has no links.
    """
    agent = agent_token(user_agent)
    try:
        markup = decode(data[:_LARGEST], header_charset=header_charset, markup=True).text
    except Refused:
        return _page(_Reader(agent), url, robots_header)
    reader = _Reader(agent)
    parser = etree.HTMLParser(target=reader, encoding="utf-8")
    stream = markup.replace("\x00", "").encode("utf-8", "replace")
    try:
        for start in range(0, len(stream), _PIECE):
            parser.feed(stream[start : start + _PIECE])
        parser.close()
    except etree.LxmlError:
        # an empty page, or one that ends in mid-tag: what was read until then counts
        pass
    return _page(reader, url, robots_header)


def _page(reader: "_Reader", url: str, robots_header: str | None) -> PageLinks:
    base = normal_url(reader.base, base=url) if reader.base is not None else None
    asked = reader.asked | _header_words(robots_header or "", reader.agent)
    found: dict[str, Link] = {}
    # menus and footers repeat themselves
    targets = {
        href: normal_url(href, base=base or url) for href in {href for href, *_ in reader.links}
    }
    for href, text, nofollow in reader.links:
        target = targets[href]
        if target is None or target == url:
            continue
        known = found.get(target)
        if known is not None:
            # a picture and a headline often link to one page: the words count, and any plain link
            text = known.text or text
            nofollow = known.nofollow and nofollow
        found[target] = Link(target, text, nofollow)
    canonical = normal_url(reader.canonical, base=base or url) if reader.canonical else None
    return PageLinks(
        links=tuple(found.values()),
        canonical=canonical if canonical and _may_be(canonical, url) else None,
        noindex=not asked.isdisjoint({"noindex", "none"}),
        nofollow=not asked.isdisjoint({"nofollow", "none"}),
    )


def _may_be(canonical: str, url: str) -> bool:
    """Whether a page may be the canonical page of another.

    Not on another host: it would bring in what was never looked at. And not the root of the site
    for a page below it: templates of old sites say so on every page.
    """
    named, own = urlsplit(canonical), urlsplit(url)
    same_host = (named.hostname or "").removeprefix("www.") == (own.hostname or "").removeprefix(
        "www."
    )
    to_root = named.path == "/" and not named.query and (own.path != "/" or own.query != "")
    return same_host and not to_root


def _header_words(header: str, agent: str) -> set[str]:
    """The words of an X-Robots-Tag that are meant for all or for us."""
    words: set[str] = set()
    addressed: str | None = None
    for part in header.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and "unavailable_after" not in name and "max-" not in name:
            addressed, part = name.strip(), rest
        if addressed in {None, "", agent}:
            words.add(part.strip())
    return words


class _Reader:
    """Takes a page's tags as they come."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.links: list[tuple[str, str, bool]] = []
        self.base: str | None = None
        self.canonical: str | None = None
        self.asked: set[str] = set()
        self._aside = 0
        self._silent = 0
        self._href: str | None = None
        self._nofollow = False
        self._label = ""
        self._words: list[str] = []
        self._length = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An opening tag."""
        if tag in _ASIDE:
            self._aside += 1
        elif tag in _NOT_SHOWN:
            self._silent += 1
        elif self._aside:
            return
        elif tag in {"a", "area"}:
            self._end_link()
            self._begin_link(attributes)
            if tag == "area":
                self._end_link()
        elif tag == "img":
            self.data(f" {attributes.get('alt', '')} ")
        elif tag == "base":
            # the first one counts, also for the links before it
            if self.base is None and "href" in attributes:
                self.base = attributes["href"]
        elif tag == "link":
            if self.canonical is None and "canonical" in attributes.get("rel", "").lower().split():
                self.canonical = attributes.get("href")
        elif tag == "meta":
            self._read_meta(attributes)
        elif tag == "frame" and "src" in attributes:
            self._keep(attributes["src"], attributes.get("title", ""), nofollow=False)

    def end(self, tag: str) -> None:
        """A closing tag, written or not."""
        if tag in _ASIDE:
            self._aside -= 1
        elif tag in _NOT_SHOWN:
            self._silent -= 1
        elif tag == "a":
            self._end_link()
        elif self._href is not None:
            # words of two elements are two words
            self.data(" ")

    def data(self, data: str) -> None:
        """Text; a link keeps the first of its own."""
        if self._href is None or self._silent or self._aside:
            return
        if self._length < _LONGEST_TEXT:
            self._words.append(data[:_LONGEST_TEXT])
            self._length += len(data.strip())

    def close(self) -> None:
        """The end of the page."""
        self._end_link()

    def _begin_link(self, attributes: Mapping[str, str]) -> None:
        if "href" not in attributes:
            return
        self._href = attributes["href"]
        self._nofollow = not _NOFOLLOW.isdisjoint(attributes.get("rel", "").lower().split())
        self._label = next(
            (attributes[name] for name in ("aria-label", "alt", "title") if attributes.get(name)),
            "",
        )
        self._words, self._length = [], 0

    def _end_link(self) -> None:
        if self._href is not None:
            self._keep(self._href, "".join(self._words), nofollow=self._nofollow)
            self._href = None

    def _keep(self, href: str, text: str, *, nofollow: bool) -> None:
        if len(self.links) < MOST_LINKS:
            words = clean_line(text) or clean_line(self._label)
            self.links.append((href, words[:_LONGEST_TEXT], nofollow))
        self._label = ""

    def _read_meta(self, attributes: Mapping[str, str]) -> None:
        content = attributes.get("content", "")
        if attributes.get("name", "").strip().lower() in {"robots", self.agent}:
            self.asked.update(word.strip() for word in content.lower().split(","))
        elif attributes.get("http-equiv", "").strip().lower() == "refresh":
            refresh = _REFRESH.match(content)
            if refresh is not None:
                self._keep(refresh[1], "", nofollow=False)
