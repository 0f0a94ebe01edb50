"""How many searches a server answers when several ask at once."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

import numpy as np

from bench.database import connect
from bench.measure import SEARCH
from bench.queries import Question, answerable

LEVELS = (1, 2, 4, 8)
SECONDS = 6.0
_WARM_UP = 8


@dataclass(frozen=True, slots=True)
class Throughput:
    """What this many clients got, each asking the next question as soon as one is answered."""

    clients: int
    searches: int
    per_second: float
    p50: float
    p95: float


def measure_throughput(
    url: str, questions: Sequence[Question], *, seconds: float = SECONDS
) -> list[Throughput]:
    """One connection a client; the clients run here too and share the processors."""
    asked = [q for _, q in answerable(questions)]
    return [_level(url, asked, clients, seconds) for clients in LEVELS]


def _level(url: str, asked: Sequence[Question], clients: int, seconds: float) -> Throughput:
    ready = Barrier(clients)

    def ask(client: int) -> list[float]:
        spent = []
        # each begins elsewhere, so that they do not ask the same at the same time
        at = client * len(asked) // clients
        with connect(url) as db:
            db.autocommit = True
            for number in range(min(_WARM_UP, len(asked))):
                db.execute(SEARCH, asked[(at + number) % len(asked)].arguments()).fetchall()
            ready.wait()
            ends = time.perf_counter() + seconds
            while (started := time.perf_counter()) < ends:
                db.execute(SEARCH, asked[at % len(asked)].arguments()).fetchall()
                spent.append((time.perf_counter() - started) * 1000)
                at += 1
        return spent

    with ThreadPoolExecutor(clients) as pool:
        times = [one for spent in pool.map(ask, range(clients)) for one in spent]
    return Throughput(
        clients=clients,
        searches=len(times),
        per_second=len(times) / seconds,
        p50=float(np.percentile(times, 50)),
        p95=float(np.percentile(times, 95)),
    )
