"""What a run may enter and what it takes along: the rules of one site, put together for a worker.

Each rule is a module of its own (scope, policies, traps, links, sitemaps); here they meet.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ingest.crawl.calls import FoundLink, JobSite
from ingest.crawl.links import read_links
from ingest.crawl.policies import PolicyPage, policy_of
from ingest.crawl.scope import Scope
from ingest.crawl.sitemaps import read_sitemap
from ingest.crawl.traps import trap_of
from ingest.crawl.urls import site_key
from ingest.fetch import Fetched
from ingest.parse import Refused
from ingest.parse.kind import kind_of

# What no text is found in, whatever links to it.
_NO_TEXT = re.compile(
    r"\.(?:avi|bmp|css|eot|gif|gz|ico|ics|jpe?g|js|json|m4a|mov|mp[34]|ogg|png|rss|svg|tar|tiff?|ttf"
    r"|wav|webm|webp|wmv|woff2?|xml|zip)$",
    re.IGNORECASE,
)
# Documents, which lead nowhere: of no use where only links count.
_DOCUMENT = re.compile(r"\.(?:docx?|od[pst]|pdf|pptx?|rtf|txt|xlsx?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """Where a page leads, what it calls itself, and whether it may be kept."""

    links: tuple[FoundLink, ...] = ()
    canonical: str | None = None
    may_be_kept: bool = True
    is_html: bool = False


class Guide:
    """The rules of one site."""

    def __init__(self, site: JobSite, *, user_agent: str) -> None:
        self._seeds = frozenset(site.seeds)
        self._scope = Scope(seeds=site.seeds, prefixes=site.prefixes, national=site.national)
        self._is_school = site.is_school
        self._policies = [
            PolicyPage(
                slug=row["slug"], name=row["name"], phrases=row["phrases"], unless=row["unless"]
            )
            for row in site.policies
        ]
        self._user_agent = user_agent

    def is_inside(self, url: str) -> bool:
        """Whether a normal address is one of the site's own."""
        return self._scope.holds(url)

    def is_seed(self, url: str) -> bool:
        """Whether somebody said that the site begins there: it is a page, whatever it says."""
        return url in self._seeds

    def links_in(self, data: bytes, fetched: Fetched, *, allows: Callable[[str], bool]) -> Found:
        """Where a page leads within the site; `allows` is what robots.txt of its host says."""
        try:
            is_html = kind_of(data) == "html"
        except Refused:
            is_html = False
        page = read_links(
            # of a document, what was sent along counts
            data if is_html else b"",
            url=fetched.url,
            header_charset=fetched.charset,
            robots_header=fetched.robots_tag,
            user_agent=self._user_agent,
        )
        own = site_key(fetched.url)
        links = [] if page.nofollow else page.links
        return Found(
            links=tuple(
                FoundLink(
                    url=link.url,
                    wanted=self._is_wanted(link.url, link.text),
                    blocked=site_key(link.url) == own and not allows(link.url),
                )
                for link in links
                if not link.nofollow and self._is_of_use(link.url, link.text)
            ),
            canonical=page.canonical
            if page.canonical is not None and self.is_inside(page.canonical)
            else None,
            may_be_kept=not page.noindex,
            is_html=is_html,
        )

    def may_be_kept(self, fetched: Fetched) -> bool:
        """Whether what was sent along with an answer lets its text be kept; it may have no body."""
        return self.links_in(b"", fetched, allows=lambda url: False).may_be_kept

    def listed_in(self, data: bytes, url: str) -> tuple[list[FoundLink], list[str]]:
        """The pages and the sitemaps that the sitemap at `url` lists, of the site alone."""
        sitemap = read_sitemap(data, url=url, holds=self.is_inside)
        links = [
            FoundLink(url=entry.url, wanted=self._is_wanted(entry.url, ""))
            for entry in sitemap.pages
            if self._is_of_use(entry.url, "")
        ]
        return links, list(sitemap.sitemaps)

    def _is_of_use(self, url: str, text: str) -> bool:
        path = urlsplit(url).path
        if not self.is_inside(url) or _NO_TEXT.search(path) or trap_of(url) is not None:
            return False
        return self._is_wanted(url, text) or not _DOCUMENT.search(path)

    def _is_wanted(self, url: str, text: str) -> bool:
        """Of a school's site its policies are kept, of any other every page."""
        return not self._is_school or policy_of(self._policies, text=text, url=url) is not None
