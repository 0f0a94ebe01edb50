"""Fetch one address into a file, safely whatever the address and the site are.

The fetcher follows redirects itself: each hop is a new URL that is checked like the first. It
sends no credentials, takes no proxy from the environment (a proxy would resolve names for us,
unchecked), and keeps neither connection nor cookie for the next fetch. What a page is, is decided
by its bytes where it is parsed; the header's charset is passed on for that.
"""

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

import httpx2

from ingest.fetch.addresses import AddressPolicy, public_only
from ingest.fetch.answers import (
    REDIRECTS,
    as_fetch_errors,
    raw_header,
    redirect_target,
    status_failure,
    write_body,
)
from ingest.fetch.errors import FetchError
from ingest.fetch.pinning import Budget, PinnedTransport
from ingest.fetch.relay import Relay
from ingest.fetch.resolve import Resolver, system_resolver
from ingest.fetch.settings import FetchSettings
from ingest.fetch.urls import checked_url

_WHOLE = {200, 203}
_UNCHANGED = 304
_VALIDATORS = frozenset({"if-none-match", "if-modified-since"})
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave; its body is in the file that was given for it.

    `url` is where the page was at last, `hops` the addresses on the way there. `etag` and
    `last_modified` are what the site sent, byte for byte (as Latin-1), to be sent back the next
    time. `unchanged` means that the site said so to what was sent, and there is no body.
    `robots_tag` is its X-Robots-Tag, several in one.
    """

    url: str
    hops: tuple[str, ...]
    status: int
    unchanged: bool
    size: int
    content_type: str | None
    charset: str | None
    etag: str | None
    last_modified: str | None
    robots_tag: str | None = None


class Fetcher:
    """Fetches addresses, one at a time per call; several threads may call it."""

    def __init__(
        self,
        settings: FetchSettings | None = None,
        *,
        resolver: Resolver = system_resolver,
        policy: AddressPolicy = public_only,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._settings = settings or FetchSettings()
        self._resolver = resolver
        self._policy = policy
        # making one reads every certificate of the system: once, not per fetch
        self._ssl_context = ssl_context or ssl.create_default_context()

    @property
    def settings(self) -> FetchSettings:
        """Its bounds and its name."""
        return self._settings

    def with_settings(self, settings: FetchSettings) -> "Fetcher":
        """A fetcher like this one, but with other bounds or another name."""
        return Fetcher(
            settings,
            resolver=self._resolver,
            policy=self._policy,
            ssl_context=self._ssl_context,
        )

    def relay(self) -> Relay:
        """What asks for a browser, by the same rules; its bounds are for all requests together."""
        return Relay(
            self._settings,
            resolver=self._resolver,
            policy=self._policy,
            ssl_context=self._ssl_context,
        )

    def fetch(
        self,
        url: str,
        into: IO[bytes],
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        check_hop: Callable[[str], None] = lambda url: None,
    ) -> Fetched:
        """Write the page at `url` to `into`. Raises FetchError.

        `etag` and `last_modified` are those of an earlier `Fetched`. `check_hop` is called with
        each URL before it is asked for, the first included, and may raise FetchError.
        """
        budget = Budget(self._settings)
        transport = PinnedTransport(
            resolver=self._resolver,
            policy=self._policy,
            budget=budget,
            ssl_context=self._ssl_context,
        )
        hops: list[str] = []
        with httpx2.Client(
            transport=transport,
            trust_env=False,
            headers=_headers(self._settings.user_agent, etag, last_modified),
            timeout=httpx2.Timeout(
                self._settings.quiet_seconds, connect=self._settings.connect_seconds
            ),
        ) as client:
            while True:
                here = checked_url(url, ports=self._settings.ports)
                check_hop(str(here))
                found = self._ask(client, here, tuple(hops), into, budget)
                if isinstance(found, Fetched):
                    return found
                url = found
                hops.append(str(here))
                if len(hops) > self._settings.max_redirects:
                    raise FetchError(
                        "redirects",
                        f"it was sent on more than {self._settings.max_redirects} times: "
                        "give the address it should end at",
                    )

    def _ask(
        self,
        client: httpx2.Client,
        here: httpx2.URL,
        hops: tuple[str, ...],
        into: IO[bytes],
        budget: Budget,
    ) -> Fetched | str:
        """What is here: the page, or the address it was moved to."""
        with as_fetch_errors():
            answer = client.send(client.build_request("GET", here), stream=True)
            try:
                if answer.status_code in REDIRECTS:
                    return redirect_target(answer, here)
                return self._take(answer, here, hops, into, budget)
            finally:
                answer.close()

    def _take(
        self,
        answer: httpx2.Response,
        url: httpx2.URL,
        hops: tuple[str, ...],
        into: IO[bytes],
        budget: Budget,
    ) -> Fetched:
        """The answer at the end of the redirects, its body written down."""
        # who was not asked whether a page changed cannot say that it did not
        unchanged = answer.status_code == _UNCHANGED and not _VALIDATORS.isdisjoint(
            answer.request.headers
        )
        if not unchanged and answer.status_code not in _WHOLE:
            raise status_failure(answer.status_code, answer.headers)
        size = 0 if unchanged else write_body(answer, into, self._settings, budget)
        content_type = raw_header(answer, b"content-type")
        charset = _CHARSET.search(content_type or "")
        return Fetched(
            url=str(url),
            hops=hops,
            status=answer.status_code,
            unchanged=unchanged,
            size=size,
            content_type=content_type,
            charset=charset.group(1) if charset else None,
            etag=raw_header(answer, b"etag"),
            last_modified=raw_header(answer, b"last-modified"),
            robots_tag=answer.headers.get("x-robots-tag"),
        )


def _headers(
    user_agent: str, etag: str | None, last_modified: str | None
) -> list[tuple[bytes, bytes]]:
    headers = [
        (b"User-Agent", user_agent.encode("ascii")),
        (b"Accept", b"text/html,application/pdf,*/*;q=0.8"),
        (b"Accept-Encoding", b"gzip, deflate"),
    ]
    if etag is not None:
        headers.append((b"If-None-Match", etag.encode("latin-1")))
    if last_modified is not None:
        headers.append((b"If-Modified-Since", last_modified.encode("latin-1")))
    return headers
