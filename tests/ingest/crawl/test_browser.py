"""A real Chromium shows what scripts write, and reaches nothing that a plain fetch may not."""

import importlib.util
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import psutil
import pytest

from ingest.crawl.browser import (
    Browser,
    BrowserLimits,
    BrowserMissingError,
    Rendered,
    may_help,
)
from ingest.crawl.browser.visit import of_one_site
from ingest.fetch import FetchError
from ingest.parse.document import parse_document
from tests.ingest.crawl.site_answers import html, in_turn, script_only, status, text, words
from tests.ingest.crawl.site_server import Host, Web, web
from tests.ingest.fetch.sites import moved, page, tourist

PATIENT = BrowserLimits(wall_seconds=40, settle_seconds=3)
SECRET = "the plan is reviewed each year"


@pytest.fixture(scope="module")
def net() -> Iterator[Web]:
    """A web with a town, a place for its scripts, and a host inside."""
    with web() as one:
        one.settings = replace(one.settings, wall_seconds=40, quiet_seconds=10)
        yield one


@pytest.fixture
def town(net: Web) -> Host:
    """An empty town."""
    net.hosts.clear()
    return net.host("www.town.gov.uk")


def render(net: Web, url: str, limits: BrowserLimits = PATIENT) -> Rendered:
    """The page in a browser."""
    return Browser(net.fetcher(), limits=limits).render(url)


def failure(net: Web, url: str, limits: BrowserLimits = PATIENT) -> FetchError:
    """How it failed, which is one line."""
    with pytest.raises(FetchError) as caught:
        render(net, url, limits)
    assert "\n" not in caught.value.reason
    return caught.value


def browser_commands() -> list[list[str]]:
    """The command lines of all browsers that run; other children may end meanwhile."""
    commands = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            command = process.cmdline()
            if "pgkb-browser-" in " ".join(command) and (process.status() != psutil.STATUS_ZOMBIE):
                commands.append(command)
    return commands


def no_browser_is_left() -> bool:
    """Whether all that was started is gone."""
    gone_by = time.monotonic() + 5
    while time.monotonic() < gone_by:
        if not browser_commands():
            return True
        time.sleep(0.05)
    return False


def test_a_page_that_scripts_write_is_read(net: Web, town: Host) -> None:
    files = net.host("files.example")
    files.pages["/more"] = page(
        SECRET.encode(), headers={"Access-Control-Allow-Origin": "*", "Content-Type": "text/plain"}
    )
    town.pages["/"] = script_only(words("plan"), source=files.url("/more"))
    shown = render(net, town.url())
    assert (shown.url, shown.status) == (town.url(), 200)
    parsed = parse_document(shown.markup.encode(), header_charset="utf-8")
    assert SECRET in parsed.text
    assert parsed.title == "Ready"
    (asked, *_) = town.seen
    assert asked.headers["User-Agent"] == net.settings.user_agent
    assert no_browser_is_left()


def test_nothing_leaves_but_vetted_gets(net: Web, town: Host) -> None:
    inside = net.host("inside.example")
    out = net.host("out.example")
    reachable = net.resolver

    def resolver(host: str, port: int) -> list[str]:
        return ["10.0.0.1"] if host == "inside.example" else list(reachable(host, port))

    script = f"""
    const tries = [
      () => fetch('{inside.url("/fetched")}', {{mode: 'no-cors'}}),
      () => fetch('{out.url("/posted")}', {{method: 'POST', body: 'x', mode: 'no-cors'}}),
      () => navigator.sendBeacon('{out.url("/beacon")}', 'x'),
      () => new WebSocket('{out.url("/socket").replace("http", "ws")}'),
      () => new EventSource('{out.url("/events")}'),
      () => navigator.serviceWorker.register('/worker.js'),
      () => window.open('{inside.url("/opened")}'),
      () => {{
        const a = document.createElement('a'); a.href = '/file'; a.download = 'f'; a.click()
      }},
      () => fetch('http://2130706433:{net.port}/odd', {{mode: 'no-cors'}}),
      () => fetch('http://[::1]:{net.port}/six', {{mode: 'no-cors'}}),
      () => fetch('/sends-inside'),
      () => fetch('/sends-nowhere'),
      () => fetch('/ok'),
    ];
    for (const one of tries) {{ try {{ Promise.resolve(one()).catch(() => 0) }} catch {{}} }}
    """
    markup = (
        f'<html><head><link rel="preconnect" href="{out.url()}">'
        f'<link rel="prefetch" href="{inside.url("/prefetched")}">'
        f'<meta http-equiv="Content-Security-Policy" content="report-uri {out.url("/report")}">'
        f'</head><body><p>Words</p><iframe src="{inside.url("/framed")}"></iframe>'
        f'<iframe src="file:///etc/passwd"></iframe><img src="{out.url("/picture.png")}">'
        f"<script>{script}</script></body></html>"
    )
    town.pages |= {
        "/": page(markup.encode(), headers={"Content-Type": "text/html"}),
        "/ok": text("fine"),
        "/sends-inside": moved(inside.url("/redirected")),
        "/sends-nowhere": moved("http://["),
    }
    fetcher = tourist(net.settings, resolver)
    shown = Browser(fetcher, limits=PATIENT).render(town.url())
    assert "Words" in shown.markup
    assert "root:" not in shown.markup
    assert inside.seen == []
    assert out.seen == []
    assert {seen.method for seen in town.seen} == {"GET"}
    assert "/ok" in town.paths


