"""What one file may cost."""

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one parse: file size, memory, processor and wall-clock seconds."""

    max_bytes: int = 50 * MEGABYTE
    memory_bytes: int = 1024 * MEGABYTE
    cpu_seconds: int = 60
    wall_seconds: int = 120
