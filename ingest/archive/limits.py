"""What one archive may cost, archives inside it included."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ingest.parse.limits import MEGABYTE
from ingest.settings import whole_number

_MOST_TIMES_LARGER = 5


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Bounds of one upload. All but `max_bytes` are counted while it is unpacked.

    `max_total` bytes and `max_entries` are shared by an archive and those inside it, `max_depth`
    counts both. An entry may have `max_entry` bytes; above `free_bytes` it may not be more than
    `max_ratio` times its packed size, which honest text and pictures never are.
    """

    max_bytes: int = 200 * MEGABYTE
    max_total: int = 1000 * MEGABYTE
    max_entries: int = 10_000
    max_entry: int = 50 * MEGABYTE
    max_depth: int = 3
    max_ratio: int = 200
    free_bytes: int = 4 * MEGABYTE


def archive_limits_from(environ: Mapping[str, str] = os.environ) -> ArchiveLimits:
    """The limits of an environment. Raises IngestError for a value that makes no sense."""
    most = whole_number(environ, "PGKB_MAX_ZIP_MB", 200, most=2048) * MEGABYTE
    return ArchiveLimits(
        max_bytes=most,
        max_total=_MOST_TIMES_LARGER * most,
        max_entry=whole_number(environ, "PGKB_MAX_FILE_MB", 50, most=2048) * MEGABYTE,
    )
