"""Links are read where a browser would follow them, and only there."""

import time
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.crawl.links import MOST_LINKS, Link, PageLinks, read_links
from ingest.crawl.urls import normal_url
from tests.ingest.crawl.site_answers import html
from tests.ingest.crawl.site_server import Web

HERE = "https://www.example.gov.uk/send/offer/page"
ROOT = "https://www.example.gov.uk"


def links(markup: str | bytes, url: str = HERE, **more: str) -> PageLinks:
    """The links of a page."""
    data = markup.encode() if isinstance(markup, str) else markup
    return read_links(
        data,
        url=url,
        header_charset=more.get("charset"),
        robots_header=more.get("robots"),
        user_agent="pgkb/0.1 (x)",
    )


def urls(markup: str, url: str = HERE) -> list[str]:
    """The addresses a page links to."""
    return [link.url for link in links(markup, url).links]


def test_links_are_normal_each_once_and_in_order() -> None:
    markup = """<a href="b?utm_source=x#y">B</a> <a href=/a>A</a> <a href=b>B again</a>
        <a href="#top">Top</a> <a href="page">Itself</a> <a href="">Nothing</a> <a name=x>N</a>
        <map><area href="/map" alt="Map of schools"></map>"""
    assert links(markup).links == (
        Link(f"{ROOT}/send/offer/b", "B"),
        Link(f"{ROOT}/a", "A"),
        Link(f"{ROOT}/map", "Map of schools"),
    )


def test_only_pages_of_the_web_are_links() -> None:
    assert urls(
        """<a href="mailto:x@y.uk">m</a><a href="tel:1">t</a><a href="javascript:go()">j</a>
        <a href="ftp://x.uk/">f</a><a href="data:text/html,x">d</a><a href="http://u:p@x.uk/">u</a>
        <a href="file:///etc/passwd">e</a><a href="http://[">b</a><a href="https://x.uk">x</a>"""
    ) == ["https://x.uk/"]


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ('<base href="/council/">', f"{ROOT}/council/x"),
        ('<base href="https://other.example/y/z">', "https://other.example/y/x"),
        ('<base target="_blank"><base href="/council/">', f"{ROOT}/council/x"),
        ('<base href="/first/"><base href="/second/">', f"{ROOT}/first/x"),
        # only the live base counts
        ('<template><base href="/dead/"></template>', f"{ROOT}/send/offer/x"),
        ('<template><base href="/dead/"></template><base href="/live/">', f"{ROOT}/live/x"),
        ('<!-- <base href="/dead/"> --><base href="/live/">', f"{ROOT}/live/x"),
        ("<script>'<base href=/dead/>'</script>", f"{ROOT}/send/offer/x"),
        ('<svg><base href="/dead/"/></svg>', f"{ROOT}/send/offer/x"),
        ('<base href="javascript:x">', f"{ROOT}/send/offer/x"),
        ('<base href="">', f"{ROOT}/send/offer/x"),
    ],
)
def test_links_are_read_from_the_live_base(head: str, target: str) -> None:
    # C-14
    assert urls(f"<html><head>{head}</head><body><a href=x>x</a></body></html>") == [target]


def test_a_base_counts_for_the_links_before_it() -> None:
    assert urls("<body><a href=x>x</a><base href=/late/></body>") == [f"{ROOT}/late/x"]


def test_what_is_not_on_the_page_is_no_link() -> None:
    assert (
        urls(
            """<template><a href="/t">t</a></template><!-- <a href="/c">c</a> -->
            <script>document.write('<a href="/s">s</a>')</script>
            <textarea><a href="/ta">ta</a></textarea>"""
        )
        == []
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<a href=x> Our <b>SEN</b>\n&amp;&nbsp;D  policy </a>", "Our SEN & D policy"),
        ("<a href=x><div>SEN</div><div>policy</div></a>", "SEN policy"),
        ('<a href=x><img src=i alt="Accessibility plan"></a>', "Accessibility plan"),
        ('<a href=x aria-label="SEN policy"><svg><title>icon</title></svg></a>', "SEN policy"),
        ('<a href=x title="SEN policy"></a>', "SEN policy"),
        ("<a href=x><script>track()</script>SEN policy</a>", "SEN policy"),
        ("<a href=x><img src=i></a><a href=x>SEN policy</a>", "SEN policy"),
        ("<a href=x>SEN policy <a href=/y>other</a>", "SEN policy"),
    ],
)
def test_a_link_keeps_the_words_it_is_offered_with(markup: str, text: str) -> None:
    (link, *_) = links(markup).links
    assert (link.url, link.text) == (f"{ROOT}/send/offer/x", text)


def test_a_link_is_not_to_be_followed_only_when_each_of_its_kind_says_so() -> None:
    found = links(
        '<a href=a rel="nofollow noopener">a</a><a href=b rel="ugc">b</a><a href=b>b</a>'
        '<a href=c rel="noopener">c</a>'
    ).links
    assert [link.nofollow for link in found] == [True, False, False]


