"""intake.refuse_page: what will never be stored says why and is tried no more."""

import psycopg

from tests.db.corpus_fixtures import ask
from tests.db.intake.batches import claim, create, status


def test_a_refused_page_says_why_and_is_done(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "https://a.example/")
    assert ask(reference, "select intake.refuse_page(%s, %s, %s, 'gone')", *claim(reference))
    told = status(reference, batch_id)
    assert (told["done"], told["refused"]) == (True, 1)
    assert told["urls"] == [{"url": "https://a.example/", "state": "refused", "reason": "gone"}]
    assert ask(reference, "select count(*) from queue.task") == 0


def test_whoever_lost_the_task_refuses_nothing(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "https://a.example/")
    page, task, _ = claim(reference)
    assert not ask(
        reference, "select intake.refuse_page(%s, %s, gen_random_uuid(), 'gone')", page, task
    )
    assert status(reference, batch_id)["urls"][0]["state"] == "fetching"


def test_a_long_reason_is_cut(reference: psycopg.Connection) -> None:
    batch_id = create(reference, "https://a.example/")
    ask(reference, "select intake.refuse_page(%s, %s, %s, %s)", *claim(reference), "x" * 9000)
    assert len(status(reference, batch_id)["urls"][0]["reason"]) == 500
