"""How pages are fetched, and what the environment says about it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ingest.errors import IngestError
from ingest.parse.limits import MEGABYTE
from ingest.settings import whole_number

_VISIBLE = re.compile(r"[\x20-\x7e]{1,200}")


def _own_name() -> str:
    try:
        number = version("pgkb")
    except PackageNotFoundError:
        number = "0"
    return f"pgkb/{number} (fetches documents for a knowledge base)"


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Bounds of one fetch, redirects included, and the name it is made under.

    `max_bytes` counts the body after decompression, `wall_seconds` everything from the first
    look-up to the last byte, `quiet_seconds` a pause in which nothing comes. `ports` are those
    that may be connected to, None any. `cut` keeps the first `max_bytes` of a larger body instead
    of refusing it.
    """

    user_agent: str = _own_name()
    max_bytes: int = 50 * MEGABYTE
    wall_seconds: float = 120
    quiet_seconds: float = 20
    connect_seconds: float = 10
    max_redirects: int = 10
    ports: frozenset[int] | None = frozenset({80, 443, 8080, 8443})
    cut: bool = False


def fetch_settings_from(environ: Mapping[str, str] = os.environ) -> FetchSettings:
    """The settings of an environment. Raises IngestError for a value that makes no sense."""
    usual = FetchSettings()
    name = environ.get("PGKB_USER_AGENT", "").strip() or usual.user_agent
    if not _VISIBLE.fullmatch(name):
        raise IngestError(
            "PGKB_USER_AGENT has characters that no header takes, or more than 200: "
            "give plain ASCII, best with an address where site owners reach you"
        )
    return FetchSettings(
        user_agent=name,
        max_bytes=whole_number(environ, "PGKB_MAX_FILE_MB", 50, most=2048) * MEGABYTE,
        wall_seconds=whole_number(environ, "PGKB_FETCH_SECONDS", 120, most=3600),
    )
