"""What sites answer, read the same way whoever asked: bodies, redirects, refusals."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import httpcore2
import httpx2

from ingest.fetch.errors import FetchError
from ingest.fetch.pinning import Budget, too_big
from ingest.fetch.settings import FetchSettings
from providers.pacing import told_to_wait

REDIRECTS = frozenset([301, 302, 303, 307, 308])
_PACKINGS = {"gzip", "deflate", "identity", ""}
# too early, too many, and everything the site itself calls temporary
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_LONGEST_WAIT = 24 * 3600.0


@contextmanager
def as_fetch_errors() -> Iterator[None]:
    """Whatever asking a site runs into, as a FetchError; this machine's disk errors as they are."""
    try:
        yield
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


def write_body(
    answer: httpx2.Response, into: IO[bytes], settings: FetchSettings, budget: Budget
) -> int:
    """Write the unpacked body, counted as it comes; lengths in headers are not believed."""
    packings = answer.headers.get("content-encoding", "").lower().split(",")
    if not _PACKINGS.issuperset(packing.strip() for packing in packings):
        raise FetchError("broken", "the site packs its pages in a way that was not asked for")
    size = 0
    for piece in answer.iter_bytes():
        room = settings.max_bytes - size
        if len(piece) > room and not settings.cut:
            raise too_big(settings.max_bytes)
        size += into.write(piece[:room])
        if len(piece) >= room and settings.cut:
            break
        budget.seconds()
    into.flush()
    return size


def raw_header(answer: httpx2.Response, name: bytes) -> str | None:
    """A header byte for byte; the first, when there are several."""
    for key, value in answer.headers.raw:
        if key.lower() == name:
            return value.decode("latin-1")
    return None


def redirect_target(answer: httpx2.Response, here: httpx2.URL) -> str:
    """Where a redirect leads."""
    # people's servers send UTF-8 here although the rules say ASCII
    sent = (raw_header(answer, b"location") or "").encode("latin-1")
    location = sent.decode("utf-8", "replace").strip()
    if not location:
        raise FetchError("broken", "the site sends on to nowhere", passing=True)
    try:
        return str(here.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise FetchError("address", "the site sends on to something that is no address") from error


def status_failure(status: int, headers: Mapping[str, str]) -> FetchError:
    """The refusal that a status is; names of headers are looked up without regard to case."""
    wait = told_to_wait(headers)
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
