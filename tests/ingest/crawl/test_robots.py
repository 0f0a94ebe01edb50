"""A site's wishes are read as it meant them, and silence is never taken for consent."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.crawl.robots import (
    LONGEST_DELAY,
    MOST_BYTES,
    RobotsAnswer,
    RobotsRules,
    agent_token,
    ask_robots,
    robots_text,
    robots_url,
)
from ingest.fetch.settings import FetchSettings
from tests.ingest.fetch.sites import BRISK, Answer, Site, moved, names, page, raw, site, tourist

SITE = "https://www.example.gov.uk"
AGENT = "pgkb/0.1 (fetches documents for a knowledge base)"


def rules(text: str) -> RobotsRules:
    """The rules of a text for us."""
    return RobotsRules.read(text, user_agent=AGENT)


def allowed(text: str, path: str) -> bool:
    """Whether a path is allowed by a text."""
    return rules(text).allows(SITE + path)


@pytest.mark.parametrize(
    ("text", "path", "verdict"),
    [
        # C-03: the longest rule wins wherever it stands, and Allow wins a tie
        ("User-agent: *\nDisallow: /a/\nAllow: /a/ok.html", "/a/ok.html", True),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/ok.html", "/a/other.html", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        # wildcards and the end of a path
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?a=1", True),
        ("User-agent: *\nDisallow: /x/*/z", "/x/y/z/w", False),
        # a group of our own replaces the one for all, and two of our own are one
        ("User-agent: *\nDisallow: /\n\nUser-agent: pgkb\nDisallow: /b", "/a", True),
        ("User-agent: pgkb\nDisallow: /a\n\nUser-agent: PGKB\nDisallow: /b", "/a", False),
        ("User-agent: pgkb\nDisallow: /a\n\nUser-agent: PGKB\nDisallow: /b", "/b", False),
        ("User-agent: other\nUser-agent: pgkb\nDisallow: /", "/a", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        # an empty rule forbids nothing
        ("User-agent: *\nDisallow:", "/a", True),
        ("", "/a", True),
        ("<html><body>Not found</body></html>", "/a", True),
        # percent signs on either side
        ("User-agent: *\nDisallow: /caf%C3%A9", "/caf%C3%A9/x", False),
        ("User-agent: *\nDisallow: /café", "/caf%C3%A9/x", False),
        # the query counts
        ("User-agent: *\nDisallow: /*?print=", "/a?print=1", False),
        ("User-agent: *\r\nDisallow: /a # all of it\r\n", "/a", False),
        ("User-agent: *\rDisallow: /a\r", "/a", False),
    ],
)
def test_rules_mean_what_the_standard_says(text: str, path: str, verdict: bool) -> None:
    assert allowed(text, path) is verdict


def test_of_thirty_rules_each_holds() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /closed-{n:02}/\n" for n in range(30))
    assert [n for n in range(30) if allowed(text, f"/closed-{n:02}/x")] == []
    assert allowed(text, "/closed-30/x")


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("Crawl-delay: 1\nRequest-rate: 1/10", 10),
        ("Request-rate: 30/1m", 2),
        ("Crawl-delay: 100000", LONGEST_DELAY),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -4", None),
        ("Crawl-delay: inf", None),
        ("Disallow: /a", None),
    ],
)
def test_the_pace_asked_for_is_kept_within_reason(lines: str, delay: float | None) -> None:
    assert rules(f"User-agent: *\n{lines}").delay == delay


def test_a_byte_order_mark_hides_no_rule() -> None:
    # C-02
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"):
        text = robots_text(mark + b"User-agent: *\nDisallow: /private")
        assert not allowed(text, "/private/x")
    wide = robots_text("\ufeffUser-agent: *\nDisallow: /private".encode("utf-16-le"))
    assert not allowed(wide, "/private/x")


def test_what_is_no_text_has_no_rules() -> None:
    assert robots_text(bytes(range(256)) * 40) == ""
    assert "\x00" not in robots_text(b"User-agent: *\x00\nDisallow: /")


def test_a_rule_that_the_size_limit_cuts_is_left_out() -> None:
    start = b"User-agent: *\nDisallow: /first\n"
    last = b"Disallow: /"
    body = start + b"#" * (MOST_BYTES - len(start) - len(last) - 1) + b"\n" + last + b"secret/x\n"
    text = robots_text(body)
    assert not allowed(text, "/first")
    assert allowed(text, "/other")


LINES = st.lists(
    st.sampled_from(["User-agent: *", "Disallow:", "Allow:", "Crawl-delay:", "Request-rate:"])
    | st.text(alphabet=st.sampled_from("/a*$%:#1é\n \ufeff?=-/"), max_size=12),
    max_size=20,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(text=LINES, path=st.text(alphabet=st.sampled_from("/a*$%é?="), max_size=12))
def test_no_robots_txt_stops_the_crawl(text: str, path: str) -> None:
    found = rules(robots_text(text.encode()))
    assert found.allows(f"{SITE}/{path}") in {True, False}
    assert found.delay is None or 0 <= found.delay <= LONGEST_DELAY


def test_sitemaps_are_addresses_and_need_no_group() -> None:
    found = rules("Sitemap: /map.xml\nSitemap: HTTPS://Other.example/map.xml\nSitemap: ftp://x/")
    assert found.sitemaps(SITE) == (f"{SITE}/map.xml", "https://other.example/map.xml")


@pytest.mark.parametrize(
    ("header", "token"),
    [
        (AGENT, "pgkb"),
        ("CouncilBot", "councilbot"),
        ("Mozilla/5.0 (compatible; CouncilBot/2.1; +https://example.org/bot)", "councilbot"),
        ("???", "pgkb"),
    ],
)
def test_we_are_known_by_the_product_in_our_name(header: str, token: str) -> None:
    assert agent_token(header) == token


# ---- asking for it (C-01) ----------------------------------------------------------------------


@pytest.fixture
def town() -> Iterator[Site]:
    """A site without pages."""
    with site() as one:
        yield one


def asked(
    town: Site, answer: Answer, *, failures: int = 0, patience: FetchSettings = BRISK
) -> RobotsAnswer:
    """What asking a site that answers like this gives."""
    town.pages["/robots.txt"] = answer
    return ask_robots(tourist(patience), town.url("/a/page"), failures=failures)


def test_the_rules_of_a_site_hold_for_a_day(town: Site) -> None:
    answer = asked(town, page(b"\xef\xbb\xbfUser-agent: *\nDisallow: /private"))
    assert (answer.state, answer.status) == ("rules", 200)
    assert answer.good_for == timedelta(days=1)
    assert not RobotsRules.read(answer.text, user_agent=AGENT).allows(town.url("/private"))
    assert robots_url(town.url("/a/page")) == town.url("/robots.txt")


@pytest.mark.parametrize("status", [404, 410, 400, 401, 403])
def test_a_site_that_has_none_allows_everything(town: Site, status: int) -> None:
    answer = asked(town, page(b"<html>Disallow: /", status=status))
    assert (answer.state, answer.text, answer.status) == ("allow-all", "", status)


@pytest.mark.parametrize("status", [500, 501, 502, 503, 505, 429, 408])
def test_a_site_in_trouble_is_left_alone_and_asked_again_soon(town: Site, status: int) -> None:
    answer = asked(town, page(b"<html>an error</html>", status=status))
    assert (answer.state, answer.text, answer.status) == ("not-now", "", status)
    assert answer.good_for == timedelta(minutes=30)


def test_patience_grows_up_to_a_day(town: Site) -> None:
    waits = [asked(town, page(status=500), failures=n).good_for for n in (0, 1, 2, 99)]
    assert waits == [timedelta(minutes=m) for m in (30, 60, 120, 24 * 60)]


def test_a_site_that_names_a_time_is_taken_at_its_word(town: Site) -> None:
    answer = asked(town, page(status=429, headers={"Retry-After": "7200"}))
    assert answer.good_for == timedelta(hours=2)


def test_silence_is_no_consent(town: Site) -> None:
    for answer in (
        asked(town, raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\n")),
        asked(town, page(b"not gzip", headers={"Content-Encoding": "gzip"})),
        asked(town, moved("ftp://example.org/robots.txt")),
        ask_robots(tourist(), "http://nowhere.example/"),
        ask_robots(tourist(resolver=names(inside_example="10.0.0.1")), "http://inside.example/"),
        # the last, as the site is busy with it
        asked(town, raw(b"", pause=3), patience=replace(BRISK, quiet_seconds=0.3)),
    ):
        assert answer.state == "not-now"


def test_a_slow_drip_is_cut_off(town: Site) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    began = time.monotonic()
    drip = raw(head, b"# a\n", pause=0.05, forever=True)
    answer = asked(town, drip, patience=replace(BRISK, wall_seconds=1))
    assert answer.state == "not-now"
    # whoever counts from each piece anew never ends
    assert time.monotonic() - began < 10


def test_redirects_are_followed_and_the_rules_are_the_asking_site_s(town: Site) -> None:
    with site("127.0.0.2", {"/r": page(b"User-agent: *\nDisallow: /private")}) as other:
        answer = asked(town, moved(other.url("/r"), 301))
    assert answer.state == "rules"
    assert not RobotsRules.read(answer.text, user_agent=AGENT).allows(town.url("/private"))


def test_a_redirect_inside_is_not_followed(town: Site) -> None:
    assert asked(town, moved("http://10.0.0.1:80/robots.txt")).state == "not-now"


def test_after_five_redirects_there_is_none(town: Site) -> None:
    town.pages |= {f"/{n}": moved(f"/{n + 1}") for n in range(9)}
    town.pages["/5"] = page(b"User-agent: *\nDisallow: /private")
    assert asked(town, moved("/1")).state == "rules"
    town.asked.clear()
    assert asked(town, moved("/0")).state == "allow-all"
    assert len(town.asked) == 6


def test_of_an_endless_file_the_beginning_is_read(town: Site) -> None:
    body = b"User-agent: *\nDisallow: /private\n" + b"# nothing to see\n" * 200_000
    answer = asked(town, page(body))
    assert answer.state == "rules"
    assert len(answer.text) <= MOST_BYTES
    assert not RobotsRules.read(answer.text, user_agent=AGENT).allows(town.url("/private"))
