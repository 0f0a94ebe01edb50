"""Sitemaps, as sites really have them: XML or lines of text, packed or not, broken or not.

One document is read at a time; which of them to ask for, and how deep an index may lead, is the
caller's. What it names is only an address like any other: nothing of it is trusted, and entities
are never looked up.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from lxml import etree

from ingest.crawl.urls import normal_url
from ingest.parse.decode import decode
from ingest.parse.result import Refused

# The format's own limits.
MOST_BYTES = 50 * 1024 * 1024
MOST_ENTRIES = 50_000
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 16
_LONGEST_LOC = 2200
_MONTH = re.compile(r"\d{4}-\d{2}")
_YEAR = re.compile(r"\d{4}")
_FIRST_YEAR = 1990


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that a sitemap names, and when it says that the page changed."""

    url: str
    lastmod: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap names, each address once: pages, or more sitemaps.

    `foreign` counts addresses that were left out because they are somewhere else; `broken` says
    that the document was damaged or too large, and that what could be read of it is here.
    """

    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[str, ...] = ()
    foreign: int = 0
    broken: bool = False


def read_sitemap(
    data: bytes, *, url: str, holds: Callable[[str], bool], most_bytes: int = MOST_BYTES
) -> Sitemap:
    """What the sitemap found at `url`, a normal address, names; `holds` says what is ours."""
    body, broken = _unpacked(data, most_bytes)
    body = body.lstrip()
    reader = _Reader()
    if _is_markup(body):
        broken |= not _read_xml(body, reader)
    else:
        _read_lines(body, reader)
    pages: dict[str, Entry] = {}
    sitemaps: dict[str, None] = {}
    foreign = 0
    targets = {loc: normal_url(loc, base=url) for loc in {loc for _, loc, _ in reader.found}}
    for kind, loc, lastmod in reader.found:
        target = targets[loc]
        if target is None or target == url:
            continue
        if not holds(target):
            foreign += 1
        elif kind == "sitemap":
            sitemaps[target] = None
        else:
            pages.setdefault(target, Entry(target, last_change(lastmod)))
    return Sitemap(
        pages=tuple(pages.values()),
        sitemaps=tuple(sitemaps),
        foreign=foreign,
        broken=broken or reader.full,
    )


def last_change(value: str) -> datetime | None:
    """The instant a lastmod names, in UTC; None when it cannot be read or is nonsense."""
    text = value.strip()
    if _YEAR.fullmatch(text):
        text += "-01-01"
    elif _MONTH.fullmatch(text):
        text += "-01"
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            parsed = read(text)
            moment = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return moment if moment.year >= _FIRST_YEAR else None
    return None


def _unpacked(data: bytes, most: int) -> tuple[bytes, bool]:
    """The document, and whether a part of it is missing; a client may have unpacked it already."""
    if not data.startswith(_GZIP):
        return data[:most], len(data) > most
    body = bytearray()
    while data.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            body += member.decompress(data, most - len(body) + 1)
        except zlib.error:
            return bytes(body), True
        if len(body) > most or not member.eof:
            return bytes(body[:most]), True
        data = member.unused_data
    return bytes(body), False


def _is_markup(body: bytes) -> bool:
    head = body[:64].replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return head.startswith(b"<")


def _read_lines(body: bytes, reader: "_Reader") -> None:
    try:
        text = decode(body).text
    except Refused:
        return
    for line in text.splitlines():
        address = line.strip()
        if address.lower().startswith(("http://", "https://")):
            reader.keep("url", address, "")


def _read_xml(body: bytes, reader: "_Reader") -> bool:
    """Read it as far as it can be read; whether that was to its end."""
    parser = etree.XMLParser(
        target=reader,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        # an ampersand in an address is the most common mistake
        recover=True,
    )
    try:
        for start in range(0, len(body), _PIECE):
            parser.feed(body[start : start + _PIECE])
            if reader.full:
                break
        parser.close()
    except etree.LxmlError:
        return False
    return reader.whole


class _Reader:
    """Takes the elements of a sitemap as they come."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str]] = []
        self.full = False
        self.whole = False
        self._path: list[str] = []
        self._texts = {"loc": "", "lastmod": ""}

    def keep(self, kind: str, loc: str, lastmod: str) -> None:
        """Note an address."""
        if len(self.found) >= MOST_ENTRIES:
            self.full = True
        elif loc.strip():
            self.found.append((kind, loc, lastmod))

    def start(self, tag: str, attributes: object) -> None:
        """An opening tag; pictures and videos have locs of their own, one level deeper."""
        name = _local(tag)
        if len(self._path) == 1 and name in {"url", "sitemap"}:
            self._texts = {"loc": "", "lastmod": ""}
        self._path.append(name)

    def data(self, data: str) -> None:
        """Text of an element."""
        if len(self._path) == 3 and self._path[2] in self._texts and not self.full:
            so_far = self._texts[self._path[2]]
            if len(so_far) < _LONGEST_LOC:
                self._texts[self._path[2]] = so_far + data[:_LONGEST_LOC]

    def end(self, tag: str) -> None:
        """A closing tag."""
        if len(self._path) == 2 and self._path[1] in {"url", "sitemap"}:
            self.keep(self._path[1], self._texts["loc"], self._texts["lastmod"])
        if len(self._path) == 1:
            self.whole = True
        del self._path[-1:]

    def close(self) -> None:
        """The end of the document."""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()
