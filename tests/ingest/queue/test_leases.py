"""A lease lives as long as its holder works, and a lost one is noticed."""

import time
from datetime import timedelta

import psycopg

from ingest.queue import calls
from ingest.queue.leases import Lease, LeaseKeeper
from tests.ingest.library import one


def claimed(db: psycopg.Connection, lease: timedelta) -> Lease:
    """A task claimed for a while."""
    db.rollback()
    db.autocommit = True
    db.execute("select queue.enqueue(kind => 'publish_version', subject_id => 1)")
    (task,) = calls.claim_tasks(db, worker="me", batch_size=1, lease=lease)
    return Lease(task.task_id, task.lease_token)


def test_a_held_lease_outlives_its_time(db: psycopg.Connection, db_url: str) -> None:
    lease = timedelta(seconds=3)
    held = claimed(db, lease)
    with LeaseKeeper(db_url, lease=lease) as keeper:
        keeper.hold(held)
        time.sleep(3.5)
        assert calls.claim_tasks(db, worker="other", batch_size=1, lease=lease) == []
        assert not keeper.is_lost(held)
        keeper.let_go(held)
    db.execute("update queue.task set ready_at = ready_at - %s", [lease])
    assert len(calls.claim_tasks(db, worker="other", batch_size=1, lease=lease)) == 1


def test_a_lease_that_somebody_else_took_is_lost(db: psycopg.Connection, db_url: str) -> None:
    held = claimed(db, timedelta(minutes=5))
    db.execute("update queue.task set lease_token = gen_random_uuid()")
    with LeaseKeeper(db_url, lease=timedelta(seconds=1)) as keeper:
        keeper.hold(held)
        deadline = time.monotonic() + 10
        while not keeper.is_lost(held):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert one(db, "select count(*) from queue.task") == 1
