"""How much a page in a browser may take."""

from dataclasses import dataclass

from ingest.parse.limits import MEGABYTE


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """Bounds of one page and all it asks for; `memory` is that of all processes together."""

    wall_seconds: float = 45
    settle_seconds: float = 5
    max_requests: int = 80
    max_bytes: int = 20 * MEGABYTE
    max_markup: int = 10 * MEGABYTE
    memory: int = 1536 * MEGABYTE
