"""A crawl stays on the sites it was sent to, wherever links and redirects lead."""

from pathlib import Path

import pytest

from ingest.crawl.scope import Scope, registrable
from ingest.packs.files import read_pack

PACK = Path("packs/send")
COUNCIL = Scope(
    seeds=["https://www.town.gov.uk/send", "https://www.townlocaloffer.org.uk"],
    prefixes=["https://www.town.gov.uk/send"],
    national=["gov.uk", "ipsea.org.uk"],
)


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("www.town.gov.uk", "town.gov.uk"),
        ("send.town.gov.uk", "town.gov.uk"),
        ("town.gov.uk", "town.gov.uk"),
        ("www.gov.uk", "www.gov.uk"),
        ("hill.town.sch.uk", "hill.town.sch.uk"),
        ("www.hill.town.sch.uk", "hill.town.sch.uk"),
        ("a.blogspot.com", "a.blogspot.com"),
        ("www.offer.co.uk", "offer.co.uk"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("localhost", "localhost"),
        ("gov.uk", "gov.uk"),
    ],
)
def test_a_site_is_what_one_body_registered(host: str, site: str) -> None:
    assert registrable(host) == site


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://www.town.gov.uk/send", "inside"),
        ("https://www.town.gov.uk/send/", "inside"),
        ("https://www.town.gov.uk/send/offer?id=1", "inside"),
        ("https://www.town.gov.uk/send?id=1", "inside"),
        ("http://www.town.gov.uk/send/a", "inside"),
        ("https://www.town.gov.uk/sending-mail", "other-path"),
        ("https://www.town.gov.uk/bins", "other-path"),
        ("https://send.town.gov.uk/send", "other-path"),
        # a site without prefixes is open as a whole
        ("https://townlocaloffer.org.uk/anything", "inside"),
        ("https://files.townlocaloffer.org.uk/a.pdf", "inside"),
        # neighbours under one suffix, and names that only look like it
        ("https://www.village.gov.uk/send", "other-site"),
        ("https://www.town.gov.uk.evil.example/send", "other-site"),
        ("https://eviltown.gov.uk/send", "other-site"),
        # C-04: what holds everywhere is told apart, whoever links to it
        ("https://www.gov.uk/send", "national"),
        ("https://gov.uk/send", "national"),
        ("https://www.ipsea.org.uk/", "national"),
        ("https://advice.ipsea.org.uk/", "other-site"),
    ],
)
def test_an_address_is_inside_national_or_neither(url: str, where: str) -> None:
    assert COUNCIL.where(url) == where
    assert COUNCIL.holds(url) is (where == "inside")


def test_a_national_domain_may_be_a_crawl_of_its_own() -> None:
    # its own crawl knows it as its site and not as somebody else's link
    assert Scope(seeds=["https://www.ipsea.org.uk/"]).holds("https://www.ipsea.org.uk/advice")


def test_a_seed_outside_the_prefixes_is_where_the_crawl_begins() -> None:
    scope = Scope(seeds=["https://town.gov.uk/"], prefixes=["https://town.gov.uk/send/"])
    assert scope.holds("https://town.gov.uk/")
    assert scope.holds("https://town.gov.uk/send/a")
    assert not scope.holds("https://town.gov.uk/send")


def test_a_seed_that_is_no_address_opens_nothing() -> None:
    scope = Scope(seeds=["", "file:///etc", "https://"], prefixes=["nothing"])
    assert scope.where("https://town.gov.uk/") == "other-site"


def test_no_council_of_the_pack_shares_a_site_with_a_national_domain() -> None:
    pack = read_pack(PACK)
    national = {str(row.values["domain"]) for row in pack.domains}
    councils = [str(row.values["website"]) for row in pack.authorities if row.values["website"]]
    assert len(councils) > 100
    outside = [
        url for url in councils if not Scope(seeds=[url], national=national).holds(url + "/")
    ]
    assert outside == []
