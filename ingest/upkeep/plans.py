"""Upkeep and rebuilds: run a plan that SQL made, a statement at a time, each its own transaction.

Whoever is killed in between leaves at most an index that no query uses; the next plan begins by
dropping it, so running again is always right.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import psycopg

from ingest.connect import connect
from ingest.errors import UpkeepError, words_of
from ingest.upkeep import calls

OnProgress = Callable[[calls.BuildProgress], None]
OnStep = Callable[[calls.PlannedStep], None]

_LOOK_EVERY = 0.5


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a step: `outcome` is planned, done, failed or left out."""

    task: str
    target: str
    statement: str
    why: str
    outcome: str
    seconds: float = 0.0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a plan is run. `free_disk` is what the server's disk has left, where that is known;
    with `force` a build goes on that memory or disk seems too small for.
    """

    dry_run: bool = False
    force: bool = False
    memory: str | None = None
    free_disk: int | None = None
    on_step: OnStep | None = None
    on_progress: OnProgress | None = None


def rebuild(url: str, *, index_name: str | None, options: Options) -> list[Done]:
    """Rebuild an index, or every vector index. Raises UpkeepError before anything is done when
    memory or disk does not suffice, or somebody else is at it.
    """
    with _session(url, options) as db:
        plan = calls.rebuild_plan(db, index_name=index_name)
        if not (options.dry_run or options.force):
            for step in plan:
                if short := _shortage(step, options):
                    raise UpkeepError(f"{step.target} is not rebuilt: {short}, or use --force")
        if options.dry_run:
            return _run(url, db, plan, options, forced=True)
        calls.note_builds(db)
        done = _run(url, db, plan, options, forced=True)
        calls.note_builds(db)
        return done


def upkeep(url: str, *, sample: int, options: Options) -> tuple[list[Done], list[calls.BandRecall]]:
    """Do what the upkeep plan says, then audit recall with `sample` questions (0: no audit). A
    rebuild that memory or disk does not suffice for is left out.
    """
    with _session(url, options) as db:
        done = _run(url, db, calls.upkeep_plan(db), options, forced=options.force)
        audited = sample > 0 and not options.dry_run
        return done, calls.recall_audit(db, sample=sample) if audited else []


@contextmanager
def _session(url: str, options: Options) -> Iterator[psycopg.Connection]:
    with closing(connect(url)) as db:
        try:
            calls.open_upkeep(db, memory=options.memory)
            if not options.dry_run and not calls.lock_upkeep(db):
                raise UpkeepError(
                    "another upkeep or rebuild is running on this database. Wait until it ends; "
                    "see dba.index_build_progress"
                )
            yield db
            if not options.dry_run:
                calls.unlock_upkeep(db)
        except psycopg.errors.InsufficientPrivilege as error:
            raise UpkeepError(_words(error)) from None


def _run(
    url: str,
    db: psycopg.Connection,
    plan: Sequence[calls.PlannedStep],
    options: Options,
    *,
    forced: bool,
) -> list[Done]:
    done: list[Done] = []
    for step in plan:
        short = _shortage(step, options)
        if options.dry_run:
            done.append(_told(step, "planned", reason=short))
            continue
        if short and not forced:
            done.append(_told(step, "left out", reason=f"{short}, or use --force"))
            continue
        if options.on_step:
            options.on_step(step)
        started = time.monotonic()
        try:
            with _watched(url, step, options):
                calls.run_step(db, statement=step.statement)
        except psycopg.Error as error:
            if db.closed:
                raise
            spent = time.monotonic() - started
            done.append(_told(step, "failed", seconds=spent, reason=_words(error)))
        else:
            done.append(_told(step, "done", seconds=time.monotonic() - started))
    return done


def _shortage(step: calls.PlannedStep, options: Options) -> str | None:
    """What a build lacks and what to do, or None."""
    if not step.fits:
        return (
            f"its graph takes {_megabytes(step.graph_bytes)} and maintenance_work_mem is "
            f"{_megabytes(step.memory_bytes)}; use --memory {_megabytes(step.graph_bytes, 1.1)}"
        )
    needed = step.disk_bytes or 0
    if options.free_disk is not None and needed > options.free_disk:
        return (
            f"it takes {_megabytes(needed)} beside the old one and the disk has "
            f"{_megabytes(options.free_disk)} left; free some space"
        )
    return None


def _words(error: psycopg.Error) -> str:
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return f"{words_of(error)}. Use a login that is a member of pgkb_admin and pgkb_owner"
    return words_of(error)


def _megabytes(size: int | None, factor: float = 1.0) -> str:
    return f"{-(-int((size or 0) * factor) // 2**20)}MB"


def _told(
    step: calls.PlannedStep, outcome: str, *, seconds: float = 0.0, reason: str | None = None
) -> Done:
    return Done(
        task=step.task,
        target=step.target,
        statement=step.statement,
        why=step.why,
        outcome=outcome,
        seconds=round(seconds, 3),
        reason=reason,
    )


@contextmanager
def _watched(url: str, step: calls.PlannedStep, options: Options) -> Iterator[None]:
    """Tell how a build goes while the block runs it, from a second connection."""
    tell = options.on_progress
    if tell is None or step.task not in {"rebuild", "index"}:
        yield
        return
    ended = threading.Event()

    def look() -> None:
        try:
            with closing(connect(url)) as db:
                while not ended.wait(_LOOK_EVERY):
                    if found := calls.build_progress(db):
                        tell(found)
        except psycopg.Error:
            # the build matters, not how it is watched
            return

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
