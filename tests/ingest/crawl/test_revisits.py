"""A site that is visited again: what is unchanged, what changed, what is gone."""

import psycopg

from ingest.tasks.crawl_job import EXTRACTOR
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
    changing,
    gone,
    html,
    html_text,
    status,
    words,
)
from tests.ingest.crawl.site_server import Grown, Host, Web
from tests.ingest.library import KENT, one
from tests.providers.fake_openai import FakeServer


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
