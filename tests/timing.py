"""How long something takes on a machine that may be busy with something else."""

import time
from collections.abc import Callable


def best_of_three(what: Callable[[], object]) -> float:
    """Seconds of the quickest of three runs: others may have held up the rest."""
    return min(_seconds(what) for _ in range(3))


def _seconds(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return time.perf_counter() - began
