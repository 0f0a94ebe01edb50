"""Pages that a site takes back without a 404: noindex, no text any more, text by POST (C-11)."""

import psycopg

from ingest.crawl.sites.calls import remarks
from providers.protocols import Embedder
from tests.ingest.crawl.runs import crawl, outcomes, prepare, sources
from tests.ingest.crawl.site_answers import html, script_only, validated, words
from tests.ingest.crawl.site_server import Host, Web
from tests.ingest.fetch.sites import page
from tests.ingest.library import one

NOINDEX = '<meta name="robots" content="noindex">'


def town_with(net: Web, *paths: str) -> Host:
    """A town whose front page links to these and to four more."""
    town = net.host("www.town.example")
    links = [*paths, *(f"/other/{number}" for number in range(4))]
    town.pages |= {path: html(path, words(path)) for path in links}
    town.pages["/"] = html("Town", words("home"), links=links)
    return town


def test_pages_that_ask_not_to_be_kept_any_more_are_found_no_more(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = town_with(net, "/said", "/sent")
    prepare(url, town.url())
    assert crawl(url, embedder, net).new == 7
    town.pages["/said"] = html("/said", words("/said"), links=["/more"], head=NOINDEX)
    town.pages["/more"] = html("/more", words("/more"))
    # not a byte of this one is another
    town.pages["/sent"] = html("/sent", words("/sent"), headers={"X-Robots-Tag": "noindex"})
    for retired in (0, 2):
        told = crawl(url, embedder, net)
        assert (told.state, told.gone, told.failed, told.retired) == ("done", 2, 0, retired)
    assert not {"/said", "/sent"} & set(sources(places))
    assert [(seen.url, seen.outcome) for seen in remarks(places, job_id=told.job_id)][-2:] == [
        (town.url("/said"), "withdrawn"),
        (town.url("/sent"), "withdrawn"),
    ]
    # where such a page leads is followed all the same, and it may come back
    assert town.count("/more") > 0
    # after a week it is asked again, and then not in every run
    places.execute(
        "update crawl.url set next_check = now(), archived_at = archived_at - interval '7 days'"
    )
    places.commit()
    town.forget()
    assert [crawl(url, embedder, net).gone for _ in range(3)] == [2, 0, 0]
    assert (town.count("/said"), town.count("/sent")) == (1, 1)
    town.pages["/said"] = html("/said", words("/said"))
    places.execute("update crawl.url set next_check = now()")
    places.commit()
    crawl(url, embedder, net)
    assert "/said" in sources(places)


def test_a_page_that_says_by_its_validators_that_it_is_as_it_was_may_be_withdrawn(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = town_with(net)
    markup = f"<title>Rules</title><main><p>{words('rules')}</p></main>"
    town.pages["/other/0"] = validated(markup, etag='"1"')
    prepare(url, town.url())
    crawl(url, embedder, net)
    headers = {"X-Robots-Tag": "none", "ETag": '"1"'}
    town.pages["/other/0"] = page(b"", status=304, headers=headers)
    assert crawl(url, embedder, net).gone == 1
    # it is asked for as a whole before it is believed
    town.pages["/other/0"] = page(markup.encode(), headers=headers)
    assert crawl(url, embedder, net).retired == 1
    assert ["If-None-Match" in seen.headers for seen in town.seen if seen.path == "/other/0"] == [
        False,
        True,
        False,
    ]


def test_pages_that_say_nothing_any_more_are_found_no_more(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    paths = ["/blank", "/menu"]
    town = town_with(net, *paths)
    prepare(url, town.url())
    assert crawl(url, embedder, net).new == 7
    links = "".join(f'<a href="/{number}">Part {number}</a>' for number in range(20))
    town.pages |= {
        "/blank": page(b"", headers={"Content-Type": "text/html"}),
        "/menu": page(
            f"<html><body><nav>{links}</nav></body></html>".encode(),
            headers={"Content-Type": "text/html"},
        ),
    }
    for retired in (0, 2):
        told = crawl(url, embedder, net)
        found = outcomes(places, told.job_id)
        assert {path: found[path] for path in paths} == dict.fromkeys(paths, "empty")
        assert (told.state, told.retired) == ("done", retired)
    assert not set(paths) & set(sources(places))
    assert one(
        places,
        "select count(*) from audit.event where kind = 'superseded'"
        " and detail ->> 'reason' = 'crawl: empty: it has no text any more'",
    ) == len(paths)


def test_a_page_whose_text_comes_by_post_says_so_and_posts_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, net: Web
) -> None:
    town = town_with(net, "/search", "/shell", "/app")
    prepare(url, town.url())
    crawl(url, embedder, net)
    town.pages |= {
        "/search": script_only("", source="/data", method="POST"),
        "/data": html("Data", words("data")),
        # nothing comes of the scripts of this one, which a browser runs to see
        "/shell": script_only(""),
        # and of this one a text, beside a menu that was there before
        "/app": script_only(words("app"), menu=["/", "/search", "/other/0"]),
    }
    told = crawl(url, embedder, net)
    found = outcomes(places, told.job_id)
    assert [found[path] for path in ("/search", "/shell", "/app")] == [
        "needs_post",
        "empty",
        "changed",
    ]
    assert (told.failed, told.gone, told.retired) == (1, 1, 0)
    assert {seen.method for seen in town.seen} == {"GET"}
    assert town.count("/data") == 0
    # what it said is still what is known of it
    assert "/search" in sources(places)