def test_a_page_inside_is_refused_as_in_a_plain_fetch(net: Web, town: Host) -> None:
    town.pages["/"] = moved("http://10.0.0.1:80/")
    assert failure(net, town.url()).kind == "forbidden"
    town.pages["/script"] = page(b"<script>location.href = 'http://10.0.0.1:80/admin'</script>")
    assert failure(net, town.url("/script")).kind == "forbidden"


def test_each_address_is_checked_by_the_caller(net: Web, town: Host) -> None:
    town.pages |= {"/": script_only("Words", source="/private"), "/private": text(SECRET)}
    checked: list[str] = []

    def check(url: str) -> None:
        checked.append(url)
        if url.endswith("/private"):
            raise FetchError("forbidden", "robots.txt says no")

    Browser(net.fetcher(), limits=PATIENT).render(town.url(), check=check)
    assert checked == [town.url(), town.url("/private")]
    assert town.paths == ["/"]


def test_trouble_of_the_caller_reaches_the_caller(net: Web, town: Host) -> None:
    town.pages["/"] = script_only("Words", source="/data")

    def check(url: str) -> None:
        if url.endswith("/data"):
            raise LookupError("the database is gone")

    with pytest.raises(LookupError, match="gone"):
        Browser(net.fetcher(), limits=PATIENT).render(town.url(), check=check)
    assert no_browser_is_left()


def test_redirects_are_followed_and_a_page_may_write_anything(net: Web, town: Host) -> None:
    odd = """<p id=p>Words</p><form method=post action=/posted><input name=a></form><script>
        document.cookie = 'name=\u00e9\u4e2d'; fetch('/ok');
        document.getElementById('p').append('\\ud800 end'); document.forms[0].submit()</script>"""
    town.pages |= {
        "/": moved("/two"),
        "/two": moved("/three"),
        "/three": page(odd.encode(), headers={"Content-Type": "text/html; charset=utf-8"}),
        "/ok": text("x"),
    }
    shown = render(net, town.url())
    assert (shown.url, shown.status) == (town.url("/three"), 200)
    assert "end" in shown.markup
    # a form that submits itself changes nothing, and leaves the page where it is
    assert [seen.path for seen in town.seen if seen.method != "GET"] == []
    assert town.count("/ok") == 1


def test_a_door_that_a_script_opens_is_passed(net: Web, town: Host) -> None:
    door = page(
        b"<html><body>Just a moment...<script>document.cookie = 'open=yes';"
        b"location.reload()</script></body></html>",
        status=403,
        headers={"Content-Type": "text/html"},
    )

    def answer(request: object) -> None:
        seen = town.seen[-1].headers
        (html("Inside", SECRET) if "open=yes" in seen.get("Cookie", "") else door)(request)  # type: ignore[arg-type]

    town.pages["/"] = answer
    assert SECRET in render(net, town.url()).markup


def test_a_page_that_loads_itself_for_ever_is_left(net: Web, town: Host) -> None:
    town.pages["/"] = page(b"<script>setTimeout(() => location.reload(), 1)</script>")
    assert failure(net, town.url()).kind == "redirects"
    assert len(town.seen) <= 6


def test_a_site_that_refuses_a_browser_too_refuses(net: Web, town: Host) -> None:
    town.pages["/"] = status(403)
    error = failure(net, town.url())
    assert (error.kind, error.status) == ("status", 403)


