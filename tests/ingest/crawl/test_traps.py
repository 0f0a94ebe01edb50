"""A crawl ends, and an error page is not taken for a document (C-07)."""

import secrets
from collections.abc import Iterator
from io import BytesIO

import pytest

from ingest.crawl.links import read_links
from ingest.crawl.traps import MOST_VARIANTS, is_like, path_of, probe_of, trap_of
from ingest.parse.document import parse_document
from ingest.parse.result import Refused
from tests.ingest.crawl.site_answers import calendar, growing, html, login_wall, soft_404, words
from tests.ingest.crawl.site_server import Host, Web, web
from tests.ingest.fetch.sites import page

SITE = "https://www.town.gov.uk"


@pytest.fixture
def net() -> Iterator[Web]:
    """A web without hosts."""
    with web() as one:
        yield one


@pytest.mark.parametrize(
    "path",
    [
        "/calendar?month=7",
        "/calendar?month=-120",
        "/page?month=2026-05",
        "/events?date=2026-05-01",
        "/events/2026/05/",
        "/whats-on/2026-05-01",
        "/school-calendar/2026/may",
        "/news?tribe-bar-date=2026-05-01",
        "/term-dates?ical=1",
        "/diary?year=2031&day=4",
        "/a/b/a/b",
        "/more/more/more/",
        "/x/a/b/c/a/b/c/d",
        "/" + "/".join(f"s{n}" for n in range(15)),
        "/find?" + "&".join(f"f{n}=1" for n in range(9)),
    ],
)
def test_what_has_no_end_is_not_entered(path: str) -> None:
    assert trap_of(SITE + path)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/send/local-offer/education/send/support",
        "/calendar",
        "/events/coffee-morning-for-parents",
        "/term-dates-2026-2027",
        "/news/2026/05/new-panel",
        "/policies?year=2025",
        "/directory?page=12&category=3",
        "/docs/2025/2025/plan.pdf",
        "/monthly?m=about",
        "/prevent/strategy?date=2026-05-01",
        "/find?" + "&".join(f"f{n}=1" for n in range(8)),
    ],
)
def test_ordinary_pages_are_no_traps(path: str) -> None:
    assert trap_of(SITE + path) is None


def test_a_path_has_so_many_variants_and_no_more() -> None:
    assert trap_of(f"{SITE}/find?a=1", variants=MOST_VARIANTS - 1) is None
    assert trap_of(f"{SITE}/find?a=1", variants=MOST_VARIANTS)
    assert trap_of(f"{SITE}/find", variants=MOST_VARIANTS) is None
    assert path_of(f"{SITE}/find?a=/b?") == f"{SITE}/find"


def _crawl(net: Web, host: Host, start: str) -> int:
    """How many pages are reached without a budget."""
    waiting, seen = [host.url(start)], {host.url(start)}
    while waiting:
        url = waiting.pop()
        body = BytesIO()
        net.fetcher().fetch(url, body)
        for link in read_links(body.getvalue(), url=url).links:
            if link.url not in seen and trap_of(link.url) is None:
                seen.add(link.url)
                waiting.append(link.url)
        assert len(seen) < 50
    return len(seen)


def test_an_endless_calendar_and_a_growing_path_come_to_an_end(net: Web) -> None:
    town = net.host("www.town.gov.uk")
    town.under = {"/calendar": calendar(), "/old/": growing()}
    assert _crawl(net, town, "/calendar") == 1
    assert _crawl(net, town, "/old/") < 10


# ---- pages that pretend ------------------------------------------------------------------------


def _text(net: Web, url: str) -> str:
    body = BytesIO()
    net.fetcher().fetch(url, body)
    return parse_document(body.getvalue()).text


def _shop_404(path: str) -> str:
    """An error page that no wording gives away."""
    return "Oh dear\n" + words("an error that does not say so", 80) + f"\nYou asked for {path}"


def test_an_error_page_that_says_nothing_is_known_by_its_like(net: Web) -> None:
    town = net.host("www.town.gov.uk")
    town.missing = lambda request: html("Oh", _shop_404(request.path))(request)
    town.pages["/real"] = html("Transport", words("transport"))
    probe = probe_of(town.url("/a/b?c=1"), token=secrets.token_hex(8))
    assert probe.startswith(town.url("/a/"))
    missing = _text(net, probe)
    for path, pretends in (("/moved/long/ago", True), ("/a/gone?x=1", True), ("/real", False)):
        url = town.url(path)
        assert is_like(_text(net, url), missing, url=url, probe=probe) is pretends, path


def test_a_page_in_the_same_frame_is_not_an_error_page() -> None:
    frame = "Town council. Sign up for news. Report a problem. " * 3
    missing = frame + "We looked for it everywhere."
    assert not is_like(frame + words("a page of its own"), missing)
    assert is_like(missing, missing)
    assert not is_like("", missing)


@pytest.mark.parametrize(
    "answer", [soft_404(), login_wall(), page(b"<title>Just a moment...</title>")]
)
def test_walls_and_error_pages_in_words_are_refused_by_the_parser(net: Web, answer: object) -> None:
    town = net.host("www.town.gov.uk")
    town.pages["/"] = answer  # type: ignore[assignment]
    with pytest.raises(Refused):
        _text(net, town.url())
