"""Whose a page is that a run meets: the site's, another's, the nation's or a school's."""

import psycopg

from ingest.crawl.sites.calls import load_policy_pages
from ingest.packs import calls as packs
from providers.protocols import Embedder
from tests.ingest.crawl.runs import (
    crawl,
    outcomes,
    prepare,
)
from tests.ingest.crawl.site_answers import (
    html,
    text,
    words,
)
from tests.ingest.crawl.site_server import Web
from tests.ingest.fetch.sites import moved
from tests.ingest.library import KENT, SCHOOL, one


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
