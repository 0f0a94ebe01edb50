"""Fills an embedding set in the background of the searches.

Chunks are claimed in batches and sent to the provider; claiming and storing are a statement each
and no transaction is open in between. A claim ends with its connection, so a worker may die at any
instruction: what it held is claimed again by whoever comes next.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import psycopg

from ingest.connect import connect
from ingest.embedding import calls
from ingest.errors import IngestError, again_if_passing, words_of
from ingest.spending import embed_counted
from providers.protocols import LASTING, Embedder, ProviderError

log = logging.getLogger(__name__)

# So many failed calls in a row, with growing waits in between, mean that the service is down.
_PATIENCE = 8
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0
# So many texts refused in a row mean that the service, not the text, is at fault.
_MOST_REFUSED = 25
# How long to wait when all that is left is in other hands.
_NAP = 0.1
_LEAVE_WITHIN = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast to go: chunks in a call, chunks a second (None: no limit), calls at once."""

    batch: int = 64
    per_second: float | None = None
    concurrency: int = 1

    def check(self) -> None:
        """Raise IngestError for a pace that cannot be."""
        if not 1 <= self.batch <= 2048 or not 1 <= self.concurrency <= 32:
            raise IngestError("a batch holds 1 to 2048 chunks, and 1 to 32 calls go at once")
        if self.per_second is not None and not 0 < self.per_second < float("inf"):
            raise IngestError("the chunks a second must be more than 0: leave it out for no limit")


class Filler:
    """Fills one set until nothing waits. `on_stored` hears how many chunks got their vector."""

    def __init__(
        self,
        url: str,
        *,
        set_name: str,
        embedder: Embedder,
        pace: Pace,
        stop: threading.Event | None = None,
        on_stored: Callable[[int], None] = lambda count: None,
    ) -> None:
        pace.check()
        self._url = url
        self._set_name = set_name
        self._embedder = embedder
        self._pace = pace
        self._throttle = _Throttle(pace.per_second)
        self._stop = stop or threading.Event()
        self._on_stored = on_stored
        self._lock = threading.Lock()
        self._stored = 0
        self._refused_in_a_row = 0
        self._halt = threading.Event()
        self._error: Exception | None = None

    def run(self, *, at_most: int | None = None) -> int:
        """Fill; how many chunks got a vector. Raises ProviderError or psycopg's errors.

        With `at_most` it ends after about so many chunks.
        """
        threads = [
            threading.Thread(target=self._run_one, args=(at_most,), name="filler", daemon=True)
            for _ in range(self._pace.concurrency)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                # in pieces, so that Ctrl-C is heard
                while thread.is_alive():
                    thread.join(0.2)
        finally:
            self._halt.set()
            deadline = time.monotonic() + _LEAVE_WITHIN
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
        if self._error is not None:
            raise self._error
        return self._stored

    def _run_one(self, at_most: int | None) -> None:
        try:
            lost = 0
            while not self._ended(at_most):
                stored_before = self._stored
                try:
                    with closing(connect(self._url)) as db:
                        self._fill(db, at_most)
                    return
                except psycopg.OperationalError as error:
                    lost = lost + 1 if self._stored == stored_before else 1
                    if lost >= _PATIENCE:
                        raise
                    log.warning("database lost, trying again: %s", words_of(error))
                    self._halt.wait(_wait_after(lost))
        except Exception as error:
            with self._lock:
                self._error = self._error or error
            self._halt.set()

    def _ended(self, at_most: int | None) -> bool:
        enough = at_most is not None and self._stored >= at_most
        return enough or self._halt.is_set() or self._stop.is_set()

    def _fill(self, db: psycopg.Connection, at_most: int | None) -> None:
        failed_calls = 0
        while not self._ended(at_most):
            if not self._throttle.wait(self._halt):
                return
            chunks = again_if_passing(
                lambda: calls.claim_chunks(db, set_name=self._set_name, batch_size=self._pace.batch)
            )
            if not chunks:
                if calls.fill_is_over(db, set_name=self._set_name):
                    return
                self._halt.wait(_NAP)
                continue
            self._throttle.charge(len(chunks))
            try:
                self._embed(db, chunks)
                failed_calls = 0
            except ProviderError as error:
                failed_calls += 1
                self._release(db, chunks, error)
                if error.code in LASTING or failed_calls >= _PATIENCE or not error.retryable:
                    raise
                wait = max(error.retry_after or 0.0, _wait_after(failed_calls))
                log.warning("embedding failed, trying again in %.0f s: %s", wait, error)
                self._halt.wait(wait)

    def _embed(self, db: psycopg.Connection, chunks: Sequence[calls.Chunk]) -> None:
        """Embed and store; texts that the provider refuses are found and given up."""
        waiting = [list(chunks)]
        while waiting:
            batch = waiting.pop()
            try:
                vectors = embed_counted(db, self._embedder, batch, set_name=self._set_name)
            except ProviderError as error:
                # what was answered before it failed is paid for, and kept
                done = len(error.finished)
                if done:
                    self._store(db, batch[:done], error.finished)
                if error.retryable or error.code in LASTING:
                    raise
                waiting += self._without_the_guilty(db, batch[done:], error, before=done)
                continue
            self._store(db, batch, vectors)

    def _without_the_guilty(
        self,
        db: psycopg.Connection,
        batch: list[calls.Chunk],
        error: ProviderError,
        *,
        before: int,
    ) -> list[list[calls.Chunk]]:
        """What is still to be tried of a batch that was refused, `before` its beginning was not."""
        at = error.item if error.item is None else error.item - before
        if len(batch) == 1:
            at = 0
        if at is None or not 0 <= at < len(batch):
            middle = len(batch) // 2
            return [batch[middle:], batch[:middle]]
        with self._lock:
            self._refused_in_a_row += 1
            too_many = self._refused_in_a_row >= _MOST_REFUSED
        if too_many:
            raise error
        self._release(db, [batch[at]], error, final=True)
        rest = batch[:at] + batch[at + 1 :]
        return [rest] if rest else []

    def _store(
        self, db: psycopg.Connection, batch: Sequence[calls.Chunk], vectors: list[list[float]]
    ) -> None:
        stored = again_if_passing(
            lambda: calls.store_filled(
                db,
                set_name=self._set_name,
                chunk_ids=[chunk.chunk_id for chunk in batch],
                vectors=vectors,
            )
        )
        with self._lock:
            self._stored += stored
            self._refused_in_a_row = 0
            self._on_stored(stored)

    def _release(
        self,
        db: psycopg.Connection,
        chunks: Sequence[calls.Chunk],
        error: ProviderError,
        *,
        final: bool = False,
    ) -> None:
        calls.release_chunks(
            db,
            set_name=self._set_name,
            chunk_ids=[chunk.chunk_id for chunk in chunks],
            reason=str(error),
            final=final,
        )


class _Throttle:
    """So many chunks a second, all threads together."""

    def __init__(self, per_second: float | None) -> None:
        self._per_second = per_second
        self._lock = threading.Lock()
        self._free_at = 0.0

    def wait(self, halt: threading.Event) -> bool:
        """Until more may be sent; False when it is not to go on."""
        while not halt.is_set():
            with self._lock:
                left = self._free_at - time.monotonic()
            if left <= 0:
                return True
            halt.wait(left)
        return False

    def charge(self, count: int) -> None:
        """Note what is about to be sent."""
        if self._per_second is not None:
            with self._lock:
                start = max(self._free_at, time.monotonic())
                self._free_at = start + count / self._per_second


def _wait_after(failures: int) -> float:
    wait: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (failures - 1))
    return wait
