"""Sitemaps are read in every form that sites give them, and lead nowhere else (C-13)."""

import gzip
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from ingest.crawl import sitemaps
from ingest.crawl.scope import Scope
from ingest.crawl.sitemaps import Entry, Sitemap, last_change, read_sitemap
from tests.ingest.crawl.site_answers import packed, sitemap_index, sitemap_text
from tests.ingest.crawl.site_server import Host, Web, web
from tests.ingest.fetch.sites import page

SITE = "https://www.town.gov.uk"
HERE = f"{SITE}/sitemap.xml"
INSIDE = Scope(seeds=[SITE])


def read(data: bytes | str, *, most: int = 1_000_000) -> Sitemap:
    """What a sitemap of the town names."""
    body = data.encode() if isinstance(data, str) else data
    return read_sitemap(body, url=HERE, holds=INSIDE.holds, most_bytes=most)


def pages(data: bytes | str) -> list[str]:
    """The pages it names."""
    return [entry.url for entry in read(data).pages]


def urlset(*rows: str) -> str:
    """A sitemap of these rows."""
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'


def test_pages_are_normal_each_once_with_their_day() -> None:
    found = read(
        urlset(
            f"<url><loc> {SITE}/a?utm_source=map#x </loc><lastmod>2026-02-28</lastmod></url>",
            f"<url><lastmod>soon</lastmod><loc>{SITE}/b</loc></url>",
            f"<url><loc>{SITE}/a</loc></url>",
            "<url></url><url><loc></loc></url><url><loc>/c</loc></url>",
        )
    )
    assert found == Sitemap(
        pages=(
            Entry(f"{SITE}/a", datetime(2026, 2, 28, tzinfo=UTC)),
            Entry(f"{SITE}/b"),
            Entry(f"{SITE}/c"),
        )
    )


def test_an_index_names_sitemaps_and_not_itself() -> None:
    found = read(
        f"<sitemapindex><sitemap><loc>{HERE}</loc></sitemap>"
        f"<sitemap><loc>{SITE}/one.xml.gz</loc></sitemap></sitemapindex>"
    )
    assert (found.sitemaps, found.pages) == ((f"{SITE}/one.xml.gz",), ())


def test_other_hosts_are_refused_and_counted() -> None:
    found = read(
        urlset(
            "<url><loc>https://other.example/a</loc></url>",
            "<url><loc>http://169.254.169.254/latest</loc></url>",
            "<url><loc>file:///etc/passwd</loc></url>",
            f"<url><loc>{SITE}/a</loc></url>",
        )
    )
    assert [entry.url for entry in found.pages] == [f"{SITE}/a"]
    assert found.foreign == 2


def test_pictures_are_no_pages() -> None:
    assert pages(
        urlset(
            f'<url><loc>{SITE}/a</loc><i:image xmlns:i="x"><i:loc>{SITE}/a.png</i:loc></i:image>'
            f'<x:link xmlns:x="y" rel="alternate" href="{SITE}/cy"/></url>'
        )
    ) == [f"{SITE}/a"]


def test_gzip_is_read_whether_or_not_the_client_unpacked_it() -> None:
    plain = sitemap_text([f"{SITE}/a"])
    for data in (
        plain,
        gzip.compress(plain),
        gzip.compress(plain[:60]) + gzip.compress(plain[60:]),
    ):
        assert pages(data) == [f"{SITE}/a"]


