"""Moves the searches to another embedding set while they go on: fill, index, switch."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import psycopg

from ingest.connect import connect
from ingest.embedding import calls
from ingest.embedding.embedders import check_embedder, chosen_embedder
from ingest.embedding.filling import Filler, Pace
from ingest.errors import IngestError
from providers.protocols import Embedder

# A text of no meaning, to see whether the provider works before anything is begun.
_PROBE = "pgkb"
# A drop waits a second for the searches to leave, then gives way to them.
_DROP_TRIES = 5
# How long to wait before asking again whether another run has built the indexes.
_BUILD_WAIT = 0.5


@dataclass(frozen=True, slots=True)
class NewSet:
    """What a set that may have to be added is."""

    name: str
    provider: str
    model: str
    width: int


@dataclass(frozen=True, slots=True)
class Step:
    """Where a run is: step is filling, indexing or switching; done of total chunks."""

    step: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a run ended. `previous` is the set that a rollback goes back to."""

    set: str
    embedded: int
    failed: int
    indexes_built: list[str]
    switched: bool
    previous: str | None
    seconds: float
    endpoint_lost: bool


OnStep = Callable[[Step], None]


def reembed(
    url: str,
    name: str,
    *,
    new: NewSet | None = None,
    pace: Pace | None = None,
    switch: bool = True,
    embedder: Embedder | None = None,
    on_step: OnStep = lambda step: None,
) -> Report:
    """Fill a set, build its indexes, and switch the searches to it.

    It may be interrupted at any moment and goes on where it was. Raises IngestError when texts
    were refused by the provider, ProviderError, and the database's errors.
    """
    started = time.monotonic()
    chosen_pace = pace or Pace()
    chosen_pace.check()
    with closing(connect(url)) as db:
        if new is not None:
            calls.add_set(
                db, name=new.name, provider=new.provider, model=new.model, width=new.width
            )
        target = calls.named_set(db, name=name)
        before = calls.named_set(db, name=None)
        stored = _fill(url, db, target, chosen_pace, embedder, on_step)
        failed = next(p.failed for p in calls.fill_progress(db) if p.name == name)
        on_step(Step("indexing"))
        built = _build_indexes(db, target)
        if stored or built:
            calls.analyze_set(db, set_id=target.set_id)
        if switch and not target.active:
            on_step(Step("switching"))
            _switch(db, name, failed)
        return Report(
            set=name,
            embedded=stored,
            failed=failed,
            indexes_built=built,
            switched=switch and not target.active,
            previous=before.name if before.name != name else None,
            seconds=round(time.monotonic() - started, 1),
            endpoint_lost=before.endpoint_url is not None and target.endpoint_url is None,
        )


def estimate(url: str, name: str, *, new: NewSet | None = None) -> calls.Estimate:
    """What a run would take; nothing is kept of the look."""
    with closing(connect(url)) as db, db.transaction(force_rollback=True):
        if new is not None:
            calls.add_set(
                db, name=new.name, provider=new.provider, model=new.model, width=new.width
            )
        calls.start_fill(db, set_name=name)
        return calls.estimate_fill(db, set_name=name)


def progress(url: str) -> list[calls.FillProgress]:
    """How far each set is."""
    with closing(connect(url)) as db:
        return calls.fill_progress(db)


def switch_to(url: str, name: str) -> None:
    """Switch the searches to a set that is filled. Raises VE006 or VE009 when it is not."""
    with closing(connect(url)) as db:
        calls.activate(db, set_name=name)


def previous(url: str) -> str:
    """The set that was active before. Raises VE014 when none is kept."""
    with closing(connect(url)) as db:
        return calls.previous_set(db).name


def stop(url: str, name: str) -> None:
    """Keep a set up no longer; its vectors stay."""
    with closing(connect(url)) as db:
        calls.stop_fill(db, set_name=name)


def drop(url: str, name: str) -> None:
    """Remove a set and its vectors. Searches on their way that name it embed anew."""
    with closing(connect(url)) as db:
        # first nobody may name it any more, then it goes
        calls.stop_fill(db, set_name=name)
        for left in reversed(range(_DROP_TRIES)):
            try:
                calls.drop_set(db, name=name)
                return
            except psycopg.errors.LockNotAvailable:
                if not left:
                    raise IngestError(
                        f"embedding set {name} cannot be dropped while long searches or a backup "
                        "read the vectors: try again later"
                    ) from None


def _fill(
    url: str,
    db: psycopg.Connection,
    target: calls.KnownSet,
    pace: Pace,
    given: Embedder | None,
    on_step: OnStep,
) -> int:
    if target.state == "ready" and calls.start_fill(db, set_name=target.name) == 0:
        return 0
    embedder = given or chosen_embedder(target)
    try:
        check_embedder(embedder, target)
        embedder.embed([_PROBE])
        calls.drop_indexes_if_empty(db, set_id=target.set_id)
        stored = 0
        # a publisher that was under way may have missed that this set is filled: look again
        for _ in range(2):
            waiting = calls.start_fill(db, set_name=target.name)
            if waiting == 0:
                break
            stored = _run(url, target, embedder, pace, on_step, Step("filling", stored, waiting))
        return stored
    finally:
        if given is None:
            embedder.close()


def _run(
    url: str,
    target: calls.KnownSet,
    embedder: Embedder,
    pace: Pace,
    on_step: OnStep,
    begin: Step,
) -> int:
    """Fill what waits; how many chunks got a vector, those of `begin` included."""
    done, total = begin.done, begin.done + begin.total

    def tell(count: int) -> None:
        nonlocal done
        done += count
        # documents published meanwhile are filled too
        on_step(Step("filling", done, max(done, total)))

    tell(0)
    Filler(url, set_name=target.name, embedder=embedder, pace=pace, on_stored=tell).run()
    return done


def _build_indexes(db: psycopg.Connection, target: calls.KnownSet) -> list[str]:
    while not calls.try_to_reserve(db, set_id=target.set_id):
        time.sleep(_BUILD_WAIT)
    missing = calls.missing_indexes(db, set_id=target.set_id)
    for index in missing:
        calls.build_index(db, index)
    return [index.index_name for index in missing]


def _switch(db: psycopg.Connection, name: str, failed: int) -> None:
    try:
        calls.activate(db, set_name=name)
    except psycopg.Error as error:
        if error.sqlstate != "VE006" or not failed:
            raise
        raise IngestError(
            f"{error.diag.message_primary}: the provider refused {failed} texts, "
            "`pgkb reembed --status` says why. Run it again to try them again"
        ) from None
