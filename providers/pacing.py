"""When to call a service again: what it asked for, how we back off, who else is waiting."""

import asyncio
import email.utils
import math
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

FIRST_BACKOFF = 0.5  # seconds
LONGEST_BACKOFF = 8.0  # seconds


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and waiting, in seconds; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    asleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def told_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds a response asks to wait, or None. Reads milliseconds, seconds and HTTP dates.

    ``headers`` must look names up without regard to case, as HTTP clients' mappings do.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("x-ms-retry-after-ms", 1000.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return seconds / divisor
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        due = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(due.timestamp() - time.time(), 0.0)


def _number(value: str | None) -> float | None:
    try:
        seconds = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def backoff(attempt: int) -> float:
    """Seconds to wait after a failed attempt (the first is 1) when the service named no time."""
    wait = min(FIRST_BACKOFF * 2.0 ** (attempt - 1), LONGEST_BACKOFF)
    # callers that failed together must not come back together
    return wait * random.uniform(0.75, 1.0)  # noqa: S311


class Gate:
    """Closed while a service asks everyone to wait; shared by all callers of one deployment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opens_at = 0.0

    def hold(self, seconds: float, *, clock: Clock) -> None:
        """Keep every caller back for ``seconds`` from now, or longer if so asked before."""
        with self._lock:
            self._opens_at = max(self._opens_at, clock.now() + seconds)

    def remaining(self, *, clock: Clock) -> float:
        """Seconds until the gate opens; 0 when it is open."""
        with self._lock:
            return max(self._opens_at - clock.now(), 0.0)


_gates: dict[tuple[str, str], Gate] = {}
_gates_lock = threading.Lock()


def gate_for(address: str, deployment: str) -> Gate:
    """The one gate of this process for a deployment at an address."""
    with _gates_lock:
        return _gates.setdefault((address, deployment), Gate())
