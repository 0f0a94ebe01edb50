"""Batches of staged documents that are embedded and published in the background."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass

import psycopg

from ingest.connect import PatientConnection
from ingest.embedding.calls import EmbeddingSet
from ingest.errors import words_of
from ingest.queue.leases import LeaseKeeper
from ingest.tasks.publish_version import Done, Publisher, Turn, Work
from providers.protocols import Embedder

# Batches that are under way at the same time: what one waits for, the other uses.
_BESIDE = 2
# Seconds an interrupted run gives the call that is under way.
_FAREWELL = 5.0


@dataclass(frozen=True, slots=True)
class _Flight:
    """A batch that is being embedded and published, on a connection of its own."""

    done: Future[list[Done]]
    connection: PatientConnection


class Publishing:
    """Batches under way, each on a connection of its own; published in the order they left."""

    def __init__(
        self,
        url: str,
        *,
        embedder: Embedder,
        active: EmbeddingSet,
        keeper: LeaseKeeper,
        batch_size: int,
        on_embedded: Callable[[Work, int], None],
    ) -> None:
        self._idle = [PatientConnection(url) for _ in range(_BESIDE)]
        self._in_flight: deque[_Flight] = deque()
        self._last_turn = Turn()
        self._last_turn.pass_on()
        self._stop = threading.Event()
        self._keeper = keeper
        self._publisher = Publisher(
            embedder=embedder,
            active=active,
            keeper=keeper,
            batch_size=batch_size,
            stop=self._stop,
            on_embedded=on_embedded,
        )

    @property
    def is_full(self) -> bool:
        """Nothing can leave before a batch has come in."""
        return not self._idle

    @property
    def is_empty(self) -> bool:
        """Nothing is under way."""
        return not self._in_flight

    def send_off(self, works: Sequence[Work]) -> None:
        """Let a batch leave; there is room for it."""
        flight = _Flight(Future(), self._idle.pop())
        self._last_turn = turn = Turn(after=self._last_turn)

        def publish() -> None:
            try:
                flight.done.set_result(self._publish(flight.connection, works, turn))
            except BaseException as error:
                flight.done.set_exception(error)

        self._in_flight.append(flight)
        # no pool: a provider that hangs must not keep an interrupted process alive
        threading.Thread(target=publish, name="publish", daemon=True).start()

    def come_in(self) -> list[Done]:
        """What became of the batch that left first, when that is known."""
        flight = self._in_flight[0]
        done = flight.done.result()
        self._in_flight.popleft()
        self._idle.append(flight.connection)
        return done

    def close(self) -> None:
        """Begin nothing more, and leave what is under way to itself after a while."""
        self._stop.set()
        # a model of our own is soon done, and must be before the process ends; a provider that
        # hangs is not waited for
        wait([flight.done for flight in self._in_flight], timeout=_FAREWELL)
        for flight in self._in_flight:
            if flight.done.done():
                flight.connection.close()
        for connection in self._idle:
            connection.close()

    def _publish(
        self, connection: PatientConnection, works: Sequence[Work], turn: Turn
    ) -> list[Done]:
        """In the background: embed and publish; a lost connection fails what is not done."""
        done: dict[int, Done] = {}
        try:
            for one in self._publisher.publish(connection.get(), works, turn=turn):
                done[one.work.version_id] = one
        except psycopg.Error as error:
            # what is staged stays, and a worker goes on with it
            for work in works:
                if work.version_id not in done:
                    self._keeper.let_go(work.lease)
                    done[work.version_id] = Done(work, failure=words_of(error))
        finally:
            # also where there was no connection to begin on
            turn.pass_on()
            if self._stop.is_set():
                connection.close()
        return list(done.values())
