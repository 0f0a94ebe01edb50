"""What a site allows, by its robots.txt and beside its pages, is what a run does."""

import psycopg

from providers.protocols import Embedder
from tests.ingest.crawl.runs import (
    crawl,
    prepare,
    report,
    sources,
    start,
    work,
)
from tests.ingest.crawl.site_answers import (
    html,
    status,
    text,
    words,
)
from tests.ingest.crawl.site_server import Web
from tests.ingest.fetch.sites import page
from tests.ingest.library import one


def test_the_rules_of_a_site_that_changes_them_open_what_they_blocked(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.robots = text("User-agent: *\nDisallow: /private")
    town.pages |= {
        "/": html("Town", words("home"), links=["/private"]),
        "/private": html("Private", words("private")),
    }
    prepare(url, town.url())
    assert crawl(url, embedder, net).blocked == 1
    town.robots = text("User-agent: *\nDisallow: /other")
    places.execute("update crawl.host set robots_expires_at = now()")
    places.commit()
    assert crawl(url, embedder, net).new == 1
    assert sources(places) == ["/", "/private"]


def test_robots_that_cannot_be_read_mean_not_now(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-01
    town = net.host("www.town.example")
    town.pages["/"] = html("Town", words("home"))
    town.robots = status(503)
    prepare(url, town.url())
    job_id = start(url)
    work(url, embedder, net)
    assert (report(url, job_id).state, town.paths) == ("running", [])
    assert one(
        places, "select robots is null and next_at > now() + interval '20 minutes' from crawl.host"
    )
    town.robots = None
    places.execute("update crawl.host set next_at = now()")
    places.execute("update queue.task set ready_at = now()")
    places.commit()
    work(url, embedder, net)
    assert (report(url, job_id).state, report(url, job_id).new) == ("done", 1)


def test_a_site_that_says_so_beside_a_page_is_heard(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.pages |= {
        "/": html("Town", words("home"), links=["/kept", "/not", "/file"]),
        "/kept": html("Kept", words("kept"), headers={"X-Robots-Tag": "otherbot: noindex"}),
        "/not": html("Not", words("not"), links=["/more"], headers={"X-Robots-Tag": "noindex"}),
        "/more": html("More", words("more"), headers={"X-Robots-Tag": "nofollow"}, links=["/x"]),
        "/file": page(
            words("file").encode(),
            headers={"Content-Type": "text/plain", "X-Robots-Tag": "none"},
        ),
    }
    prepare(url, town.url())
    crawl(url, embedder, net)
    assert sources(places) == ["/", "/kept", "/more"]
    assert town.count("/x") == 0
