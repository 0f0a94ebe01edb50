"""Runs over web sites, from the trigger to documents that are found, on a small web."""

import subprocess
import sys
from pathlib import Path

import psycopg

from ingest.crawl.sites.calls import load_policy_pages
from ingest.packs import calls as packs
from ingest.tasks.crawl_job import EXTRACTOR
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
    changing,
    gone,
    growing,
    html,
    html_text,
    script_only,
    sitemap,
    slow,
    status,
    text,
    words,
)
from tests.ingest.crawl.site_server import Grown, Host, Web
from tests.ingest.fetch.sites import moved, page
from tests.ingest.library import KENT, SCHOOL, one, wait_for
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


def test_where_a_redirect_ends_is_judged_like_every_page(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-04
    packs.load_domains(
        places, pack="test", rows=[{"domain": "gov.uk.example", "authority": "statutory"}]
    )
    places.commit()
    town, away, nation = (
        net.host(name) for name in ("www.town.example", "away.example", "www.gov.uk.example")
    )
    town.robots = text("User-agent: *\nDisallow: /private")
    away.pages["/p"] = html("Away", words("away"))
    nation.pages["/law"] = html("Law", words("law"), links=["/more"])
    town.pages |= {
        "/": html("Town", words("home"), links=["/a", "/b", "/c", "/d"]),
        "/a": moved(away.url("/p")),
        "/b": moved(nation.url("/law")),
        "/c": moved("/private"),
        "/d": moved("/e"),
        "/e": html("Moved here", words("e")),
        "/private": html("Private", words("private")),
    }
    prepare(url, town.url())
    told = crawl(url, embedder, net)
    found = outcomes(places, told.job_id)
    assert {path: found[path] for path in ("/a", "/b", "/c", "/d", "/private", "/law")} == {
        "/a": "outside",
        "/b": "moved",
        "/c": "moved",
        "/d": "moved",
        "/private": "blocked",
        "/law": "new",
    }
    assert (away.paths, town.count("/private"), nation.paths) == ([], 0, ["/law"])
    places.rollback()
    assert places.execute(
        "select s.kind, count(*)::int from corpus.document join corpus.scope as s using (scope_id)"
        " group by 1 order by 1"
    ).fetchall() == [("la", 2), ("national", 1)]


def test_a_national_page_is_fetched_once_and_not_once_per_authority(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    packs.load_domains(
        places, pack="test", rows=[{"domain": "law.example", "authority": "statutory"}]
    )
    places.commit()
    law = net.host("law.example")
    law.pages["/"] = html("Law", words("law"))
    prepare(url, law.url(), domain="law.example")
    assert crawl(url, embedder, net, domain="law.example").new == 1
    for name, code in (("kent.example", KENT), ("brum.example", "E08000025")):
        town = net.host(name)
        town.pages |= {
            "/": html(name, words(name), links=["/law", law.url()]),
            "/law": moved(law.url()),
        }
        prepare(url, town.url(), la_code=code)
        crawl(url, embedder, net, la_code=code)
    assert law.count("/") == 1
    assert (
        one(
            places,
            "select la_code from corpus.scope join corpus.document using (scope_id)"
            " where source = %s",
            law.url(),
        )
        is None
    )


def test_of_a_schools_site_its_policies_are_kept(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    load_policy_pages(
        places,
        pack="test",
        rows=[{"slug": "send", "name": "SEND", "phrases": ["send policy"], "unless": []}],
    )
    places.commit()
    school = net.host("www.hawthorn.example")
    school.pages |= {
        "/": html("Hawthorn", words("welcome"), links=["/policies", "/news", "/menu.pdf"]),
        "/policies": html("Policies", words("list"), links=[("/p1", "Our SEND policy 2025")]),
        "/p1": html("SEND policy", words("policy")),
        "/news": html("News", words("news")),
    }
    prepare(url, school.url(), school_urn=SCHOOL)
    told = crawl(url, embedder, net, school_urn=SCHOOL)
    assert (told.new, told.skipped, told.parsed) == (1, 3, 1)
    assert school.count("/menu.pdf") == 0
    assert places.execute(
        "select s.la_code, s.school_urn, v.document_type from corpus.version as v"
        " join corpus.document using (document_id) join corpus.scope as s using (scope_id)"
    ).fetchall() == [("E08000025", SCHOOL, "school_policy")]


def test_a_page_that_only_seems_to_change_is_unchanged(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-09
    town = net.host("www.town.example")
    town.pages["/"] = changing(html_text("Town", words("home")))
    prepare(url, town.url())
    assert crawl(url, embedder, net).new == 1
    told = crawl(url, embedder, net)
    assert (told.unchanged, told.parsed) == (1, 1)
    assert one(places, "select count(*) from corpus.version") == 1


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


def test_a_page_that_is_gone_is_found_no_more_and_a_site_that_is_down_loses_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    # C-11
    town = net.host("www.town.example")
    grown = town.grow(12)
    prepare(url, town.url())
    assert crawl(url, embedder, net).new == 12
    town.pages[grown.path(11)] = gone()
    told = crawl(url, embedder, net)
    assert (told.gone, told.retired, len(sources(places))) == (1, 1, 11)
    town.down(status(404))
    told = crawl(url, embedder, net)
    assert (told.state, told.retired, len(sources(places))) == ("stopped", 0, 11)
    town.down(status(500))
    job_id = start(url)
    # it is asked three times each, but nobody here waits for that
    for _ in range(40):
        work(url, embedder, net)
        places.execute("update crawl.visit set ready_at = now()")
        places.execute("update crawl.host set next_at = now()")
        places.execute("update queue.task set ready_at = now() where kind = 'crawl_job'")
        places.commit()
    assert (report(url, job_id).state, len(sources(places))) == ("stopped", 11)


def know(db: psycopg.Connection, town: Host, grown: Grown, count: int) -> None:
    """All pages of a site are known and published, as a run leaves them."""
    pages = [
        (town.url(grown.path(number)), f'"{number}-1"', b"%032d" % number)
        for number in range(count)
    ]
    with db.cursor() as cursor:
        cursor.executemany(
            "with scope as (select corpus.scope_for(la_code => %(la)s) as scope_id),"
            " document as (insert into corpus.document (scope_id, source, source_family)"
            " select scope_id, %(url)s, 'town' from scope returning document_id),"
            " version as (insert into corpus.version (document_id, version, state, title,"
            " content_hash, file_type, valid_from, published_at)"
            " select document_id, 1, 'published', 'Page', %(hash)s, 'html', current_date, now()"
            " from document returning document_id)"
            " insert into crawl.url (site_id, url, depth, wanted, document_id, etag, content_hash,"
            " extractor, version, last_checked, next_check)"
            " select site_id, %(url)s, 1, true, document_id, %(etag)s, %(hash)s, %(extractor)s, 1,"
            " now(), now() from version, crawl.site",
            [
                {"la": KENT, "url": url, "etag": etag, "hash": hash_, "extractor": EXTRACTOR}
                for url, etag, hash_ in pages
            ],
        )
    db.commit()


def test_an_unchanged_site_of_500_pages_is_asked_and_neither_read_nor_embedded(
    places: psycopg.Connection, url: str, embedder: Embedder, provider: FakeServer, net: Web
) -> None:
    town = net.host("www.town.example")
    grown = town.grow(500)
    prepare(url, town.url(), max_pages=600)
    know(places, town, grown, 500)
    told = crawl(url, embedder, net)
    assert (told.state, told.known, told.unchanged, told.parsed) == ("done", 500, 500, 0)
    assert {grown.path(number) for number in range(500)} <= set(town.paths)
    assert provider.texts == []
    assert one(places, "select count(*) from corpus.version") == 500


def test_ten_pages_that_change_are_ten_new_versions(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    grown = town.grow(60)
    prepare(url, town.url())
    know(places, town, grown, 60)
    grown.change(*range(20, 30))
    told = crawl(url, embedder, net)
    assert (told.changed, told.unchanged, told.parsed) == (10, 50, 10)
    assert places.execute(
        "select version, state, count(*)::int from corpus.version group by 1, 2 order by 1, 2"
    ).fetchall() == [(1, "published", 50), (1, "superseded", 10), (2, "published", 10)]


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


def test_a_page_that_says_what_the_site_says_of_missing_ones_is_not_there(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    """A soft 404: answered with 200, in words that no list of error pages knows."""
    town = net.host("www.town.example")
    welcome = html("Town", words("welcome to our new look and have a stroll around"))
    town.missing = welcome
    town.pages |= {
        "/": html("Town", words("home"), links=["/send", "/old-policy"]),
        "/send": html("SEND", words("send")),
    }
    prepare(url, town.url())
    told = crawl(url, embedder, net)
    assert (told.state, told.new, told.gone) == ("done", 2, 1)
    assert sources(places) == ["/", "/send"]
    # a page that was there and is not any more is missed like one that says so by its status
    del town.pages["/send"]
    told = crawl(url, embedder, net)
    assert (told.gone, told.lost) == (1, 1)


def test_a_site_that_shows_its_home_page_for_everything_keeps_it(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = net.host("www.town.example")
    town.missing = home = html("Town", words("home"), links=["/nothing"])
    town.pages["/"] = home
    prepare(url, town.url())
    assert crawl(url, embedder, net).new == 1
    assert sources(places) == ["/"]
