"""The views queue.job and queue.summary: every state in a word."""

import psycopg

from tests.corpus import stage
from tests.db.corpus_fixtures import ask_rows


def test_every_state_has_its_word_and_the_document_its_name(
    reference: psycopg.Connection,
) -> None:
    stage(reference, "The bus is free.", source="bus.txt", title="Buses", lease_holder="kim")
    for subject in (-1, -2, -3, -4):
        reference.execute("select queue.enqueue('publish_version', %s)", [subject])
    reference.execute(
        "update queue.task set ready_at = clock_timestamp() + interval '1 hour'"
        " where subject_id = -2"
    )
    reference.execute("update queue.task set dead = true where subject_id in (-3, -4)")
    reference.execute("update queue.task set cancelled = true where subject_id = -4")
    assert ask_rows(
        reference, "select state, source, title from queue.job order by subject_id desc"
    ) == [
        ("running", "bus.txt", "Buses"),
        ("ready", None, None),
        ("waiting", None, None),
        ("dead", None, None),
        ("cancelled", None, None),
    ]
    assert ask_rows(reference, "select state, tasks from queue.summary order by state") == [
        (state, 1) for state in ("cancelled", "dead", "ready", "running", "waiting")
    ]
