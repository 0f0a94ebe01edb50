"""One page has one address, however it is spelled (C-06)."""

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.crawl.urls import normal_url, site_key
from ingest.fetch.urls import checked_url

ONE = "https://www.example.gov.uk/send/offer?id=7&page=2"


@pytest.mark.parametrize(
    "spelling",
    [
        "HTTPS://WWW.Example.GOV.uk/send/offer?id=7&page=2",
        "https://www.example.gov.uk:443/send/offer?id=7&page=2",
        "https://www.example.gov.uk./send/offer?id=7&page=2",
        "https://www.example.gov.uk/send/offer?id=7&page=2#apply",
        "https://www.example.gov.uk/send/offer?page=2&id=7",
        "https://www.example.gov.uk/send/offer?page=2&&id=7&",
        "https://www.example.gov.uk/x/../send/./offer?id=7&page=2",
        "https://www.example.gov.uk/x/%2e%2E/send/offer?id=7&page=2",
        "https://www.example.gov.uk/../../send/offer?id=7&page=2",
        "https://www.example.gov.uk/%73end/offer?id=7&page=%32",
        "https://www.example.gov.uk/send/offer?utm_source=x&id=7&page=2&UTM_Medium=y",
        "https://www.example.gov.uk/send/offer?fbclid=a&id=7&gclid=b&page=2",
        "https://www.example.gov.uk/send/offer?PHPSESSID=4f&id=7&page=2",
        "https://www.example.gov.uk/send/offer;jsessionid=0A1B?id=7&page=2",
        "https://www.example.gov.uk/send/offer?sid=0123456789abcdef0123&id=7&page=2",
        "  https://www.example.gov.uk/send/\noffer?id=7&page=2\t",
        "https://www.example.gov.uk\\send\\offer?id=7&page=2",
    ],
)
def test_every_spelling_of_an_address_is_one_address(spelling: str) -> None:
    assert normal_url(spelling) == ONE


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://example.org", "http://example.org/"),
        ("http://example.org?", "http://example.org/"),
        ("http://example.org?utm_source=x", "http://example.org/"),
        ("http://example.org:8080", "http://example.org:8080/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://münchen.example/straße", "http://xn--mnchen-3ya.example/stra%C3%9Fe"),
        ("http://example.org/a/%c3%a9%2f", "http://example.org/a/%C3%A9%2F"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://example.org/a/..", "http://example.org/"),
        ("http://example.org/a/b/.", "http://example.org/a/b/"),
    ],
)
def test_an_address_is_completed(url: str, normal: str) -> None:
    assert normal_url(url) == normal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.org/a", "http://example.org/a/"),
        ("http://example.org/a", "http://example.org/A"),
        ("http://example.org/a", "https://example.org/a"),
        ("http://example.org/a", "http://www.example.org/a"),
        ("http://example.org/a//b", "http://example.org/a/b"),
        ("http://example.org/a%2Fb", "http://example.org/a/b"),
        ("http://example.org/?a=1&a=2", "http://example.org/?a=2&a=1"),
        ("http://example.org/?a=b%26c=d", "http://example.org/?a=b&c=d"),
        ("http://example.org/?q=a+b", "http://example.org/?q=a%20b"),
        ("http://example.org/?sid=7", "http://example.org/"),
        ("http://example.org/?source=send", "http://example.org/"),
    ],
)
def test_what_a_server_may_answer_differently_stays_two_addresses(one: str, other: str) -> None:
    assert normal_url(one) == one
    assert normal_url(one) != normal_url(other)


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("c", "http://example.org/a/c"),
        ("../c?x=1#y", "http://example.org/c?x=1"),
        ("/c", "http://example.org/c"),
        ("?x=1", "http://example.org/a/b?x=1"),
        ("", "http://example.org/a/b"),
        ("//other.example/c", "http://other.example/c"),
        ("https://other.example", "https://other.example/"),
        ("mailto:x@example.org", None),
        ("javascript:void(0)", None),
        ("tel:0121", None),
        ("data:text/html,x", None),
    ],
)
def test_a_link_is_read_from_where_it_stands(link: str, found: str | None) -> None:
    assert normal_url(link, base="http://example.org/a/b") == found


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://user:word@example.org/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://.../",
        "http://example.org/" + "a" * 2000,
        "http://example.org/\x00",
        "http://[::1",
    ],
)
def test_what_cannot_be_fetched_is_no_address(url: str) -> None:
    assert normal_url(url) is None


ANYTHING = st.text(alphabet=st.sampled_from("aB1./?&=#%2eE;:@\\ \té+ſ|\"'~sid"), max_size=40)
WEB = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["http://", "HTTPS://", "https:\\\\", "//", ""]),
    st.sampled_from(["example.org", "Exämple.org.", "EXAMPLE.org:80", "[::1]", ""]),
    st.sampled_from(["/", "?", "/a/..;jsessionid=1/", "/%2e%2e/", "/;a;sid=1;", "/?utm%5Fid=1&"]),
    ANYTHING,
)


@settings(max_examples=200, deadline=None)
@given(url=WEB)
def test_normalising_twice_changes_nothing(url: str) -> None:
    normal = normal_url(url, base="http://base.example/x/")
    if normal is not None:
        assert normal_url(normal) == normal
        assert normal.isascii()
        # the fetcher asks for exactly this
        assert str(checked_url(normal, ports=None)) == normal


def test_a_normal_address_is_tidy_to_the_database(db: psycopg.Connection) -> None:
    normal = [
        normal_url(url)
        for url in (ONE, "http://münchen.example/é?b=%c3&a", "http://[::1]:8080/a;b//", "http://a")
    ]
    assert None not in normal
    rows = db.execute("select intake.tidy_url(url) from unnest(%s::text[]) as url", [normal])
    assert [row[0] for row in rows] == normal


def test_a_site_is_scheme_host_and_port() -> None:
    assert site_key("http://example.org:8080/a/b?c=/d") == "http://example.org:8080"
    assert site_key("https://example.org/") == "https://example.org"
