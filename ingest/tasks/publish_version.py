"""Task `publish_version`: give a staged version its vectors, then let it be seen.

Small documents share a call to the provider and a transaction that publishes them. No transaction
is open while the provider is asked: every statement commits by itself, and nothing is visible
before the last one.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import psycopg

from ingest.embedding.calls import Chunk, EmbeddingSet, chunks_to_embed, store_vectors
from ingest.errors import again_if_passing, words_of
from ingest.queue import calls as queue
from ingest.queue.leases import Lease, LeaseKeeper
from ingest.spending import embed_counted
from ingest.tasks import calls
from providers.protocols import LASTING, Embedder, ProviderError

# So many failed calls in a row mean that the service is down, not that it hiccups.
_PATIENCE = 2
# One transaction publishes so many documents at most: it should be short.
_PUBLISHED_TOGETHER = 16
_STOPPED = "stopped"
# Failures of the service that no document is to blame for: they use up none of its attempts.
_NOBODYS_FAULT = LASTING | {"rate_limited", "unreachable"}
_OUTAGE_PAUSE = timedelta(minutes=1)
_LOST = "another worker took it over, or it was called off"


@dataclass(frozen=True, slots=True)
class Work:
    """A staged version and the task that stands for it."""

    version_id: int
    lease: Lease


@dataclass(frozen=True, slots=True)
class Done:
    """How it went: `published` and how many chunks were embedded, or the line of the failure."""

    work: Work
    published: calls.Published | None = None
    embedded: int = 0
    failure: str | None = None


@dataclass(slots=True)
class _Batch:
    """Chunks for one call to the provider, with the version each belongs to."""

    owners: list[Work] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)

    def add(self, work: Work, chunks: Sequence[Chunk]) -> None:
        self.owners.extend([work] * len(chunks))
        self.chunks.extend(chunks)

    def of(self, work: Work) -> list[Chunk]:
        pairs = zip(self.owners, self.chunks, strict=True)
        return [chunk for owner, chunk in pairs if owner is work]


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a work failed. One that is not to blame has a `pause` after which it is tried again."""

    line: str
    sqlstate: str | None = None
    pause: timedelta | None = None


@dataclass(slots=True)
class _Tally:
    """What is known of the works of one run, by version: why they failed, what was embedded."""

    failures: dict[int, _Failure] = field(default_factory=dict)
    embedded: dict[int, int] = field(default_factory=dict)


class Turn:
    """The place of a run among runs beside it: it takes its locks when those before have theirs.

    So documents of one title are published in their order, and all others at the same time.
    """

    def __init__(self, *, after: "Turn | None" = None) -> None:
        self._over = threading.Event()
        self._before: threading.Event | None = None if after is None else after._over

    def wait(self) -> None:
        """Until it has come."""
        if self._before is not None:
            self._before.wait()
            self._before = None

    def pass_on(self) -> None:
        """Let the next one come."""
        self._over.set()


