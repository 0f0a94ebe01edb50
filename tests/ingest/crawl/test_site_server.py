"""The sites that the crawler is tested on do what they say."""

import io
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ingest.fetch import Fetched, FetchError
from tests.ingest.crawl.site_answers import (
    bomb,
    calendar,
    changing,
    drip,
    growing,
    html,
    in_turn,
    login_wall,
    slow,
    soft_404,
    status,
    validated,
    words,
    wrong_length,
)
from tests.ingest.crawl.site_server import Host, Web, web


@pytest.fixture
def net() -> Iterator[Web]:
    """A web without hosts."""
    with web() as one:
        yield one


def get(net: Web, url: str, **validators: str) -> tuple[Fetched, str]:
    """A page and its text."""
    into = io.BytesIO()
    fetched = net.fetcher().fetch(
        url, into, etag=validators.get("etag"), last_modified=validators.get("last_modified")
    )
    return fetched, into.getvalue().decode()


def test_hosts_are_told_apart_and_unknown_ones_do_not_exist(net: Web) -> None:
    for name in ("a.gov.uk", "b.gov.uk"):
        net.host(name).pages["/"] = html(name, "Words.")
    assert "<h1>b.gov.uk</h1>" in get(net, net.host("b.gov.uk").url())[1]
    with pytest.raises(FetchError, match="not known"):
        get(net, f"http://c.gov.uk:{net.port}/")
    assert net.host("a.gov.uk").seen == []


def test_requests_are_counted_and_timed(net: Web) -> None:
    town = net.host("town.gov.uk")
    town.pages["/"] = in_turn(slow(html("One", "Words."), 0.1), html("Two", "Words."))
    assert ["One" in get(net, town.url())[1], "Two" in get(net, town.url())[1]] == [True, True]
    assert town.count("/") == 2
    assert town.paths == ["/", "/"]
    assert town.gaps()[0] >= 0.1
    assert town.most_at_once == 1
    town.forget()
    assert town.seen == []


def test_a_grown_site_has_its_pages_two_steps_from_the_root(net: Web) -> None:
    town: Host = net.host("town.gov.uk")
    for count in (1, 2, 30, 500):
        town.pages.clear()
        town.grow(count)
        reached, edge = {"/"}, ["/"]
        for _ in range(2):
            linked = {
                part.split('"')[0]
                for path in edge
                for part in get(net, town.url(path))[1].split('href="')[1:]
            }
            edge = sorted(linked - reached)
            reached |= linked
        assert len(reached) == count
        assert reached == set(town.pages)


def test_a_changed_page_has_other_words_and_other_validators(net: Web) -> None:
    town = net.host("town.gov.uk")
    grown = town.grow(30)
    first, before = get(net, town.url(grown.path(7)))
    assert first.etag
    assert get(net, first.url, etag=first.etag)[0].unchanged
    grown.change(7)
    again, after = get(net, first.url, etag=first.etag)
    assert not again.unchanged
    assert before != after
    assert words("7") != words("8")
    grown.remove(7, status_code=410)
    with pytest.raises(FetchError, match="410"):
        get(net, first.url)


def test_trouble_is_real(net: Web) -> None:
    patient, brief = net.settings, replace(net.settings, wall_seconds=1)
    town = net.host("town.gov.uk")
    town.pages |= {
        "/bomb": bomb(3),
        "/drip": drip(),
        "/short": wrong_length(),
        "/500": status(500),
        "/new": changing("<html><body><p>Words</p></body></html>"),
        "/wall": login_wall(),
        "/date": validated("<p>Words</p>", last_modified="Thu, 31 Feb 2026"),
    }
    kinds = {}
    for path in ("/bomb", "/drip", "/short", "/500"):
        net.settings = brief if path == "/drip" else patient
        with pytest.raises(FetchError) as caught:
            get(net, town.url(path))
        kinds[path] = caught.value.kind
    assert kinds == {"/bomb": "too-big", "/drip": "timeout", "/short": "broken", "/500": "status"}
    assert get(net, town.url("/new"))[1] != get(net, town.url("/new"))[1]
    assert "type=password" in get(net, town.url("/wall"))[1]
    assert get(net, town.url("/date"), last_modified="Thu, 31 Feb 2026")[0].unchanged
    town.down()
    with pytest.raises(FetchError, match="503"):
        get(net, town.url("/new"))
    town.up()
    get(net, town.url("/new"))


def test_endless_spaces_have_no_end(net: Web) -> None:
    town = net.host("town.gov.uk")
    town.under = {"/calendar": calendar(), "/deep/": growing()}
    assert "month=42" in get(net, town.url("/calendar?month=41"))[1]
    assert "more/index.html" in get(net, town.url("/deep/more/more/"))[1]
    town.missing = soft_404()
    assert "/xyz" in get(net, town.url("/xyz"))[1]


def test_ending_a_web_ends_its_endless_answers() -> None:
    with web() as net:
        net.settings = replace(net.settings, wall_seconds=0.3)
        town = net.host("town.gov.uk")
        town.pages["/"] = drip()
        with pytest.raises(FetchError):
            get(net, town.url())
        began = time.monotonic()
    assert time.monotonic() - began < 10
