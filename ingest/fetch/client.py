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

import httpcore2
import httpx2

from ingest.fetch.addresses import AddressPolicy, public_only
from ingest.fetch.errors import FetchError
from ingest.fetch.pinning import Budget, PinnedTransport, too_big
from ingest.fetch.resolve import Resolver, system_resolver
from ingest.fetch.settings import FetchSettings
from ingest.fetch.urls import checked_url
from providers.pacing import told_to_wait

_REDIRECTS = {301, 302, 303, 307, 308}
_WHOLE = {200, 203}
_UNCHANGED = 304
_VALIDATORS = frozenset({"if-none-match", "if-modified-since"})
_PACKINGS = {"gzip", "deflate", "identity", ""}
# too early, too many, and everything the site itself calls temporary
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_LONGEST_WAIT = 24 * 3600.0


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
        try:
            answer = client.send(client.build_request("GET", here), stream=True)
            try:
                if answer.status_code in _REDIRECTS:
                    return _target(answer, here)
                return self._take(answer, here, hops, into, budget)
            finally:
                answer.close()
        except (FetchError, OSError):
            # our own, and a disk that is full
            raise
        except (httpcore2.TimeoutException, httpcore2.NetworkError) as error:
            raise _network_failure(error) from error
        except httpx2.DecodingError as error:
            raise FetchError("broken", "what the site sent cannot be unpacked") from error
        except Exception as error:
            # whatever a client trips over, this page is not fetched and the next one is
            raise FetchError(
                "broken", "the site's answer is broken or ends early", passing=True
            ) from error

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
            raise _status_failure(answer)
        size = 0 if unchanged else self._write_body(answer, into, budget)
        content_type = _raw(answer, b"content-type")
        charset = _CHARSET.search(content_type or "")
        return Fetched(
            url=str(url),
            hops=hops,
            status=answer.status_code,
            unchanged=unchanged,
            size=size,
            content_type=content_type,
            charset=charset.group(1) if charset else None,
            etag=_raw(answer, b"etag"),
            last_modified=_raw(answer, b"last-modified"),
            robots_tag=answer.headers.get("x-robots-tag"),
        )

    def _write_body(self, answer: httpx2.Response, into: IO[bytes], budget: Budget) -> int:
        """Write the unpacked body, counted as it comes; lengths in headers are not believed."""
        packings = answer.headers.get("content-encoding", "").lower().split(",")
        if not _PACKINGS.issuperset(packing.strip() for packing in packings):
            raise FetchError("broken", "the site packs its pages in a way that was not asked for")
        size = 0
        for piece in answer.iter_bytes():
            room = self._settings.max_bytes - size
            if len(piece) > room and not self._settings.cut:
                raise too_big(self._settings.max_bytes)
            size += into.write(piece[:room])
            if len(piece) >= room and self._settings.cut:
                break
            budget.seconds()
        into.flush()
        return size


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


def _raw(answer: httpx2.Response, name: bytes) -> str | None:
    """A header byte for byte; the first, when there are several."""
    for key, value in answer.headers.raw:
        if key.lower() == name:
            return value.decode("latin-1")
    return None


def _target(answer: httpx2.Response, here: httpx2.URL) -> str:
    """Where a redirect leads."""
    # people's servers send UTF-8 here although the rules say ASCII
    sent = (_raw(answer, b"location") or "").encode("latin-1")
    location = sent.decode("utf-8", "replace").strip()
    if not location:
        raise FetchError("broken", "the site sends on to nowhere", passing=True)
    try:
        return str(here.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise FetchError("address", "the site sends on to something that is no address") from error


def _status_failure(answer: httpx2.Response) -> FetchError:
    status = answer.status_code
    wait = told_to_wait(answer.headers)
    what = {
        401: ": it wants a login",
        403: ": it refuses us",
        404: ": there is no such page",
        410: ": the page was removed",
        429: ": it wants fewer requests",
    }.get(status, "")
    return FetchError(
        "status",
        f"the site answered {status}{what}",
        passing=status in _PASSING,
        status=status,
        retry_after=None if wait is None else min(wait, _LONGEST_WAIT),
    )


def _network_failure(error: httpcore2.TimeoutException | httpcore2.NetworkError) -> FetchError:
    if isinstance(error, httpcore2.TimeoutException):
        return FetchError("timeout", "the site did not answer in time", passing=True)
    causes = (error, error.__cause__, error.__context__)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return FetchError("certificate", "the site's certificate is not valid for this name")
    if isinstance(error, httpcore2.ConnectError):
        return FetchError("connect", "the site cannot be reached", passing=True)
    return FetchError("broken", "the site ended the connection early", passing=True)
