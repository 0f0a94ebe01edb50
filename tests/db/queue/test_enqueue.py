"""queue.enqueue: work once per subject."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows


def test_a_subject_is_in_the_queue_once_per_kind(reference: psycopg.Connection) -> None:
    for kind, subject in (("publish", 1), ("publish", 1), ("publish", 2), ("crawl", 1)):
        reference.execute("select queue.enqueue(%s, %s)", [kind, subject])
    assert ask_rows(reference, "select kind, subject_id::int from queue.task order by 1, 2") == [
        ("crawl", 1),
        ("publish", 1),
        ("publish", 2),
    ]


@pytest.mark.parametrize(("holder", "ready", "attempts"), [(None, True, 0), ("kim", False, 1)])
def test_with_a_holder_the_work_is_leased_at_once(
    reference: psycopg.Connection, holder: str | None, ready: bool, attempts: int
) -> None:
    reference.execute("select queue.enqueue('publish', 1, %s::text)", [holder])
    assert ask_rows(
        reference,
        "select claimed_by, attempts, ready_at <= clock_timestamp(), lease_token is null "
        "from queue.task",
    ) == [(holder, attempts, ready, holder is None)]


def test_work_that_was_given_up_starts_afresh(reference: psycopg.Connection) -> None:
    reference.execute("select queue.enqueue('publish', 1)")
    reference.execute("update queue.task set dead = true, attempts = 8, last_error = 'no model'")
    reference.execute("select queue.enqueue('publish', 1, 'kim')")
    assert ask_rows(reference, "select dead, attempts, last_error, claimed_by from queue.task") == [
        (False, 1, None, "kim")
    ]


def test_to_enqueue_again_fences_the_former_holder_off(reference: psycopg.Connection) -> None:
    task, token = ask_rows(
        reference, "select task_id, lease_token from queue.enqueue('publish', 1, 'kim')"
    )[0]
    reference.execute("select queue.enqueue('publish', 1, 'lee')")
    assert not ask(reference, "select queue.finish_task(%s, %s)", task, token)
