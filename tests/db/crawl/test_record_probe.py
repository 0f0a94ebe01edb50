"""crawl.record_probe: what a host says of addresses that do not exist."""

from datetime import timedelta

import psycopg
import pytest

from tests.db.corpus_fixtures import ask
from tests.db.crawl.runs import HOME, Run, begin, site

PROBE = f"{HOME}0f3ac1"


def _probed(db: psycopg.Connection) -> Run:
    """A run whose next step is the probe."""
    site(db, delay=timedelta(0))
    run = begin(db)
    assert run.claim()["action"] == "robots"
    run.robots("", probe=PROBE)
    return run


def _known(db: psycopg.Connection) -> str | None:
    text: str | None = ask(db, "select missing_text from crawl.host")
    return text


def test_an_address_that_cannot_exist_is_asked_for_once_and_first(
    reference: psycopg.Connection,
) -> None:
    run = _probed(reference)
    step = run.claim()
    assert (step["action"], step["url"], step["missing_text"]) == ("probe", PROBE, None)
    assert (
        run.record("probe", step, was_answered=True, missing_text="Look around", size=9) == "read"
    )
    page = run.page()
    assert (page["url"], page["missing_text"]) == (HOME, "Look around")
    # it is no page of the site
    report = "select found from crawl.job_report"
    assert ask(reference, report) == 1


@pytest.mark.parametrize(
    ("was_answered", "said", "known"),
    [(True, None, None), (False, None, "Look around"), (True, "Hello", "Hello")],
)
def test_a_host_that_did_not_answer_keeps_what_is_known_of_it(
    reference: psycopg.Connection, was_answered: bool, said: str | None, known: str | None
) -> None:
    run = _probed(reference)
    reference.execute("update crawl.host set missing_text = 'Look around'")
    run.record("probe", run.claim(), was_answered=was_answered, missing_text=said, size=0)
    assert _known(reference) == known


def test_whoever_lost_the_task_records_nothing(reference: psycopg.Connection) -> None:
    run = _probed(reference)
    step = run.claim()
    reference.execute("update queue.task set lease_token = gen_random_uuid()")
    assert run.record("probe", step, was_answered=True, missing_text="x", size=1) is None
    assert _known(reference) is None


def test_what_is_kept_of_an_endless_error_page_has_an_end(reference: psycopg.Connection) -> None:
    run = _probed(reference)
    run.record("probe", run.claim(), was_answered=True, missing_text="x" * 50_000, size=1)
    assert len(_known(reference) or "") == 20_000
