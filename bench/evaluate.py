"""Run the judged questions in every mode and say how good the answers were."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from bench import calls
from bench.calls import Figures
from bench.database import Connection, Say
from bench.scratch import Scratch
from db import server

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
_BAD = 0.5


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


@contextmanager
def history(say: Say) -> Iterator[Connection | None]:
    """The database in use, where runs are kept; None, and a line that says why, without one."""
    try:
        db = psycopg.connect(server.database_url(), connect_timeout=5, application_name="pgkb eval")
    except (psycopg.Error, server.ServerError):
        say("runs are not kept and not compared: the database in use cannot be reached")
        yield None
        return
    with db:
        if calls.keeps_runs(db):
            yield db
        else:
            say(
                "runs are not kept and not compared: the database in use lacks what it takes; "
                "bring it up to date with `pgkb up`"
            )
            yield None


def to_table(measured: Sequence[Measured], *, by_kind: bool) -> str:
    """The figures as text, one line for each way, with the change since the run before."""
    head = f"{'':<20}{'questions':>10}{'R@50':>9}{'R@8':>9}{'nDCG@10':>9}{'MRR':>9}{'ms':>7}"
    if by_kind:
        head += f"{'none right':>12}{'forbidden':>11}"
    lines = [head]
    for each in measured:
        for figures in each.figures if by_kind else each.figures[:1]:
            name = each.way.name if figures.kind == "all" else f"  {figures.kind}"
            lines.append(_line(name, figures, by_kind=by_kind) + _change(each, figures))
    return "\n".join(lines)


def _line(name: str, figures: Figures, *, by_kind: bool) -> str:
    line = f"{name:<20}{figures.questions:>10,}"
    for figure in (figures.recall_50, figures.recall_8, figures.ndcg_10, figures.mrr):
        line += f"{'-' if figure is None else format(figure, '.4f'):>9}"
    line += f"{figures.median_ms:>7.0f}"
    if by_kind:
        right = "-" if figures.right_none is None else format(figures.right_none, ".2f")
        line += f"{right:>12}{figures.forbidden_shown:>11}"
    return line


def _change(measured: Measured, figures: Figures) -> str:
    before = measured.previous
    if figures.kind != "all" or before is None:
        return ""
    if figures.ndcg_10 is None or before.ndcg_10 is None:
        return ""
    return f"  nDCG@10 {figures.ndcg_10 - before.ndcg_10:+.4f} since the last run"


def failures_of(measured: Measured) -> list[str]:
    """A line for each question that was answered badly; questions go by their names only."""
    lines = []
    for outcome in measured.outcomes:
        reasons = []
        if outcome.forbidden_shown:
            reasons.append(f"{outcome.forbidden_shown} forbidden shown")
        if outcome.nothing_was_right is False:
            reasons.append("something was shown where nothing is right")
        if outcome.ndcg_10 is not None and outcome.ndcg_10 < _BAD:
            reasons.append(f"nDCG@10 {outcome.ndcg_10:.2f}, recall@8 {outcome.recall_8:.2f}")
        if reasons:
            shown = ", ".join(outcome.documents[:3]) or "nothing"
            lines.append(
                f"{outcome.question_key} ({outcome.kind}): {'; '.join(reasons)}; shown: {shown}"
            )
    return lines


def _measure(scratch: Scratch, way: Way, say: Say, history: Connection | None) -> Measured:
    db = scratch.db
    run_id = calls.start_run(db, set_name=scratch.set_name, mode=way.mode, settings=way.settings)
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
