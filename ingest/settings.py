"""What the environment says about ingest."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import IngestError
from ingest.parse.limits import MEGABYTE, Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """How files are parsed and worked on.

    `embed_batch` chunks go to the provider in one call, `poll_seconds` pass between two looks
    into an empty queue, `upkeep_seconds` between two rounds of housekeeping. An ingest waits
    `settle_seconds` at its end for texts that somebody else is adding. What was handed in over HTTP
    lies in `upload_dir`; without one a worker reads no uploads.
    """

    limits: Limits = field(default_factory=Limits)
    embed_batch: int = 64
    lookahead: int = 4
    lease_seconds: int = 300
    poll_seconds: float = 5.0
    upkeep_seconds: float = 60.0
    settle_seconds: float = 10.0
    upload_dir: Path | None = None


def settings_from(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of an environment. Raises IngestError for a value that makes no sense."""
    return Settings(
        limits=Limits(
            max_bytes=whole_number(environ, "PGKB_MAX_FILE_MB", 50, most=2048) * MEGABYTE,
            memory_bytes=whole_number(environ, "PGKB_PARSE_MEMORY_MB", 1024, least=256) * MEGABYTE,
            cpu_seconds=whole_number(environ, "PGKB_PARSE_CPU_SECONDS", 60),
            wall_seconds=whole_number(environ, "PGKB_PARSE_SECONDS", 120),
        ),
        embed_batch=whole_number(environ, "PGKB_EMBED_BATCH", 64, most=2048),
        lease_seconds=whole_number(environ, "PGKB_LEASE_SECONDS", 300, least=10, most=86_400),
        poll_seconds=whole_number(environ, "PGKB_POLL_SECONDS", 5, most=3600),
        upload_dir=Path(folder) if (folder := environ.get("PGKB_UPLOAD_DIR", "").strip()) else None,
    )


def whole_number(
    environ: Mapping[str, str], name: str, usual: int, *, least: int = 1, most: int = 1_000_000
) -> int:
    """A setting of the environment, or the usual one. Raises IngestError for no such number."""
    given = environ.get(name, "").strip()
    if not given:
        return usual
    if not given.isascii() or not given.isdigit() or not least <= int(given) <= most:
        raise IngestError(
            f"{name} is {given[:20]!r}, which is no whole number from {least} to {most}: "
            "correct it or unset it"
        )
    return int(given)
