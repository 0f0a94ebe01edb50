"""crawl.same_etag, http_date, host_of: what is compared, and what is only kept."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('"a"', '"a"', True),
        ('W/"a"', '"a"', True),
        ('"a-gzip"', '"a"', True),
        ('W/"a--gzip"', '"a;br"', True),
        ('"a"-gzip', '"a"', True),
        ('"a"', '"b"', False),
        ('""', '""', False),
        ('"-gzip"', '""', False),
        ('"A"', '"a"', False),
    ],
)
def test_etags_are_compared_weakly_and_without_what_proxies_add(
    reference: psycopg.Connection, one: str, other: str, same: bool
) -> None:
    # C-08
    assert ask(reference, "select crawl.same_etag(%s, %s)", one, other) == same


@pytest.mark.parametrize(
    ("header", "instant"),
    [
        ("Mon, 02 Feb 2026 10:00:00 GMT", "2026-02-02 10:00:00"),
        ("2026-02-02T10:00:00+02:00", "2026-02-02 08:00:00"),
        ("Thu, 31 Feb 2026 10:00:00 GMT", None),
        ("Mon, 02 Feb 2026 25:00:00 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("2026-13-02T10:00:00Z", None),
        ("0", None),
        ("", None),
    ],
)
def test_a_date_that_means_nothing_is_unknown_and_no_error(
    reference: psycopg.Connection, header: str, instant: str | None
) -> None:
    # C-15; the zone of the session changes nothing
    reference.execute("set local time zone 'Asia/Tokyo'")
    assert (
        ask(
            reference,
            "select to_char(crawl.http_date(%s) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')",
            header,
        )
        == instant
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("HTTPS://WWW.Kent.Example:443/a", "www.kent.example"),
        ("http://kent.example:8080?x", "kent.example:8080"),
        ("http://u:p@kent.example/", "kent.example"),
        ("ftp://kent.example/", None),
    ],
)
def test_a_host_is_counted_by_its_name_and_an_unusual_port(
    reference: psycopg.Connection, url: str, host: str | None
) -> None:
    assert ask(reference, "select crawl.host_of(%s)", url) == host
