"""How long the server works on something, whatever else the machine does."""

from pathlib import Path
from time import perf_counter
from typing import Any, Self

import psycopg


class ServerWork:
    """A context; `seconds` is then how long the connection's server process was on a processor.

    A bound on it holds on a busy machine, too, where one on the time that passed would not. Where
    the system does not tell (anywhere but Linux), it is the time that passed.
    """

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self._path = Path(f"/proc/{db.info.backend_pid}/schedstat")
        self.seconds = float("inf")

    def __enter__(self) -> Self:
        self._before = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = self._now() - self._before

    def _now(self) -> float:
        if not self._path.exists():
            return perf_counter()
        return int(self._path.read_text().split()[0]) / 1e9
