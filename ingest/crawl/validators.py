"""Whether a page changed since it was last seen.

In this order: the site says so (304); the bytes are the same; the text is the same; and where no
text could be read, ETag and then Last-Modified. An equal ETag on a page that was sent all the same
proves nothing while its text can be compared: some sites send one ETag for ever (C-08). What is
sent back to a site is what it sent, byte for byte; only here are validators understood.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

Change = Literal["new", "unchanged", "changed", "parse"]
Proof = Literal["first", "304", "bytes", "text", "etag", "last-modified", "extractor", "nothing"]

# What proxies add to the tag of a page they packed: "x-gzip", "x--gzip", "x;gzip", "x:br"
_PACKED = re.compile(r"[-;:/]{1,2}(?:gzip|br|zstd|deflate|df)$", re.IGNORECASE)
_FIRST_PAGE_OF_THE_WEB = datetime(1990, 12, 20, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Known:
    """A page as it was last seen; hashes are of its bytes and of its normalised text.

    `extractor` names the reader of that text: another one may find another text in the same page.
    """

    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    text_hash: str | None = None
    extractor: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A page as it was answered now; `unchanged` is a 304, and then the rest may be missing.

    `parsed` says that its text was looked for; without `text_hash` there was none.
    """

    unchanged: bool = False
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    parsed: bool = False
    text_hash: str | None = None
    extractor: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a page, and what shows it. "parse": read its text, then ask again."""

    change: Change
    by: Proof


def compare(known: Known | None, found: Found) -> Verdict:
    """Whether a page is new, unchanged or changed."""
    if known is None:
        return Verdict("new" if found.parsed else "parse", "first")
    if found.unchanged:
        return Verdict("unchanged", "304")
    same_reader = known.extractor == found.extractor
    if same_reader and known.body_hash is not None and known.body_hash == found.body_hash:
        return Verdict("unchanged", "bytes")
    if not found.parsed:
        return Verdict("parse", "nothing")
    if known.text_hash is not None and found.text_hash is not None:
        if known.text_hash == found.text_hash:
            return Verdict("unchanged", "text")
        return Verdict("changed", "text" if same_reader else "extractor")
    if known.etag is not None and found.etag is not None:
        same = same_etag(known.etag, found.etag)
        return Verdict("unchanged" if same else "changed", "etag")
    if known.last_modified is not None and found.last_modified is not None:
        same = known.last_modified == found.last_modified
        return Verdict("unchanged" if same else "changed", "last-modified")
    return Verdict("changed", "nothing")


def to_send(known: Known | None, *, extractor: str) -> tuple[str | None, str | None]:
    """The ETag and Last-Modified to ask with: none where the page must be read again anyway."""
    if known is None or known.extractor != extractor:
        return None, None
    return known.etag, known.last_modified


def same_etag(one: str, other: str) -> bool:
    """Weak comparison: the mark of weakness and what a proxy added are not looked at."""
    return _opaque(one) == _opaque(other) != ""


def _opaque(etag: str) -> str:
    tag = etag.strip()
    if tag[:2] in {"W/", "w/"}:
        tag = tag[2:].strip()
    # the suffix may stand inside the quotes or after them
    return _PACKED.sub("", _PACKED.sub("", tag).strip('"'))


def http_date(value: str | None) -> datetime | None:
    """The instant in a header, in UTC; None when it is unknown, unreadable or no date of a page.

    Reads the forms of HTTP and ISO 8601; a time without a zone is taken for UTC.
    """
    text = (value or "").strip()
    parsed: datetime | None = None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            parsed = read(text)
            break
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    if parsed is None:
        return None
    try:
        moment = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
    # epoch 0 and the like: a server without a clock
    return moment if moment >= _FIRST_PAGE_OF_THE_WEB else None
