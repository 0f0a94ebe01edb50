"""Task `publish_version`: give a staged version its vectors, then let it be seen.

Small documents share a call to the provider. No transaction is open while it is under way: every
statement commits by itself, and nothing is visible before the last one.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import psycopg

from ingest import calls
from ingest.errors import again_if_passing, words_of
from ingest.leases import Lease, LeaseKeeper
from ingest.spending import embed_counted
from providers.protocols import LASTING, Embedder, ProviderError

# So many failed calls in a row mean that the service is down, not that it hiccups.
_PATIENCE = 2


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
    chunks: list[calls.Chunk] = field(default_factory=list)

    def add(self, work: Work, chunks: Sequence[calls.Chunk]) -> None:
        self.owners.extend([work] * len(chunks))
        self.chunks.extend(chunks)

    def of(self, work: Work) -> list[calls.Chunk]:
        pairs = zip(self.owners, self.chunks, strict=True)
        return [chunk for owner, chunk in pairs if owner is work]


class Publisher:
    """Embeds and publishes staged versions. `on_embedded` hears of every stored batch."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        set_name: str,
        keeper: LeaseKeeper,
        batch_size: int = 64,
        stop: threading.Event | None = None,
        on_embedded: Callable[[Work, int], None] = lambda work, count: None,
    ) -> None:
        self._embedder = embedder
        self._set_name = set_name
        self._keeper = keeper
        self._batch_size = batch_size
        self._stop = stop or threading.Event()
        self._on_embedded = on_embedded
        self._outage: ProviderError | None = None
        self._failed_calls = 0

    def publish(self, db: psycopg.Connection, works: Sequence[Work]) -> Iterator[Done]:
        """Embed what lacks a vector and publish; one `Done` per work, in no fixed order.

        A failure gives its task back to the queue and stops nothing else. Raises
        OperationalError when the database is gone.
        """
        failures: dict[int, str] = {}
        embedded: dict[int, int] = {}
        batch = _Batch()
        complete: list[Work] = []
        for work in works:
            while work.version_id not in failures:
                room = self._batch_size - len(batch.chunks)
                try:
                    chunks = self._next_chunks(db, work, room)
                except psycopg.Error as error:
                    failures[work.version_id] = _or_raise(db, error)
                    break
                batch.add(work, chunks)
                if len(chunks) < room:
                    break
                self._send(db, batch, failures, embedded)
                batch = _Batch()
                yield from self._finish_all(db, complete, failures, embedded)
                complete = []
            complete.append(work)
        if batch.chunks:
            self._send(db, batch, failures, embedded)
        yield from self._finish_all(db, complete, failures, embedded)

    def _next_chunks(self, db: psycopg.Connection, work: Work, room: int) -> list[calls.Chunk]:
        return again_if_passing(
            lambda: calls.chunks_to_embed(
                db, version_id=work.version_id, batch_size=room, set_name=self._set_name
            )
        )

    def _send(
        self,
        db: psycopg.Connection,
        batch: _Batch,
        failures: dict[int, str],
        embedded: dict[int, int],
    ) -> None:
        """Embed a batch and store its vectors; a failure is charged to the works it concerns."""
        works = list(dict.fromkeys(batch.owners))
        try:
            self._embed_and_store(db, works, batch.chunks)
        except ProviderError as error:
            if len(works) > 1 and error.code not in LASTING and not error.retryable:
                # one of them is to blame: each for itself
                for work in works:
                    alone = _Batch()
                    alone.add(work, batch.of(work))
                    self._send(db, alone, failures, embedded)
                return
            for work in works:
                failures[work.version_id] = f"embedding failed, {error}"
            return
        except psycopg.Error as error:
            line = _or_raise(db, error)
            for work in works:
                failures[work.version_id] = line
            return
        for work in works:
            count = len(batch.of(work))
            embedded[work.version_id] = embedded.get(work.version_id, 0) + count
            self._on_embedded(work, count)

    def _embed_and_store(
        self, db: psycopg.Connection, works: Sequence[Work], chunks: Sequence[calls.Chunk]
    ) -> None:
        if self._stop.is_set():
            raise ProviderError("the worker was stopped", code="stopped", retryable=True)
        if self._outage is not None:
            raise self._outage
        try:
            vectors = embed_counted(db, self._embedder, chunks, set_name=self._set_name)
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
        self, db: psycopg.Connection, chunks: Sequence[calls.Chunk], vectors: list[list[float]]
    ) -> None:
        if not chunks:
            return
        again_if_passing(
            lambda: calls.store_vectors(
                db,
                chunk_ids=[chunk.chunk_id for chunk in chunks],
                vectors=vectors,
                set_name=self._set_name,
            )
        )

    def _finish_all(
        self,
        db: psycopg.Connection,
        works: Sequence[Work],
        failures: dict[int, str],
        embedded: dict[int, int],
    ) -> Iterator[Done]:
        for work in works:
            yield self._finish(
                db, work, failures.get(work.version_id), embedded.get(work.version_id, 0)
            )

    def _finish(
        self, db: psycopg.Connection, work: Work, failure: str | None, embedded: int
    ) -> Done:
        lease = work.lease
        try:
            if failure is None and self._keeper.is_lost(lease):
                return Done(work, failure="another worker took this document over")
            published = None
            if failure is None:
                try:
                    published = again_if_passing(
                        lambda: calls.publish_version(db, version_id=work.version_id)
                    )
                except psycopg.Error as error:
                    failure = _or_raise(db, error)
            if published is None:
                reason = failure or "not published"
                calls.fail_task(
                    db, task_id=lease.task_id, lease_token=lease.lease_token, reason=reason
                )
                return Done(work, failure=reason)
            calls.finish_task(db, task_id=lease.task_id, lease_token=lease.lease_token)
            return Done(work, published=published, embedded=embedded)
        finally:
            self._keeper.let_go(lease)


def _or_raise(db: psycopg.Connection, error: psycopg.Error) -> str:
    """The line of an error about the work; when the connection is gone it goes on up."""
    if db.closed:
        raise error
    return words_of(error)
