"""intake.batch_status: one row tells how far a batch is and what became of every address."""

from uuid import uuid4

import psycopg

from tests.db.corpus_fixtures import ask, refused
from tests.db.intake.batches import claim, create, publish, stage, states, status

URL = "https://kent.example/appeals"


def test_a_page_goes_from_waiting_to_stored(reference: psycopg.Connection) -> None:
    batch_id = create(reference, URL)
    told = status(reference, batch_id)
    assert (told["done"], told["total"], told["waiting"]) == (False, 1, 1)
    claimed = claim(reference)
    assert states(reference, batch_id) == ["fetching"]
    stage(reference, claimed, URL)
    assert states(reference, batch_id) == ["publishing"]
    publish(reference)
    told = status(reference, batch_id)
    assert (told["done"], told["stored"], told["waiting"]) == (True, 1, 0)
    (url,) = told["urls"]
    assert url["document_id"] == ask(reference, "select document_id from corpus.document")
    assert (url["final_url"], url["title"]) == (URL, "Appeals")
    assert "reason" not in url


def test_a_failure_that_passes_says_why_and_when_it_is_tried_again(
    reference: psycopg.Connection,
) -> None:
    batch_id = create(reference, URL)
    _, task, token = claim(reference)
    ask(reference, "select queue.fail_task(%s, %s, 'the site answered 503')", task, token)
    (url,) = status(reference, batch_id)["urls"]
    assert (url["state"], url["reason"], url["attempts"]) == (
        "retrying",
        "the site answered 503",
        1,
    )
    assert url["next_try"]


def test_a_task_that_was_given_up_or_taken_away_is_a_failure(
    reference: psycopg.Connection,
) -> None:
    batch_id = create(reference, URL, URL + "/2")
    _, task, token = claim(reference)
    ask(reference, "select queue.fail_task(%s, %s, 'no answer', true)", task, token)
    reference.execute("delete from queue.task where not dead")
    told = status(reference, batch_id)
    assert (told["done"], told["failed"]) == (True, 2)
    assert [url["reason"] for url in told["urls"]] == [
        "no answer",
        "its task was taken from the queue",
    ]


def test_a_text_that_was_never_published_is_a_failure(reference: psycopg.Connection) -> None:
    batch_id = create(reference, URL)
    stage(reference, claim(reference), URL)
    version_id, task, token = claim(reference)
    ask(reference, "select queue.fail_task(%s, %s, 'no model', true)", task, token)
    assert status(reference, batch_id)["urls"][0]["reason"] == "no model"
    ask(reference, "select corpus.discard_version(%s)", version_id)
    assert status(reference, batch_id)["urls"][0]["reason"] == "its text was given up"
    assert states(reference, batch_id) == ["failed"]


def test_the_states_add_up_to_the_total(reference: psycopg.Connection) -> None:
    batch_id = create(reference, *(f"{URL}/{i}" for i in range(5)), "bad")
    stage(reference, claim(reference), URL)
    told = status(reference, batch_id)
    assert (
        told["total"]
        == 6
        == sum(
            told[name]
            for name in ("waiting", "stored", "unchanged", "duplicate", "refused", "failed")
        )
    )


def test_an_unknown_batch_is_a_clear_refusal(reference: psycopg.Connection) -> None:
    with refused(reference, "IN001", "24 hours"):
        status(reference, uuid4())
    with refused(reference, "IN001"):
        reference.execute("select * from intake.batch_status(null)")
