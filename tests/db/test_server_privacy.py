"""Questions are about children: whatever goes wrong, their text is not in the server's log."""

import contextlib
import os
import signal
import threading

import psycopg
import pytest

from tests.callers import House

SECRET = "my son Jamie was excluded from Oakfield"


def test_a_failing_statement_leaves_no_text_and_no_parameter_in_the_log(
    running_house: House,
) -> None:
    with running_house.connect() as db:
        db.execute("create table asked (question text primary key, number int)")
        db.execute("insert into asked values (%s)", (SECRET,))
        for statement in (
            "select %s::int",
            "insert into asked values (%s)",
            "insert into asked values (%s, 'no number')",
            "select no_such_function(%s)",
        ):
            with pytest.raises(psycopg.Error):
                db.execute(statement, (SECRET,))
        with pytest.raises(psycopg.Error):
            db.execute(f"select 1 from nowhere where question = '{SECRET}'")
        with pytest.raises(psycopg.Error):
            db.execute(f"do $$ begin raise exception '{SECRET}' using detail = '{SECRET}'; end $$")
        db.execute(f"do $$ begin raise warning '{SECRET}'; end $$")
    log = running_house.log_text()
    assert "database system is ready" in log
    for trace in ("Jamie", "nowhere", "no_such_function", "asked"):
        assert trace not in log


def test_a_backend_that_crashes_leaves_no_text_in_the_log(running_house: House) -> None:
    with running_house.connect() as db:
        victim = db.info.backend_pid

        def sleep() -> None:
            with contextlib.suppress(psycopg.OperationalError):
                db.execute(f"select pg_sleep(30), '{SECRET}'")

        sleeper = threading.Thread(target=sleep)
        sleeper.start()
        with running_house.connect() as watcher:
            busy = "select from pg_stat_activity where pid = %s and state = 'active'"
            while not watcher.execute(busy, (victim,)).rowcount:
                pass
            os.kill(victim, signal.SIGKILL)
            sleeper.join()
    running_house.ask("server.start()")  # waits until it has recovered
    log = running_house.log_text()
    assert "was terminated by signal 9" in log
    assert "Jamie" not in log


def test_a_deadlock_and_a_long_wait_leave_no_text_in_the_log(running_house: House) -> None:
    with running_house.connect() as one, running_house.connect() as two:
        one.execute("create table pair as select 1 as number union select 2")
        one.execute("set log_lock_waits = on")
        two.execute("set log_lock_waits = on")
        update = f"update pair set number = number where number = {{}} and '{SECRET}' <> ''"
        one.execute("begin")
        two.execute("begin")
        one.execute(update.format(1))
        two.execute(update.format(2))
        failed = []

        def cross(db: psycopg.Connection, number: int) -> None:
            try:
                db.execute(update.format(number))
            except psycopg.errors.DeadlockDetected as error:
                failed.append(error)
            db.execute("rollback")

        waiters = [
            threading.Thread(target=cross, args=(one, 2)),
            threading.Thread(target=cross, args=(two, 1)),
        ]
        for waiter in waiters:
            waiter.start()
        for waiter in waiters:
            waiter.join()
    assert len(failed) == 1
    assert "Jamie" not in running_house.log_text()
