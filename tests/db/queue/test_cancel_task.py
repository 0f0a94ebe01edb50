"""queue.cancel_task and queue.retry_task: people decide what is done."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows


@pytest.fixture
def held(reference: psycopg.Connection) -> tuple[int, str]:
    """A task that kim is at."""
    return ask_rows(
        reference, "select task_id, lease_token from queue.enqueue('publish_version', 1, 'kim')"
    )[0]


def test_work_that_was_called_off_is_never_claimed_and_its_holder_cannot_finish_it(
    reference: psycopg.Connection, held: tuple[int, str]
) -> None:
    assert ask(reference, "select queue.cancel_task(%s, 'ann')", held[0])
    assert ask(reference, "select state from queue.job") == "cancelled"
    assert ask(reference, "select count(*) from queue.claim_tasks('lee')") == 0
    for call in ("finish_task(%s, %s)", "heartbeat(%s, %s)", "fail_task(%s, %s, 'late')"):
        assert not ask(reference, "select queue." + call, *held)
    assert ask_rows(
        reference, "select actor, subject from audit.event where kind = 'task_cancelled'"
    ) == [("ann", f"task {held[0]}")]


def test_work_that_was_called_off_or_given_up_can_be_brought_back(
    reference: psycopg.Connection, held: tuple[int, str]
) -> None:
    reference.execute("select queue.fail_task(%s, %s, 'no model', final => true)", held)
    for _ in range(2):
        assert ask(reference, "select queue.retry_task(%s)", held[0])
        assert ask_rows(reference, "select state, attempts, last_error from queue.job") == [
            ("ready", 0, "no model")
        ]
        reference.execute("select queue.cancel_task(%s)", [held[0]])


def test_what_somebody_is_at_is_not_retried(
    reference: psycopg.Connection, held: tuple[int, str]
) -> None:
    assert not ask(reference, "select queue.retry_task(%s)", held[0])
    assert ask(reference, "select claimed_by from queue.task") == "kim"


def test_there_is_no_such_task(reference: psycopg.Connection) -> None:
    assert not ask(reference, "select queue.cancel_task(0)")
    assert not ask(reference, "select queue.retry_task(0)")
    assert ask(reference, "select count(*) from audit.event where kind like 'task%%'") == 0


def test_enqueued_again_it_is_no_longer_called_off(
    reference: psycopg.Connection, held: tuple[int, str]
) -> None:
    reference.execute("select queue.cancel_task(%s)", [held[0]])
    reference.execute("select queue.enqueue('publish_version', 1)")
    assert ask(reference, "select state from queue.job") == "ready"
