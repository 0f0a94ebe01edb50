"""Leases kept alive while their holder is busy with a provider."""

import threading
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Self
from uuid import UUID

import psycopg

from ingest.connect import connect
from ingest.queue import calls


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed task and the token that proves the claim."""

    task_id: int
    lease_token: UUID


class LeaseKeeper:
    """Renews the leases it is told to hold, on a connection and a thread of its own.

    The connection is opened with the first renewal, so short work never needs one.
    """

    def __init__(self, url: str, *, lease: timedelta) -> None:
        self._url = url
        self._lease = lease
        self._held: dict[int, Lease] = {}
        self._lost: set[int] = set()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def hold(self, lease: Lease) -> None:
        """Keep this lease alive until it is let go."""
        with self._lock:
            self._held[lease.task_id] = lease

    def let_go(self, lease: Lease) -> None:
        """Renew it no more."""
        with self._lock:
            self._held.pop(lease.task_id, None)
            self._lost.discard(lease.task_id)

    def is_lost(self, lease: Lease) -> bool:
        """Whether somebody else holds the task by now."""
        with self._lock:
            return lease.task_id in self._lost

    def _keep(self) -> None:
        # three tries before a lease runs out
        pause = self._lease.total_seconds() / 4
        db: psycopg.Connection | None = None
        while not self._ended.wait(pause):
            with self._lock:
                held = [held for held in self._held.values() if held.task_id not in self._lost]
            if not held:
                continue
            try:
                if db is None or db.closed:
                    db = connect(self._url)
                for lease in held:
                    self._renew(db, lease)
            except psycopg.OperationalError:
                # the next round tries again; the work itself finds out if the server is gone
                if db is not None:
                    db.close()
                db = None
        if db is not None:
            db.close()

    def _renew(self, db: psycopg.Connection, lease: Lease) -> None:
        renewed = calls.heartbeat(
            db, task_id=lease.task_id, lease_token=lease.lease_token, lease=self._lease
        )
        if not renewed:
            with self._lock:
                if lease.task_id in self._held:
                    self._lost.add(lease.task_id)
