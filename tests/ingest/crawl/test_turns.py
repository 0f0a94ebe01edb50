"""What a run asks for: sitemaps hop by hop, and in time every page, whatever the seeds are."""

import psycopg

from providers.protocols import Embedder
from tests.ingest.crawl.runs import crawl, prepare, report, sources, start, work_until
from tests.ingest.crawl.site_answers import html, sitemap, text, words
from tests.ingest.crawl.site_server import Web
from tests.ingest.fetch.sites import moved


def test_each_hop_of_a_sitemap_is_judged_like_a_page(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-05, C-13: only the first address of a sitemap was looked at, and robots.txt at none
    town, away, inside = (
        net.host(name) for name in ("www.town.example", "away.example", "inside.example")
    )
    maps = ["/ours.xml", "/theirs.xml", "/private/map.xml", "/hides.xml", "/odd.xml", "/round.xml"]
    town.robots = text(
        "User-agent: *\nDisallow: /private\nCrawl-delay: 0.05\n"
        + "".join(f"Sitemap: {town.url(path)}\n" for path in maps)
    )
    listed = sitemap([town.url("/listed")])
    away.pages["/map.xml"] = inside.pages["/map.xml"] = listed
    town.pages |= {
        "/": html("Town", words("home")),
        "/ours.xml": moved("/index.xml"),
        "/index.xml": moved("/last.xml"),
        "/last.xml": listed,
        "/theirs.xml": moved(away.url("/map.xml")),
        "/private/map.xml": listed,
        "/hides.xml": moved("/private/other.xml"),
        "/private/other.xml": listed,
        "/odd.xml": moved("http://2130706433/map.xml"),
        "/round.xml": moved("/round.xml"),
        "/listed": html("Listed", words("listed")),
    }
    prepare(url, town.url())
    job_id = start(url)
    work_until(url, embedder, net, lambda: report(url, job_id).state == "done")
    assert sources(places) == ["/", "/listed"]
    assert (away.paths, inside.paths) == ([], [])
    assert not [path for path in town.paths if path.startswith("/private")]
    # each hop is a request with a turn of its own, asked once
    assert min(town.gaps()[1:]) >= 0.05
    assert all(town.count(path) == 1 for path in (*maps[:2], *maps[3:], "/index.xml", "/last.xml"))
    rows = places.execute(
        "select substring(url from '[^/]*[.]xml$'), outcome from crawl.visit"
        " where job_id = %s and kind = 'sitemap'",
        [job_id],
    ).fetchall()
    assert dict(rows) == {
        "ours.xml": "moved",
        "index.xml": "moved",
        "last.xml": "read",
        "theirs.xml": "outside",
        "map.xml": "blocked",
        "hides.xml": "moved",
        "other.xml": "blocked",
        "odd.xml": "failed",
        "round.xml": "failed",
    }
    # a sitemap is no page, whatever became of it
    assert places.execute(
        "select count(*)::int from crawl.url where url like '%%xml'"
    ).fetchone() == (0,)


def test_of_a_site_larger_than_its_budget_every_page_is_fetched_in_time(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    grown = town.grow(60)
    prepare(url, town.url(), max_pages=20)
    for _ in range(6):
        told = crawl(url, embedder, net)
        assert (told.state, told.requests) == ("done", 20)
    assert {grown.path(number) for number in range(60)} <= set(town.paths)


def test_seeds_that_fill_the_budget_leave_room_for_what_they_lead_to(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    seeds, linked, listed = (
        [f"/{kind}/{number}" for number in range(count)]
        for kind, count in (("seed", 6), ("linked", 6), ("listed", 3))
    )
    town.robots = text(f"User-agent: *\nSitemap: {town.url('/map.xml')}\n")
    town.pages |= {path: html(path, words(path)) for path in (*linked, *listed)}
    town.pages |= {
        seed: html(seed, words(seed), links=[page])
        for seed, page in zip(seeds, linked, strict=True)
    }
    town.pages["/map.xml"] = sitemap([town.url(path) for path in listed])
    prepare(url, *map(town.url, seeds), max_pages=6)
    for _ in range(5):
        told = crawl(url, embedder, net)
        assert (told.state, told.requests) == ("done", 6)
    assert {*seeds, *linked, *listed} <= set(town.paths)
    # and once all are known each run still looks at some of both
    town.forget()
    crawl(url, embedder, net)
    assert {path.split("/")[1] for path in town.paths} > {"seed"}
