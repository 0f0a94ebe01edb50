"""Runs over web sites, from the trigger to documents that are found, on a small web."""

import subprocess
import sys
from pathlib import Path

import psycopg

from providers.protocols import Embedder
from tests.ingest.crawl.runs import (
    crawl,
    outcomes,
    prepare,
    report,
    sources,
    start,
    work,
    work_until,
)
from tests.ingest.crawl.site_answers import (
    calendar,
    growing,
    html,
    script_only,
    sitemap,
    slow,
    text,
    words,
)
from tests.ingest.crawl.site_server import Web
from tests.ingest.library import one, wait_for
from tests.providers.fake_openai import FakeServer

ROOT = Path(__file__).resolve().parents[3]


def test_a_site_is_read_from_its_seed_and_its_sitemap_and_found(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.robots = text(f"User-agent: *\nDisallow: /private\nSitemap: {town.url('/map.xml')}")
    town.pages |= {
        "/": html("Town", words("home"), links=["/send", "/private/a", "http://other.example/x"]),
        "/send": html("SEND", words("send"), links=["/", "/logo.png"]),
        "/map.xml": sitemap([town.url("/listed"), town.url("/send"), "http://other.example/y"]),
        "/listed": html("Listed", words("listed")),
    }
    prepare(url, town.url())
    told = crawl(url, embedder, net)
    assert (told.state, told.new, told.blocked, told.reason) == ("done", 3, 1, None)
    assert sources(places) == ["/", "/listed", "/send"]
    # and one address that cannot exist, to know what the site says of those
    (probe,) = set(town.paths) - set(town.pages)
    assert sorted(town.paths) == sorted(["/", "/listed", "/map.xml", "/send", probe])
    assert one(places, "select count(*) from queue.task") == 0
    # and the site is known to have one robots.txt, read once
    assert town.count("/robots.txt") == 1


def test_two_workers_on_one_site_keep_its_delay(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.robots = text("User-agent: *\nCrawl-delay: 0.2")
    town.grow(8)
    prepare(url, town.url())
    # another site on the same host, so that two runs want it at once
    prepare(url, town.url(), la_code="E08000025")
    jobs = [start(url), start(url, la_code="E08000025")]
    work_until(
        url,
        embedder,
        net,
        lambda: all(report(url, job).state == "done" for job in jobs),
        workers=2,
    )
    assert len(town.paths) >= 16
    # robots.txt itself was asked for before its delay was known
    assert min(town.gaps()[1:]) >= 0.2
    assert town.most_at_once == 1


def test_a_run_that_is_killed_goes_on_and_fetches_no_finished_page_again(
    places: psycopg.Connection, url: str, embedder: Embedder, provider: FakeServer, net: Web
) -> None:
    town = net.host("www.town.example")
    town.grow(16)
    for path, answer in list(town.pages.items()):
        town.pages[path] = slow(answer, 0.05)
    prepare(url, town.url())
    job_id = start(url)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ingest.crawl.killed", url, provider.url, town.name], cwd=ROOT
    )
    try:
        wait_for(lambda: len(town.paths) > 6, seconds=60)
    finally:
        process.kill()
        process.wait()
    finished = {path for path, outcome in outcomes(places, job_id).items() if outcome}
    assert 3 < len(finished) < 16
    # the server sees that its connection is gone, and the next worker frees what it held
    wait_for(
        lambda: one(
            places,
            "select not exists (select from queue.task as t"
            " join pg_stat_activity as a on t.holder_pid = a.pid)",
        )
    )
    places.rollback()
    town.forget()
    work_until(url, embedder, net, lambda: report(url, job_id).state == "done")
    assert finished.isdisjoint(town.paths)
    assert report(url, job_id).new == 16
    assert len(sources(places)) == 16
    assert one(places, "select count(*) from corpus.version") == 16


def test_a_worker_starts_what_is_due(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.pages["/"] = html("Town", words("home"))
    prepare(url, town.url(), schedule="0 3 * * *")
    places.execute("update crawl.site set next_run_at = now()")
    places.commit()
    work(url, embedder, net)
    assert one(places, "select requested_by || ' ' || state from crawl.job") == "schedule done"
    assert sources(places) == ["/"]


def test_a_calendar_without_end_and_paths_that_grow_are_not_entered(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-07
    town = net.host("www.town.example")
    town.pages["/"] = html("Town", words("home"), links=["/calendar", "/more/"])
    town.under["/calendar"] = calendar()
    town.under["/more/"] = growing()
    prepare(url, town.url(), max_depth=10)
    told = crawl(url, embedder, net)
    assert (told.state, told.reason) == ("done", None)
    assert len(town.paths) < 12


def test_a_page_that_only_scripts_write_is_read_in_a_browser(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.pages["/"] = script_only(words("scripted"))
    prepare(url, town.url())
    told = crawl(url, embedder, net)
    assert (told.new, told.failed) == (1, 0)
    assert (
        one(
            places,
            "select count(*) from corpus.chunk where content like %s",
            f"%{words('scripted')[:40]}%",
        )
        > 0
    )
