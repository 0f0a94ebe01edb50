"""queue.release_task: stopped is not failed."""

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows


def test_released_work_is_ready_at_once_and_blameless(reference: psycopg.Connection) -> None:
    reference.execute("select queue.enqueue('publish_version', 1)")
    task = ask_rows(reference, "select task_id, lease_token from queue.claim_tasks('kim')")[0]
    assert ask(reference, "select queue.release_task(%s, %s)", *task)
    assert ask_rows(
        reference, "select attempts, last_error, claimed_by, holder_pid from queue.task"
    ) == [(0, None, None, None)]
    assert ask(reference, "select count(*) from queue.claim_tasks('lee')") == 1


def test_work_whose_service_is_down_waits_with_the_reason(reference: psycopg.Connection) -> None:
    reference.execute("select queue.enqueue('publish_version', 1)")
    task = ask_rows(reference, "select task_id, lease_token from queue.claim_tasks('kim')")[0]
    assert ask(reference, "select queue.release_task(%s, %s, 'no quota', '1 minute')", *task)
    assert ask_rows(reference, "select state, attempts, last_error from queue.job") == [
        ("waiting", 0, "no quota")
    ]
    assert ask(reference, "select count(*) from queue.claim_tasks('lee')") == 0


def test_who_lost_the_work_releases_nothing(reference: psycopg.Connection) -> None:
    task = ask_rows(
        reference, "select task_id, lease_token from queue.enqueue('publish_version', 1, 'kim')"
    )[0]
    reference.execute("select queue.enqueue('publish_version', 1, 'lee')")
    assert not ask(reference, "select queue.release_task(%s, %s)", *task)
    assert ask(reference, "select claimed_by from queue.task") == "lee"