def test_a_file_is_not_downloaded(net: Web, town: Host) -> None:
    town.pages |= {
        "/pdf": page(b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
        "/att": page(b"<p>x", headers={"Content-Disposition": "attachment; filename=x.html"}),
    }
    for path in ("/pdf", "/att"):
        assert failure(net, town.url(path)).kind == "broken"


def test_a_page_that_never_ends_is_killed(net: Web, town: Host) -> None:
    town.pages["/"] = page(b"<p>Words</p><script>while (true) {}</script>")
    began = time.monotonic()
    error = failure(net, town.url(), replace(PATIENT, wall_seconds=6))
    assert (error.kind, error.passing) == ("timeout", True)
    assert time.monotonic() - began < 30
    assert no_browser_is_left()


def test_a_page_that_takes_all_memory_is_killed(net: Web, town: Host) -> None:
    town.pages["/"] = page(
        b"<p>Words</p><script>const all = [];"
        b" while (true) all.push(new Uint8Array(1 << 23).fill(1))</script>"
    )
    limits = replace(PATIENT, memory=1_000_000_000)
    assert failure(net, town.url(), limits).kind == "too-big"
    assert no_browser_is_left()


def test_requests_and_bytes_of_a_page_are_bounded(net: Web, town: Host) -> None:
    town.pages["/"] = page(
        b"<script>for (let i = 0; i < 50; i++) fetch('/n?' + i);"
        b" document.write('x'.repeat(300000))</script>"
    )
    town.under["/n"] = text("x")
    limits = replace(PATIENT, max_requests=10, max_markup=100_000)
    assert failure(net, town.url(), limits).kind == "too-big"
    assert len(town.seen) <= 10
    town.pages["/big"] = html("Big", "x" * 300_000)
    assert failure(net, town.url("/big"), replace(PATIENT, max_bytes=100_000)).kind == "too-big"


def test_each_page_is_a_stranger_s_first_visit(net: Web, town: Host) -> None:
    town.pages["/"] = in_turn(
        html("One", "Words", headers={"Set-Cookie": "who=1; Path=/; Max-Age=9999"}),
        html("Two", "Words"),
    )
    for _ in range(2):
        render(net, town.url())
    assert all("Cookie" not in seen.headers for seen in town.seen)


@pytest.mark.parametrize(
    ("status_code", "size", "has_text", "helps"),
    [
        (403, 0, False, True),
        (406, 0, False, True),
        (429, 0, False, True),
        (401, 0, False, False),
        (404, 0, False, False),
        (500, 0, False, False),
        (200, 257, False, True),
        (200, 256, False, False),
        (200, 9000, True, False),
        (None, 9000, False, False),
    ],
)
def test_a_browser_is_tried_only_where_it_may_help(
    status_code: int | None, size: int, has_text: bool, helps: bool
) -> None:
    assert may_help(status=status_code, size=size, has_text=has_text) is helps


@pytest.mark.parametrize(
    ("asked", "is_its_own"),
    [
        ("http://www.town.gov.uk/data", True),
        ("https://api.town.gov.uk/data", True),
        ("https://town.gov.uk/data", True),
        # what counts readers, whatever it is called
        ("https://collect.example/town.gov.uk", False),
        ("https://www.nottown.gov.uk/", False),
        ("https://gov.uk/", False),
    ],
)
def test_what_scripts_ask_of_their_own_site_is_told_from_what_they_tell_others(
    asked: str, is_its_own: bool
) -> None:
    assert of_one_site(asked, "https://www.town.gov.uk/page") is is_its_own


def test_what_is_missing_is_said_in_one_line(net: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BrowserMissingError, match="apt-get install chromium") as caught:
        Browser(net.fetcher(), program="/nowhere/chromium")
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BrowserMissingError, match=r"pgkb\[browser\]"):
        Browser(net.fetcher())


def test_the_sandbox_is_off_for_root_alone(net: Web, town: Host) -> None:
    town.pages["/"] = page(b"<p>Words</p><script>fetch('/slow')</script>")
    flags: list[str] = []

    def look(request: object) -> None:
        flags.extend(chain.from_iterable(browser_commands()))
        text("x")(request)  # type: ignore[arg-type]

    town.pages["/slow"] = look
    render(net, town.url())
    assert ("--no-sandbox" in flags) is (os.geteuid() == 0)
    assert "--disable-background-networking" in flags