@pytest.mark.parametrize(
    ("markup", "header", "wishes"),
    [
        ('<meta name="robots" content="noindex, follow">', None, (True, False)),
        ('<meta name="ROBOTS" content="NOFOLLOW">', None, (False, True)),
        ('<meta name="robots" content="none">', None, (True, True)),
        ('<meta name="pgkb" content="noindex">', None, (True, False)),
        ('<meta name="otherbot" content="noindex">', None, (False, False)),
        ('<template><meta name="robots" content="none"></template>', None, (False, False)),
        ("<p>", "noindex", (True, False)),
        ("<p>", "otherbot: noindex, nofollow", (False, False)),
        ("<p>", "otherbot: noindex, pgkb: nofollow", (False, True)),
        ("<p>", "unavailable_after: 25 Jun 2099 15:00:00 GMT", (False, False)),
        ("<p>", "max-snippet: 5, noindex", (True, False)),
    ],
)
def test_a_page_says_what_it_wants_of_machines(
    markup: str, header: str | None, wishes: tuple[bool, bool]
) -> None:
    found = links(markup, **({} if header is None else {"robots": header}))
    assert (found.noindex, found.nofollow) == wishes


@pytest.mark.parametrize(
    ("named", "canonical"),
    [
        ("/send/offer", f"{ROOT}/send/offer"),
        ("https://example.gov.uk/send/offer", "https://example.gov.uk/send/offer"),
        ("http://www.example.gov.uk/send/offer?utm_id=1", "http://www.example.gov.uk/send/offer"),
        ("https://other.example/send/offer", None),
        (f"{ROOT}/", None),
        ("javascript:x", None),
        ("", None),
    ],
)
def test_a_page_may_name_itself_but_no_other_site_and_not_the_root(
    named: str, canonical: str | None
) -> None:
    assert links(f'<link rel="canonical" href="{named}">').canonical == canonical


def test_a_page_that_sends_on_by_itself_has_a_link() -> None:
    assert urls("<meta http-equiv=refresh content=\"0; URL='/new'\">") == [f"{ROOT}/new"]


def test_letters_are_read_as_the_parser_reads_them() -> None:
    markup = '<meta charset="windows-1252"><a href="/caf\u00e9">Caf\u00e9 policy</a>'
    for data, charset in (
        (markup.encode("cp1252"), None),
        (markup.encode(), "iso-8859-1"),
        (markup.encode("utf-16"), None),
    ):
        (link,) = links(data, **({} if charset is None else {"charset": charset})).links
        assert link == Link(f"{ROOT}/caf%C3%A9", "Caf\u00e9 policy")


@pytest.mark.parametrize(
    "markup",
    [b"", b"\x00", b"<", b"<a", b"<a href=", b"%PDF-1.7\x00\x01\x02\x03", bytes(range(256)) * 20],
)  # fmt: skip
def test_what_is_no_page_has_no_links(markup: bytes) -> None:
    assert links(markup).links == ()


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 200_000 + "<a href=x>x</a>",
        "<a href=x><object>" * 50_000,
        "<a href=x>" + "<b>word</b>" * 200_000 + "</a>",
        "<a href=x>x</a>" + "<a " + "b=c " * 200_000 + ">",
        "<a href=x>x</a><a href='" + "y" * 5_000_000 + "'>long</a>",
    ],
)
def test_hostile_markup_takes_no_time(markup: str) -> None:
    began = time.thread_time()
    found = links(markup).links
    assert [link.url for link in found] == [f"{ROOT}/send/offer/x"]
    assert len(found[0].text) <= 300
    assert time.thread_time() - began < 5


def test_the_number_of_links_is_bounded() -> None:
    assert len(urls("".join(f"<a href=/{n}>x</a>" for n in range(MOST_LINKS + 100)))) == MOST_LINKS


PIECES = (
    "<a href=|<base href=|</a>|<template>|</template>|<svg>|</svg>|'|\"|>|<!--|/x|http://|&#0;"
    "|\ud800|\x00|é|<meta name=robots content=|<link rel=canonical href=|<area href=|<noscript>|%|["
)
MARKUP = st.lists(st.sampled_from(PIECES.split("|")), max_size=30).map("".join)


@settings(max_examples=150, deadline=None)
@given(markup=MARKUP)
def test_no_markup_stops_the_crawl(markup: str) -> None:
    found = links(markup.encode("utf-8", "surrogatepass"))
    for address in [*(link.url for link in found.links), found.canonical]:
        assert address is None or normal_url(address) == address


def test_what_a_site_says_in_a_header_reaches_the_reader(net: Web) -> None:
    town = net.host("town.gov.uk")
    town.pages["/"] = html(
        "A", "Words", links=["/b"], headers={"X-Robots-Tag": "noindex, nofollow"}
    )
    body = BytesIO()
    fetched = net.fetcher().fetch(town.url(), body)
    found = read_links(body.getvalue(), url=fetched.url, robots_header=fetched.robots_tag)
    assert (found.noindex, found.nofollow) == (True, True)
    assert [link.url for link in found.links] == [town.url("/b")]
