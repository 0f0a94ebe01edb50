"""Run the judged questions in every mode and say how good the answers were."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg

from bench import calls
from bench.calls import Figures
from bench.database import Connection, Say
from bench.scratch import Scratch

# every candidate stays, so that what is measured is the ranking
FLOORS_OFF = {
    "kb.retrieval_floor": "-1",
    "kb.relevance_threshold": "-1",
    "kb.keyword_coverage": "0",
    "kb.top_k": "100",
}
AS_SHIPPED = {"kb.top_k": "50"}
MODES = ("vector", "keyword", "hybrid")
_BATCH = 25
_EVERY = 10.0


@dataclass(frozen=True, slots=True)
class Way:
    """A way to answer: its name in tables, the mode, and the settings changed for it."""

    name: str
    mode: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Measured:
    """A way's figures, all questions first, and those of the last run of the same kind."""

    way: Way
    figures: Sequence[Figures]
    outcomes: Sequence[calls.Outcome]
    previous: Figures | None

    @property
    def all(self) -> Figures:
        """Over all questions."""
        return self.figures[0]


def ranking_ways(modes: Sequence[str], settings: Mapping[str, str]) -> list[Way]:
    """The legs alone and hybrid without floors, then hybrid as it ships."""
    ways = [Way(mode, mode, {**FLOORS_OFF, **settings}) for mode in modes]
    if "hybrid" in modes:
        ways.append(Way("hybrid as shipped", "hybrid", {**AS_SHIPPED, **settings}))
    return ways


def pack_ways(modes: Sequence[str], settings: Mapping[str, str]) -> list[Way]:
    """Each mode as it ships: floors decide what is no answer."""
    return [Way(mode, mode, dict(settings)) for mode in modes]


def measure(
    scratch: Scratch, ways: Sequence[Way], *, say: Say, history: Connection | None = None
) -> list[Measured]:
    """Answer every question in every way; runs are kept in `history` and compared with it."""
    return [_measure(scratch, way, say, history) for way in ways]


def open_history(url: str) -> Connection | str:
    """A connection to the database where runs are kept, or the reason why there is none."""
    try:
        db = psycopg.connect(url, connect_timeout=5, application_name="pgkb eval")
    except psycopg.Error:
        return "runs are not kept: the database in use cannot be reached"
    if not calls.keeps_runs(db):
        db.close()
        return "runs are not kept: bring the database in use up to date with `pgkb up`"
    return db


def _measure(
    scratch: Scratch, way: Way, say: Say, history: Connection | None
) -> Measured:
    db = scratch.db
    run_id = calls.start_run(
        db, set_name=scratch.set_name, mode=way.mode, settings=way.settings
    )
    count = len(scratch.questions.questions)
    told = time.monotonic()
    while left := calls.answer(db, run_id=run_id, at_most=_BATCH):
        db.commit()
        if time.monotonic() - told > _EVERY:
            told = time.monotonic()
            say(f"{way.name}: {count - left:,} of {count:,} questions")
    db.commit()
    figures = calls.figures(db, run_id=run_id)
    outcomes = calls.outcomes(db, run_id=run_id)
    previous = None if history is None else _keep(db, history, run_id)
    db.rollback()
    return Measured(way, figures, outcomes, previous)


def _keep(db: Connection, history: Connection, run_id: int) -> Figures | None:
    kept = calls.copy_run(db, history, run_id=run_id)
    before = calls.previous_run(history, run_id=kept)
    figures = None if before is None else calls.figures(history, run_id=before)[0]
    history.commit()
    return figures
