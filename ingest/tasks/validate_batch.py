"""Task `validate_batch`: have the database judge the documents of a batch, all in one statement."""

import logging
from datetime import timedelta

import psycopg

from ingest.errors import again_if_passing, words_of
from ingest.queue import calls as queue
from ingest.queue.leases import Lease
from ingest.validation import calls

log = logging.getLogger(__name__)

KIND = "validate_batch"
# what the job says of a fault that is ours: the detail is for the log
_NOT_JUDGED = "its documents could not be judged: it is tried again"


def judge(db: psycopg.Connection, batch_id: int, lease: Lease) -> bool:
    """Judge a batch; whether its task is done.

    Raises OperationalError when the database is gone.
    """
    try:
        judged = again_if_passing(lambda: calls.judge_batch(db, batch_id=batch_id, lease=lease))
    except psycopg.Error as error:
        if db.closed:
            raise
        log.warning("batch %d: %s", batch_id, words_of(error))
        queue.fail_task(
            db,
            task_id=lease.task_id,
            lease_token=lease.lease_token,
            reason=_NOT_JUDGED,
            wait=timedelta(0),
        )
        return False
    log.info("batch %d: %s documents judged", batch_id, judged)
    return judged is not None
