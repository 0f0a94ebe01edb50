"""A page counts as changed when its text is another, whatever its headers say."""

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.crawl.validators import (
    Found,
    Known,
    Verdict,
    compare,
    http_date,
    same_etag,
    to_send,
)
from ingest.parse.document import parse_document
from tests.ingest.crawl.site_server import Web, changing, html_text, validated, web, words

NOW = "pgkb 3"
KNOWN = Known(etag='"1"', last_modified="x", body_hash="b1", text_hash="t1", extractor=NOW)


@pytest.fixture
def net() -> Iterator[Web]:
    """A web without hosts."""
    with web() as one:
        yield one


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (Found(unchanged=True), Verdict("unchanged", "304")),
        (Found(body_hash="b1", extractor=NOW), Verdict("unchanged", "bytes")),
        (Found(body_hash="b2", etag='"1"', extractor=NOW), Verdict("parse", "nothing")),
        # C-09: other bytes, the same text
        (
            Found(body_hash="b2", parsed=True, text_hash="t1", etag='"2"', extractor=NOW),
            Verdict("unchanged", "text"),
        ),
        # C-08: an ETag that never changes does not hide another text
        (
            Found(body_hash="b2", parsed=True, text_hash="t2", etag='"1"', extractor=NOW),
            Verdict("changed", "text"),
        ),
        # no text to compare: the ETag, then Last-Modified
        (Found(parsed=True, etag='W/"1-gzip"', extractor=NOW), Verdict("unchanged", "etag")),
        (
            Found(parsed=True, etag='"2"', last_modified="x", extractor=NOW),
            Verdict("changed", "etag"),
        ),
        (
            Found(parsed=True, last_modified="x", extractor=NOW),
            Verdict("unchanged", "last-modified"),
        ),
        (Found(parsed=True, last_modified="y", extractor=NOW), Verdict("changed", "last-modified")),
        (Found(parsed=True, extractor=NOW), Verdict("changed", "nothing")),
        # another reader: the same bytes must be read, and another text is its doing
        (Found(body_hash="b1", extractor="pgkb 4"), Verdict("parse", "nothing")),
        (
            Found(body_hash="b1", parsed=True, text_hash="t2", extractor="pgkb 4"),
            Verdict("changed", "extractor"),
        ),
    ],
)
def test_the_order_is_304_bytes_text_etag_last_modified(found: Found, verdict: Verdict) -> None:
    assert compare(KNOWN, found) == verdict


def test_a_page_never_seen_is_new() -> None:
    assert compare(None, Found(body_hash="b")) == Verdict("parse", "first")
    assert compare(None, Found(body_hash="b", parsed=True)) == Verdict("new", "first")


def test_validators_are_not_sent_where_the_page_must_be_read_again() -> None:
    assert to_send(KNOWN, extractor=NOW) == ('"1"', "x")
    assert to_send(KNOWN, extractor="pgkb 4") == (None, None)
    assert to_send(None, extractor=NOW) == (None, None)


@pytest.mark.parametrize(
    "spelling",
    ['"abc"', 'W/"abc"', 'w/"abc"', '"abc-gzip"', 'W/"abc--gzip"', '"abc;gzip"', '"abc":br', "abc",
     '"abc"-gzip', ' "abc-BR" '],
)  # fmt: skip
def test_a_tag_is_the_same_weak_or_packed(spelling: str) -> None:
    # C-08
    assert same_etag('"abc"', spelling)
    assert same_etag(spelling, '"abc"')


@pytest.mark.parametrize(
    "other", ['"abd"', '"ABC"', '""', "", '"abc-1"', '"abc-gzip-2"', '"-gzip"']
)
def test_another_tag_is_another(other: str) -> None:
    assert not same_etag('"abc"', other)


def test_an_empty_tag_proves_nothing() -> None:
    assert not same_etag('""', '""')


MOMENT = datetime(2026, 2, 28, 12, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("Sat, 28 Feb 2026 12:30:05 GMT", MOMENT),
        ("Saturday, 28-Feb-26 12:30:05 GMT", MOMENT),
        ("Sat Feb 28 12:30:05 2026", MOMENT),
        ("Sat, 28 Feb 2026 14:30:05 +0200", MOMENT),
        ("28 Feb 2026 12:30:05 -0000", MOMENT),
        ("2026-02-28T12:30:05Z", MOMENT),
        ("2026-02-28T13:30:05+01:00", MOMENT),
        ("2026-02-28 12:30:05", MOMENT),
        ("Thu, 31 Feb 2026 12:30:05 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("0", None),
        ("-1", None),
        ("", None),
        (None, None),
        ("yesterday", None),
        ("Sat, 28 Feb 99999 12:30:05 GMT", None),
        ("9999-12-31T23:59:59-23:00", None),
    ],
)
def test_a_date_is_read_in_any_form_or_unknown(value: str | None, moment: datetime | None) -> None:
    # C-15
    assert http_date(value) == moment


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=40)
    | st.from_regex(
        r"\w{3}, \d{1,3} [JFMASOND][a-z]{2} \d{1,6} \d+:\d+:\d+ \S{0,6}", fullmatch=True
    )
)
def test_no_header_stops_the_crawl(value: str) -> None:
    moment = http_date(value)
    assert moment is None or moment.utcoffset() is not None
    same_etag(value, value)


def test_tokens_that_change_with_each_answer_change_nothing(net: Web) -> None:
    # C-09, from the site to the verdict
    town = net.host("town.gov.uk")
    town.pages["/"] = changing(html_text("Transport", words("transport")))
    bodies, hashes = [], []
    for _ in range(2):
        body = BytesIO()
        net.fetcher().fetch(town.url(), body)
        bodies.append(body.getvalue())
        hashes.append(parse_document(body.getvalue()).metadata["content_hash"])
    assert bodies[0] != bodies[1]
    known = Known(body_hash="1", text_hash=hashes[0], extractor=NOW)
    found = Found(body_hash="2", text_hash=hashes[1], parsed=True, extractor=NOW)
    assert compare(known, found) == Verdict("unchanged", "text")


@pytest.mark.parametrize("etag", ['W/"1"', '"1-gzip"', '"1;gzip"', "1", '"\u00e9"'])
def test_a_site_gets_its_tag_back_as_it_was(net: Web, etag: str) -> None:
    town = net.host("town.gov.uk")
    town.pages["/"] = validated("<p>Words</p>", etag=etag, last_modified="31 Feb")
    first = net.fetcher().fetch(town.url(), BytesIO())
    known = Known(etag=first.etag, last_modified=first.last_modified, extractor=NOW)
    tag, modified = to_send(known, extractor=NOW)
    again = net.fetcher().fetch(town.url(), BytesIO(), etag=tag, last_modified=modified)
    assert again.unchanged
    assert town.seen[-1].headers["If-Modified-Since"] == "31 Feb"
