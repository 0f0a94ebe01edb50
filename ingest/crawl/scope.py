"""Which addresses belong to a crawl: those of the sites it began at, below the paths it may enter.

A site is what one body registered: www.town.gov.uk and send.town.gov.uk are one site, and so are
http and https; two councils under gov.uk, two schools under sch.uk and two blogs of one provider
are not. The Public Suffix List, which comes with a package, says where names are given out.

Every address is judged by itself, those that redirects lead to included (C-04).
"""

from collections.abc import Iterable
from functools import cache
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

from ingest.crawl.urls import normal_url

Where = Literal["inside", "national", "other-site", "other-path"]


class Scope:
    """What a crawl may enter.

    `seeds` are where it begins; their sites are its sites. `prefixes` are addresses that pages
    must begin with, each for its own site; a site without any is open as a whole. `national` are
    the hosts whose pages hold everywhere, as `domains.csv` of a pack writes them.
    """

    def __init__(
        self, *, seeds: Iterable[str], prefixes: Iterable[str] = (), national: Iterable[str] = ()
    ) -> None:
        starts = [url for url in map(normal_url, seeds) if url is not None]
        self._seeds = frozenset(starts)
        self._sites = frozenset(registrable(host_of(url)) for url in starts)
        self._national = frozenset(national)
        self._prefixes: dict[str, list[str]] = {}
        for prefix in prefixes:
            url = normal_url(prefix)
            if url is not None:
                self._prefixes.setdefault(registrable(host_of(url)), []).append(_bare(url))

    def where(self, url: str) -> Where:
        """Where a normal address lies.

        A national host is national even within a site of the crawl: www.gov.uk has no council.
        """
        host = host_of(url)
        if bare_host(host) in self._national:
            return "national"
        site = registrable(host)
        if site not in self._sites:
            return "other-site"
        prefixes = self._prefixes.get(site)
        # a crawl must be able to begin
        if prefixes is None or url in self._seeds:
            return "inside"
        bare = _bare(url)
        return "inside" if any(_below(bare, prefix) for prefix in prefixes) else "other-path"

    def holds(self, url: str) -> bool:
        """Whether a normal address is one of the crawl's own."""
        return self.where(url) == "inside"


def host_of(url: str) -> str:
    """The host of a normal address, without its port."""
    return urlsplit(url).hostname or ""


def bare_host(host: str) -> str:
    """The host less a leading `www.`, as `domains.csv` writes it."""
    return host.removeprefix("www.")


def registrable(host: str) -> str:
    """The name that a body registered, of a host; numbers and short names stand for themselves."""
    try:
        return str(ip_address(host))
    except ValueError:
        return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    # reading the list takes a while: once, and not before it is needed
    return PublicSuffixList()


def _bare(url: str) -> str:
    """The address without its scheme."""
    return url.partition("://")[2]


def _below(url: str, prefix: str) -> bool:
    """Whether an address is a prefix or lies below it: /send is no prefix of /sending."""
    if not url.startswith(prefix):
        return False
    return prefix.endswith("/") or url[len(prefix) : len(prefix) + 1] in {"", "/", "?"}
