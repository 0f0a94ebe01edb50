"""intake.purge_batches: a batch is kept 24 hours after it is done, its documents for good."""

from uuid import UUID

import psycopg

from tests.db.corpus_fixtures import ask, ask_rows
from tests.db.intake.batches import claim, create, publish, stage

URL = "https://kent.example/appeals"


def _done(db: psycopg.Connection) -> UUID:
    batch_id = create(db, URL)
    stage(db, claim(db), URL)
    publish(db)
    return batch_id


def _age(db: psycopg.Connection, hours: int, *, done: int | None = None) -> None:
    """Let the batch have been handed in, and been done, so many hours ago."""
    db.execute("update intake.batch set created_at = now() - make_interval(hours => %s)", [hours])
    db.execute(
        "update intake.page set finished_at = now() - make_interval(hours => %s)"
        " where finished_at is not null",
        [hours if done is None else done],
    )


def _purge(db: psycopg.Connection) -> int:
    purged: int = ask(db, "select intake.purge_batches()")
    return purged


def test_a_batch_goes_a_day_after_it_is_done_and_its_document_stays(
    reference: psycopg.Connection,
) -> None:
    _done(reference)
    _age(reference, 23)
    assert _purge(reference) == 0
    _age(reference, 25)
    assert _purge(reference) == 1
    assert ask(reference, "select count(*) from intake.page") == 0
    assert ask(reference, "select count(*) from corpus.version where state = 'published'") == 1


def test_the_day_begins_when_the_last_address_is_done(reference: psycopg.Connection) -> None:
    _done(reference)
    _age(reference, 100, done=23)
    assert _purge(reference) == 0


def test_what_is_not_done_waits_for_a_worker_up_to_a_week(reference: psycopg.Connection) -> None:
    create(reference, URL, "bad")
    _age(reference, 100)
    assert _purge(reference) == 0
    _age(reference, 200)
    assert _purge(reference) == 1
    assert ask_rows(reference, "select kind from queue.task") == []


def test_what_was_given_up_leaves_nothing_in_the_queue(reference: psycopg.Connection) -> None:
    create(reference, URL)
    _, task, token = claim(reference)
    ask(reference, "select queue.fail_task(%s, %s, 'no answer', true)", task, token)
    _age(reference, 25)
    assert _purge(reference) == 1
    assert ask(reference, "select count(*) from queue.task") == 0


def test_a_page_whose_batch_is_gone_stages_nothing(reference: psycopg.Connection) -> None:
    create(reference, URL)
    claimed = claim(reference)
    reference.execute("delete from intake.batch")
    assert stage(reference, claimed, URL) is None
    assert ask(reference, "select count(*) from corpus.version") == 0
