"""queue.next_ready: how long a worker may sleep."""

from datetime import timedelta

import psycopg

from tests.db.corpus_fixtures import ask


def test_the_first_task_of_its_kinds_ends_the_sleep(reference: psycopg.Connection) -> None:
    assert ask(reference, "select queue.next_ready()") is None
    reference.execute(
        "insert into queue.task (kind, subject_id, ready_at, dead) values"
        " ('a', 1, clock_timestamp() + interval '1 minute', false),"
        " ('a', 2, clock_timestamp() + interval '2 minutes', false),"
        " ('b', 3, clock_timestamp() - interval '1 minute', false),"
        " ('a', 4, clock_timestamp() - interval '1 hour', true)"
    )
    assert (
        timedelta(seconds=55)
        < ask(reference, "select queue.next_ready(kinds => '{a}')")
        <= timedelta(minutes=1)
    )
    assert ask(reference, "select queue.next_ready()") < timedelta(0)
