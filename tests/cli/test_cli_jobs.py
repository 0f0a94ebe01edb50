"""`pgkb jobs`: what is in the queue, and what people do about it."""

import psycopg
import pytest

from tests.cli.command import pgkb_here
from tests.corpus import stage


@pytest.fixture
def jobs(db: psycopg.Connection) -> dict[str, int]:
    """Three documents on their way: one is ready, one was given up, one is held."""
    numbers = {}
    for name, holder in (("ready", None), ("dead", "kim"), ("held", "lee")):
        staged = stage(db, f"The text of {name}.", source=f"{name}.txt", lease_holder=holder)
        numbers[name] = staged["task_id"]
        if name == "dead":
            db.execute(
                "select queue.fail_task(%s, %s::uuid, 'the model said no', final => true)",
                [staged["task_id"], staged["lease_token"]],
            )
    db.commit()
    return numbers


def test_list_shows_the_given_up_first_with_their_reasons(
    db_url: str, jobs: dict[str, int]
) -> None:
    ended = pgkb_here("jobs", "list", PGKB_DATABASE_URL=db_url)
    assert ended.code == 0
    dead, held, ready = ended.out.splitlines()
    assert dead.split()[:3] == [str(jobs["dead"]), "dead", "dead.txt:"]
    assert dead.endswith("the model said no")
    assert "running   held.txt, by lee for " in held
    assert "ready     ready.txt, for " in ready
    assert ended.err.startswith("3 jobs: ")
    only = pgkb_here("jobs", "list", "--state", "dead", "--json", PGKB_DATABASE_URL=db_url)
    (job,) = only.json["jobs"]
    assert (job["task_id"], job["state"], job["source"]) == (jobs["dead"], "dead", "dead.txt")


def test_show_tells_everything_about_one(db_url: str, jobs: dict[str, int]) -> None:
    ended = pgkb_here("jobs", "show", str(jobs["dead"]), PGKB_DATABASE_URL=db_url)
    assert ended.code == 0
    assert "last_error   the model said no" in ended.out
    told = pgkb_here("jobs", "show", str(jobs["held"]), "--json", PGKB_DATABASE_URL=db_url).json
    assert (told["state"], told["claimed_by"]) == ("running", "lee")


def test_an_unknown_job_is_one_line(db_url: str) -> None:
    ended = pgkb_here("jobs", "show", "77", PGKB_DATABASE_URL=db_url)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no job 77" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_retry_and_cancel_say_for_each_what_became_of_it(
    db: psycopg.Connection, db_url: str, jobs: dict[str, int]
) -> None:
    retried = pgkb_here(
        "jobs", "retry", str(jobs["dead"]), str(jobs["held"]), PGKB_DATABASE_URL=db_url
    )
    assert retried.code == 1
    assert retried.out.splitlines() == [
        f"job {jobs['dead']} ready",
        f"job {jobs['held']} is not in the queue, or somebody is at it",
    ]
    cancelled = pgkb_here("jobs", "cancel", str(jobs["held"]), "--json", PGKB_DATABASE_URL=db_url)
    assert cancelled.code == 0
    assert cancelled.json == {"jobs": [{"task_id": jobs["held"], "done": True}]}
    rows = db.execute("select source, state from queue.job order by source").fetchall()
    assert rows == [("dead.txt", "ready"), ("held.txt", "cancelled"), ("ready.txt", "ready")]


def test_limit_sets_and_lifts_a_rate_and_refuses_a_senseless_one(
    db: psycopg.Connection, db_url: str
) -> None:
    set_to = pgkb_here("jobs", "limit", "openai", "60", PGKB_DATABASE_URL=db_url)
    assert set_to.out == "openai: 60 calls a minute\n"
    rate = "select calls_per_minute from queue.provider_rate"
    assert db.execute(rate).fetchall() == [(60,)]
    senseless = pgkb_here("jobs", "limit", "openai", "0", PGKB_DATABASE_URL=db_url)
    assert senseless.code == 2
    pgkb_here("jobs", "limit", "openai", PGKB_DATABASE_URL=db_url)
    db.rollback()
    assert db.execute(rate).fetchall() == []