def test_lines_of_text_are_a_sitemap() -> None:
    assert pages(f"\ufeff{SITE}/a\r\n\r\nnot one\r\n{SITE}/b\n") == [f"{SITE}/a", f"{SITE}/b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_letters_are_read_in_the_encoding_it_names(encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    text = head + urlset(f"<url><loc>{SITE}/caf\u00e9</loc></url>")
    assert pages(text.encode(encoding)) == [f"{SITE}/caf%C3%A9"]


@pytest.mark.parametrize(
    ("data", "found", "broken"),
    [
        (urlset(f"<url><loc>{SITE}/a</loc></url><url><loc>{SITE}/b</lo")[:-9], ["/a"], True),
        ("\n\n" + urlset(f"<url><loc>{SITE}/a</loc></url>"), ["/a"], False),
        ("<html><body><a href='/a'>a</a></body></html>", [], False),
        ("<!doctype html><p>Not found<br>", [], True),
        ("", [], False),
        ("<", [], True),
        ("\x00\x01\x02\x03\x04\x05\x06\x07\x08", [], False),
    ],
)
def test_a_broken_sitemap_gives_what_can_be_read(data: str, found: list[str], broken: bool) -> None:
    sitemap_read = read(data)
    assert [entry.url for entry in sitemap_read.pages] == [SITE + path for path in found]
    assert sitemap_read.broken is broken


def test_an_ampersand_in_an_address_spoils_at_most_that_address() -> None:
    found = pages(urlset(f"<url><loc>{SITE}/a?b=1&c=2</loc></url><url><loc>{SITE}/d</loc></url>"))
    assert f"{SITE}/d" in found


def test_a_packed_bomb_is_cut() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 8_000_000)
    began = time.thread_time()
    assert read(bomb).broken
    assert read(gzip.compress(sitemap_text([f"{SITE}/a"]))[:-20]).broken
    assert time.thread_time() - began < 2


def test_entities_are_not_looked_up(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("sesame")
    for system in (f"SYSTEM '{secret.as_uri()}'", "'" + "a" * 50 + "'"):
        xml = (
            f"<!DOCTYPE urlset [<!ENTITY x {system}><!ENTITY y '&x;&x;&x;&x;&x;&x;&x;&x;'>"
            "<!ENTITY z '&y;&y;&y;&y;&y;&y;&y;&y;'>]>"
            + urlset(f"<url><loc>{SITE}/&x;&z;</loc></url>")
        )
        found = pages(xml)
        assert not any("sesame" in url or "aaa" in url for url in found)


def test_the_number_of_entries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MOST_ENTRIES", 50)
    found = read(urlset(*(f"<url><loc>{SITE}/{n}</loc></url>" for n in range(55))))
    assert found.broken
    assert len(found.pages) == 50


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-02-28T13:30:05.25+01:00", datetime(2026, 2, 28, 12, 30, 5, 250000, tzinfo=UTC)),
        ("2026-02-28T12:30:05Z", datetime(2026, 2, 28, 12, 30, 5, tzinfo=UTC)),
        ("2026-02-28 12:30", datetime(2026, 2, 28, 12, 30, tzinfo=UTC)),
        ("Sat, 28 Feb 2026 12:30:05 GMT", datetime(2026, 2, 28, 12, 30, 5, tzinfo=UTC)),
        ("2026-02-31", None),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_day_is_read_in_any_form_or_unknown(value: str, moment: datetime | None) -> None:
    # C-15
    assert last_change(value) == moment


# ---- from a site -------------------------------------------------------------------------------


@pytest.fixture
def town() -> Iterator[tuple[Web, Host]]:
    """A site with sitemaps that name themselves, packed both ways, one of them broken."""
    with web() as net:
        host = net.host("www.town.gov.uk")
        names = ["map.xml", "headed.xml.gz", "plain.xml.gz", "broken.xml"]
        host.pages |= {
            "/map.xml": sitemap_index([host.url(f"/{name}") for name in names]),
            "/headed.xml.gz": packed(sitemap_text([host.url("/a")])),
            "/plain.xml.gz": packed(sitemap_text([host.url("/b")]), header=False),
            "/broken.xml": page(b"<urlset><url><loc>"),
        }
        yield net, host


def test_a_site_s_sitemaps_end_and_give_their_pages(town: tuple[Web, Host]) -> None:
    net, host = town
    scope = Scope(seeds=[host.url()])
    waiting, visited, found = [host.url("/map.xml")], set[str](), set[str]()
    while waiting:
        url = waiting.pop()
        visited.add(url)
        body = BytesIO()
        net.fetcher().fetch(url, body)
        read_here = read_sitemap(body.getvalue(), url=url, holds=scope.holds)
        found |= {entry.url for entry in read_here.pages}
        waiting += [other for other in read_here.sitemaps if other not in visited]
    assert found == {host.url("/a"), host.url("/b")}
    assert len(host.seen) == len(visited) == 4
