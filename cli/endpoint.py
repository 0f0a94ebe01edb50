"""The local embedding endpoint: a small process beside the database, so that SQL can embed.

`search_text` in psql asks the active set's `endpoint_url`. When that is an address of this
machine and the set is the offline one, `pgkb up` runs `providers.endpoint` there.
"""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cli import wiring
from cli.output import note

if TYPE_CHECKING:
    from app.calls import ActiveSet

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What serves the active set's vectors to SQL; `url` is None when the set names nothing."""

    set: str
    url: str | None
    answering: bool


def bring_up(database_url: str) -> Endpoint:
    """Make the active set's endpoint answer where that is ours to do, and say where it is not."""
    active = wiring.run(_active_set(database_url))
    port = _own_port(active.endpoint_url)
    if active.provider == "local" and port is not None:
        if _on_this_machine(database_url):
            _start(port)
        else:
            note("the database is on another machine, so no embedding endpoint is started for it")
    return Endpoint(set=active.name, url=active.endpoint_url, answering=answers(active))


def answers(active: "ActiveSet") -> bool:
    """Whether the set's endpoint is there: ours says who it is, any other takes a connection."""
    from providers import background

    if active.endpoint_url is None:
        return False
    port = _own_port(active.endpoint_url)
    if active.provider == "local" and port is not None:
        return background.is_up(port)
    parts = urlsplit(active.endpoint_url)
    usual = 443 if parts.scheme == "https" else 80
    try:
        with socket.create_connection((parts.hostname or "", parts.port or usual), timeout=2):
            return True
    except OSError:
        return False


def stop() -> bool:
    """End the process that was started for this home; False when there was none."""
    from providers import background

    return background.stop(_log())


def _start(port: int) -> None:
    from providers import background
    from providers.protocols import ProviderError

    if background.is_up(port):
        return  # another home's: used, but never taken over or stopped
    try:
        background.start_background(port, _log(), tell=note)
    except ProviderError as error:
        # everything else works without it, so it is worth a line and not the command
        note(f"search_text in psql will find by keyword only: {error}")


def _own_port(address: str | None) -> int | None:
    """The port of an address on this machine; None for any other address."""
    parts = urlsplit(address or "")
    return parts.port if parts.hostname in _LOOPBACK else None


def _on_this_machine(database_url: str) -> bool:
    host = urlsplit(database_url).hostname
    return host is None or host in _LOOPBACK


async def _active_set(database_url: str) -> "ActiveSet":
    from app import calls
    from app.pool import lend, pool_of
    from app.settings import from_environ

    settings = from_environ(database_url=database_url)
    async with pool_of(settings, size=1) as pool, lend(pool) as db:
        return await calls.active_set(db)


def _log() -> Path:
    """Inside the home once it is one; beside it before, because a home must start empty."""
    from db import server

    home = server.home()
    if (home / "lock").exists():
        return home / "endpoint" / "endpoint.log"
    return home.with_name(f"{home.name}-endpoint") / "endpoint.log"
