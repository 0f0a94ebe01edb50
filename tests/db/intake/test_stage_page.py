"""intake.stage_page: the text, its outcome and the end of its task are one step."""

import psycopg

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.intake.batches import BODY, claim, create, stage, states, status

URL = "https://www.kent.example/appeals"


def test_a_new_text_is_staged_for_any_worker_to_publish(reference: psycopg.Connection) -> None:
    batch_id = create(reference, URL, la_code="E10000016", tags=["ehcp"], document_type="guide")
    assert stage(reference, claim(reference), URL + "/") == "staged"
    assert ask_rows(reference, "select kind, claimed_by from queue.task") == [
        ("publish_version", None)
    ]
    assert ask_rows(
        reference,
        "select d.source, s.la_code, v.tags, v.document_type from corpus.version as v"
        " join corpus.document as d using (document_id) join corpus.scope as s using (scope_id)",
    ) == [(URL + "/", "E10000016", ["ehcp"], "guide")]
    assert states(reference, batch_id) == ["publishing"]


def test_where_a_page_is_at_last_decides_whether_it_is_national(
    reference: psycopg.Connection,
) -> None:
    # C-04: a council's link that leads to a national site
    create(reference, "https://kent.example/go", la_code="E10000016")
    stage(reference, claim(reference), "https://www.gov.uk/appeals")
    assert ask(
        reference, "select s.kind from corpus.document join corpus.scope as s using (scope_id)"
    ) == ("national")


def test_the_same_text_elsewhere_is_a_duplicate_with_its_source(
    reference: psycopg.Connection,
) -> None:
    known = add(reference, BODY, source="appeals.txt", title="Appeals")
    batch_id = create(reference, URL)
    assert stage(reference, claim(reference), URL) == "duplicate"
    ((told),) = status(reference, batch_id)["urls"]
    assert (told["state"], told["existing"], told["document_id"]) == (
        "duplicate",
        "appeals.txt",
        known.document_id,
    )
    assert ask(reference, "select count(*) from queue.task") == 0


def test_the_same_text_at_the_same_address_is_unchanged(reference: psycopg.Connection) -> None:
    add(reference, BODY, source=URL, title="Appeals")
    batch_id = create(reference, URL)
    assert stage(reference, claim(reference), URL) == "unchanged"
    assert states(reference, batch_id) == ["unchanged"]


def test_whoever_lost_the_task_stages_nothing(reference: psycopg.Connection) -> None:
    batch_id = create(reference, URL)
    slow = claim(reference)
    reference.execute("update queue.task set ready_at = clock_timestamp()")
    quick = claim(reference)
    assert stage(reference, slow, URL, BODY + "late") is None
    assert ask(reference, "select count(*) from corpus.version") == 0
    assert stage(reference, quick, URL) == "staged"
    assert stage(reference, quick, URL) is None
    assert ask(reference, "select count(*) from corpus.version") == 1
    assert states(reference, batch_id) == ["publishing"]


def test_a_text_that_is_refused_leaves_the_task_to_its_holder(
    reference: psycopg.Connection,
) -> None:
    create(reference, URL)
    claimed = claim(reference)
    with refused(reference, "KB001"):
        stage(reference, claimed, URL, " \n ")
    assert stage(reference, claimed, URL) == "staged"
