"""`pgkb crawl` asks for runs, tells how they stand, and steers them."""

import psycopg
import pytest

from tests.app.library import KENT, load_places_and_words
from tests.cli.command import pgkb_here

HOME = "https://www.kent.example/send"


@pytest.fixture
def words(db: psycopg.Connection, db_url: str) -> str:
    """The URL of a database with places and words, and a site."""
    load_places_and_words(db)
    ended = pgkb_here(
        "crawl", "site", "--la", KENT, "--seed", HOME, "--schedule", "0 3 * * 1",
        PGKB_DATABASE_URL=db_url,
    )  # fmt: skip
    assert (ended.code, ended.out) == (0, "site 1 is set\n"), ended.err
    return db_url


def test_a_run_is_asked_for_once_and_steered(words: str) -> None:
    ended = pgkb_here("crawl", "la", KENT, PGKB_DATABASE_URL=words)
    assert (ended.code, ended.out) == (0, "run 1 over Kent\n")
    assert "pgkb worker" in ended.err
    again = pgkb_here("crawl", "la", KENT, "--json", PGKB_DATABASE_URL=words).json
    assert (again["runs"][0]["job_id"], again["runs"][0]["is_new"]) == (1, False)
    told = []
    for command in ("pause", "resume", "cancel"):
        ended = pgkb_here("crawl", command, "1", PGKB_DATABASE_URL=words)
        assert ended.code == 0
        told.append(pgkb_here("crawl", "status", PGKB_DATABASE_URL=words).out.split()[2])
    assert told == ["paused", "pending", "cancelled"]


def test_waiting_ends_when_the_run_is_over_and_a_stopped_one_is_told(
    words: str, db: psycopg.Connection
) -> None:
    pgkb_here("crawl", "la", KENT, PGKB_DATABASE_URL=words)
    db.execute(
        "update crawl.job set state = 'stopped', reason = '6 of 9 known pages were not there',"
        " finished_at = now()"
    )
    db.execute(
        "insert into crawl.visit (job_id, url, host, depth, outcome, reason, finished_at)"
        " values (1, %s, 'www.kent.example', 0, 'failed', 'the site answered 500', now())",
        [HOME],
    )
    db.commit()
    ended = pgkb_here("crawl", "status", "1", "--wait", PGKB_DATABASE_URL=words)
    assert ended.code == 1
    assert ended.out.splitlines() == [
        f"failed     {HOME}: the site answered 500",
        "run 1      stopped   Kent: 1 failed (6 of 9 known pages were not there)",
    ]
    as_json = pgkb_here("crawl", "status", "--json", PGKB_DATABASE_URL=words)
    assert (as_json.code, as_json.json["jobs"][0]["state"]) == (1, "stopped")


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["la", "E99999999"], "not known"),
        (["school", "123456"], "not known"),
        (["status", "7"], "there is no run 7"),
        (["pause", "7"], "there is no run 7"),
        (["site", "--la", KENT, "--schedule", "often"], "fields"),
    ],
)
def test_what_cannot_be_done_is_one_line(words: str, arguments: list[str], about: str) -> None:
    ended = pgkb_here("crawl", *arguments, PGKB_DATABASE_URL=words)
    assert ended.code == 2
    assert about in ended.line()
