"""Which URLs may be asked for at all, before any name is resolved."""

import re
from ipaddress import ip_address

import httpx2

from ingest.fetch.errors import FetchError

_LONGEST = 2000
# Hosts that C libraries read as an IPv4 address in an odd spelling: 2130706433, 0x7f.1, 0177.0.0.1
_NAME = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?")
_NUMERIC = re.compile(r"(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$", re.IGNORECASE)


def checked_url(url: str, *, ports: frozenset[int] | None) -> httpx2.URL:
    """The URL, without its fragment. Raises FetchError for one that may not be asked for.

    `ports` are the ones allowed, None any.
    """
    if len(url) > _LONGEST:
        raise FetchError("address", f"the address has more than {_LONGEST} characters")
    try:
        parsed = httpx2.URL(url.strip()).copy_with(fragment=None)
        host, port = parsed.raw_host.decode("ascii"), parsed.port
    except (httpx2.InvalidURL, ValueError, TypeError, UnicodeError) as error:
        raise FetchError("address", "it is not an address: check its spelling") from error
    if parsed.scheme not in {"http", "https"}:
        raise FetchError("address", "only http:// and https:// addresses can be fetched")
    if parsed.userinfo:
        raise FetchError("address", "the address holds a user name or password: leave it out")
    if not _is_address(host):
        if not _NAME.fullmatch(host):
            raise FetchError("address", "the address names no host: check its spelling")
        if _NUMERIC.search(host):
            raise FetchError("address", "the host is a number in an odd spelling: give its name")
    port = {"http": 80, "https": 443}[parsed.scheme] if port is None else port
    if port not in (ports or range(1, 65_536)):
        raise FetchError("address", f"port {port} is not one that web sites use")
    return parsed


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    # a zone index picks an interface of this machine: no address of the web has one
    return "%" not in host