class Publisher:
    """Embeds and publishes staged versions. `on_embedded` hears of every stored batch."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        active: EmbeddingSet,
        keeper: LeaseKeeper,
        batch_size: int = 64,
        stop: threading.Event | None = None,
        on_embedded: Callable[[Work, int], None] = lambda work, count: None,
    ) -> None:
        self._embedder = embedder
        self._active = active
        self._keeper = keeper
        self._batch_size = batch_size
        self._stop = stop or threading.Event()
        self._on_embedded = on_embedded
        self._outage: ProviderError | None = None
        self._failed_calls = 0

    def publish(
        self, db: psycopg.Connection, works: Sequence[Work], *, turn: Turn | None = None
    ) -> Iterator[Done]:
        """Embed what lacks a vector and publish; one `Done` per work, in no fixed order.

        A failure gives its task back to the queue and stops nothing else. Raises
        OperationalError when the database is gone. May be called beside itself, on connections
        and with turns of their own.
        """
        turn = turn or Turn()
        try:
            yield from self._publish_all(db, works, turn)
        finally:
            turn.pass_on()

    def _publish_all(
        self, db: psycopg.Connection, works: Sequence[Work], turn: Turn
    ) -> Iterator[Done]:
        tally = _Tally()
        batch = _Batch()
        complete: list[Work] = []
        for work in works:
            if self._keeper.is_lost(work.lease):
                tally.failures[work.version_id] = _Failure(_LOST)
            while work.version_id not in tally.failures:
                room = self._batch_size - len(batch.chunks)
                try:
                    chunks = self._next_chunks(db, work, room)
                except psycopg.Error as error:
                    tally.failures[work.version_id] = _or_raise(db, error)
                    break
                batch.add(work, chunks)
                if len(chunks) < room:
                    break
                self._send(db, batch, tally)
                batch = _Batch()
                yield from self._finish(db, complete, tally, turn)
                complete = []
            complete.append(work)
        if batch.chunks:
            self._send(db, batch, tally)
        yield from self._finish(db, complete, tally, turn, is_last=True)

    def _next_chunks(self, db: psycopg.Connection, work: Work, room: int) -> list[Chunk]:
        return again_if_passing(
            lambda: chunks_to_embed(
                db, version_id=work.version_id, batch_size=room, set_name=self._active.name
            )
        )

    def _send(self, db: psycopg.Connection, batch: _Batch, tally: _Tally) -> None:
        """Embed a batch and store its vectors; a failure is charged to the works it concerns."""
        works = list(dict.fromkeys(batch.owners))
        try:
            self._embed_and_store(db, batch.chunks)
        except ProviderError as error:
            if len(works) > 1 and error.code not in LASTING and not error.retryable:
                # one of them is to blame: each for itself
                for work in works:
                    alone = _Batch()
                    alone.add(work, batch.of(work))
                    self._send(db, alone, tally)
                return
            for work in works:
                tally.failures[work.version_id] = _Failure(
                    f"embedding failed, {error}", pause=pause_after(error)
                )
            return
        except psycopg.Error as error:
            failure = _or_raise(db, error)
            for work in works:
                tally.failures[work.version_id] = failure
            return
        for work in works:
            count = len(batch.of(work))
            tally.embedded[work.version_id] = tally.embedded.get(work.version_id, 0) + count
            self._on_embedded(work, count)

    def _embed_and_store(self, db: psycopg.Connection, chunks: Sequence[Chunk]) -> None:
        if self._outage is not None:
            raise self._outage
        self._wait_for_turn(db)
        try:
            vectors = embed_counted(db, self._embedder, chunks, set_name=self._active.name)
        except ProviderError as error:
            # what was paid for is kept: the next attempt goes on behind it
            self._store(db, chunks[: len(error.finished)], error.finished)
            self._failed_calls += 1
            if error.code in LASTING or (error.retryable and self._failed_calls >= _PATIENCE):
                self._outage = error
            raise
        self._failed_calls = 0
        self._store(db, chunks, vectors)

    def _store(
        self, db: psycopg.Connection, chunks: Sequence[Chunk], vectors: list[list[float]]
    ) -> None:
        if not chunks:
            return
        again_if_passing(
            lambda: store_vectors(
                db,
                chunk_ids=[chunk.chunk_id for chunk in chunks],
                vectors=vectors,
                set_name=self._active.name,
            )
        )

    def _wait_for_turn(self, db: psycopg.Connection) -> None:
        """Until all workers together may ask the provider again, or a stop."""
        wait = 0.0
        if not self._stop.is_set():
            wait = queue.take_turn(db, provider=self._active.provider).total_seconds()
        if self._stop.wait(wait):
            raise ProviderError("the work was stopped", code=_STOPPED, retryable=True)

    def _finish(
        self,
        db: psycopg.Connection,
        works: Sequence[Work],
        tally: _Tally,
        turn: Turn,
        *,
        is_last: bool = False,
    ) -> Iterator[Done]:
        """Publish those that are whole, some per transaction, and give back the others."""
        good = [work for work in works if work.version_id not in tally.failures]
        try:
            for work in works:
                if (failure := tally.failures.get(work.version_id)) is not None:
                    give_back(
                        db,
                        work.lease,
                        failure.line,
                        sqlstate=failure.sqlstate,
                        pause=failure.pause,
                    )
                    yield Done(work, failure=failure.line)
            for start in range(0, len(good), _PUBLISHED_TOGETHER):
                end = start + _PUBLISHED_TOGETHER
                passes_on = is_last and end >= len(good)
                yield from self._publish(db, good[start:end], tally, turn, passes_on=passes_on)
        finally:
            for work in works:
                self._keeper.let_go(work.lease)

    def _publish(
        self,
        db: psycopg.Connection,
        works: Sequence[Work],
        tally: _Tally,
        turn: Turn,
        *,
        passes_on: bool,
    ) -> Iterator[Done]:
        task_ids = [work.lease.task_id for work in works]
        lease_tokens = [work.lease.lease_token for work in works]

        def publish() -> list[calls.Published]:
            turn.wait()
            with db.transaction():
                calls.reserve_titles(db, task_ids=task_ids)
                if passes_on:
                    turn.pass_on()
                return calls.publish_tasks(db, task_ids=task_ids, lease_tokens=lease_tokens)

        try:
            outcomes = again_if_passing(publish)
        except psycopg.Error as error:
            failure = _or_raise(db, error)
            for work in works:
                give_back(db, work.lease, failure.line, sqlstate=failure.sqlstate)
                yield Done(work, failure=failure.line)
            return
        by_task = {outcome.task_id: outcome for outcome in outcomes}
        for work in works:
            outcome = by_task[work.lease.task_id]
            match outcome.outcome:
                case "published":
                    embedded = tally.embedded.get(work.version_id, 0)
                    yield Done(work, published=outcome, embedded=embedded)
                case "lost":
                    yield Done(work, failure=_LOST)
                case _:
                    yield Done(work, failure=outcome.failure or "not published")


def pause_after(error: ProviderError) -> timedelta | None:
    """How long work waits when a stop or the service is to blame; None when it may be the work."""
    if error.code == _STOPPED:
        return timedelta(0)
    return _OUTAGE_PAUSE if error.code in _NOBODYS_FAULT else None


def give_back(
    db: psycopg.Connection,
    lease: Lease,
    reason: str,
    *,
    sqlstate: str | None = None,
    pause: timedelta | None = None,
) -> None:
    """Give a task back as failed, or as blameless when there is a pause to keep.

    `sqlstate` is that of the database's error: one that would come again fails the task for good.
    """
    if pause is None:
        queue.fail_task(
            db,
            task_id=lease.task_id,
            lease_token=lease.lease_token,
            reason=reason,
            sqlstate=sqlstate,
        )
    else:
        queue.release_task(
            db,
            task_id=lease.task_id,
            lease_token=lease.lease_token,
            reason=reason if pause else None,
            wait=pause,
        )


def _or_raise(db: psycopg.Connection, error: psycopg.Error) -> _Failure:
    """The failure that an error about the work is; when the connection is gone it goes on up."""
    if db.closed:
        raise error
    return _Failure(words_of(error), error.sqlstate)
