"""queue.reap_tasks: work whose holder is gone is free at once."""

import time

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def _claim_elsewhere(url: str) -> tuple[int, str]:
    """A claim by a connection that then ends."""
    with psycopg.connect(url, autocommit=True) as own:
        task_id, token = ask_rows(
            own, "select task_id, lease_token from queue.claim_tasks('kim', lease => '1 day')"
        )[0]
        pid = own.info.backend_pid
    with psycopg.connect(url, autocommit=True) as watcher:
        deadline = time.monotonic() + 10
        while ask(watcher, "select count(*) from pg_stat_activity where pid = %s", pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    return task_id, token


def test_the_work_of_a_connection_that_is_gone_is_claimed_at_once(
    db: psycopg.Connection, db_url: str
) -> None:
    """J-05: not after the lease, here a day."""
    db.autocommit = True
    db.execute("select queue.enqueue('publish_version', 1)")
    task_id, token = _claim_elsewhere(db_url)
    assert ask_rows(db, "select task_id, attempts from queue.claim_tasks('lee')") == [(task_id, 2)]
    assert not ask(db, "select queue.finish_task(%s, %s)", task_id, token)


def test_who_only_lost_the_connection_may_finish_while_nobody_has_it(
    db: psycopg.Connection, db_url: str
) -> None:
    db.autocommit = True
    db.execute("select queue.enqueue('publish_version', 1)")
    task_id, token = _claim_elsewhere(db_url)
    assert ask(db, "select queue.reap_tasks()") == 1
    assert ask(db, "select queue.reap_tasks()") == 0
    assert ask(db, "select queue.finish_task(%s, %s)", task_id, token)


def test_work_that_kills_its_holders_at_once_is_given_up_after_eight(
    db: psycopg.Connection, db_url: str
) -> None:
    db.autocommit = True
    db.execute("select queue.enqueue('publish_version', 1)")
    for _ in range(8):
        _claim_elsewhere(db_url)
    assert ask_rows(db, "select task_id from queue.claim_tasks('lee')") == []
    assert ask(db, "select dead and last_error like 'given up%%' from queue.task")


def test_the_work_of_the_living_is_left_alone(db: psycopg.Connection, db_url: str) -> None:
    db.autocommit = True
    db.execute("select queue.enqueue('publish_version', 1)")
    with psycopg.connect(db_url, autocommit=True) as own:
        own.execute("select queue.claim_tasks('kim')")
        assert ask(db, "select queue.reap_tasks()") == 0
