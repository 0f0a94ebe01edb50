"""`pgkb upkeep`, `pgkb rebuild-index`, and what `pgkb doctor` says of schema dba."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from tests import churned
from tests.cli.command import REPOSITORY, environment, pgkb_here
from tests.rows import value_of


@pytest.fixture
def churned_url(db: psycopg.Connection[Any], db_url: str) -> str:
    churned.fill(db)
    return db_url


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_upkeep_tells_each_step_and_the_recall(churned_url: str) -> None:
    planned = pgkb_here("upkeep", "--dry-run", PGKB_DATABASE_URL=churned_url)
    assert planned.code == 0, planned.err
    assert "planned             reindex index concurrently embedding.vector_1_national_idx;" in (
        planned.out
    )
    assert "67 % of its rows were replaced" in planned.out
    done = pgkb_here("upkeep", "--sample", "2", "--json", PGKB_DATABASE_URL=churned_url)
    assert (done.code, done.err) == (0, "")
    assert done.json["ok"] is True
    assert {step["outcome"] for step in done.json["steps"]} == {"done"}
    assert len(done.json["recall"]) == 4
    shown = pgkb_here("upkeep", "--sample", "2", PGKB_DATABASE_URL=churned_url)
    assert "recall   everything 1.000, worst 1.00" in shown.out


def test_doctor_tells_what_upkeep_is_for_and_json_has_the_views(churned_url: str) -> None:
    before = pgkb_here("doctor", "--json", PGKB_DATABASE_URL=churned_url)
    checks = {check["name"]: check for check in before.json["checks"]}
    assert checks["upkeep"]["state"] == "warn"
    assert "67 % of its rows were replaced" in checks["upkeep"]["finding"]
    assert checks["recall"]["finding"] == "never audited"
    assert checks["tuning"]["state"] == "ok"
    assert "300 chunks" in checks["storage"]["finding"]
    assert set(before.json["dba"]) == {
        "index_health", "upkeep_due", "vacuum_plan", "recall", "settings", "storage",
    }  # fmt: skip
    pgkb_here("upkeep", "--sample", "1", PGKB_DATABASE_URL=churned_url)
    after = pgkb_here("doctor", "--json", PGKB_DATABASE_URL=churned_url)
    checks = {check["name"]: check for check in after.json["checks"]}
    assert checks["upkeep"]["state"] == "ok"
    assert checks["recall"]["finding"].startswith("everything 1.00")


def test_an_alert_of_recall_is_a_warning_and_fails_the_job(churned_url: str) -> None:
    with psycopg.connect(churned_url) as db:
        db.execute(
            "insert into dba.recall_run (set_name, chunks, k, questions, real_questions, seconds)"
            " values ('local-minilm', 1, 20, 1, 0, 1)"
        )
        db.execute(
            "insert into dba.recall_result (run_id, band, queries, mean_recall, worst_recall)"
            " values (1, 'everything', 9, 0.6, 0.1)"
        )
    told = pgkb_here("doctor", PGKB_DATABASE_URL=churned_url)
    assert "warn recall      everything 0.60; worst question 0.10" in told.out


def test_a_rebuild_needs_exactly_one_name_or_all(churned_url: str) -> None:
    for arguments in ((), ("embedding.vector_1_national_idx", "--all")):
        ended = pgkb_here("rebuild-index", *arguments, PGKB_DATABASE_URL=churned_url)
        assert ended.code == 2
        assert "give the NAME of one index or --all" in ended.line()
    unknown = pgkb_here("rebuild-index", "nope", PGKB_DATABASE_URL=churned_url)
    assert unknown.code == 2
    assert "no index of ours is called nope (UP001)" in unknown.line()


def test_a_login_that_owns_nothing_is_told_which_does(churned_url: str) -> None:
    with psycopg.connect(churned_url, autocommit=True) as db:
        db.execute("drop role if exists upkeep_guest")
        db.execute("create role upkeep_guest login password 'guest' in role pgkb_admin")
        try:
            owner = urlsplit(churned_url).netloc.rpartition("@")[0]
            url = churned_url.replace(owner, "upkeep_guest:guest")
            ended = pgkb_here("rebuild-index", "--all", PGKB_DATABASE_URL=url)
        finally:
            db.execute("drop role upkeep_guest")
    assert ended.code == 1
    assert (
        "index vector_1_national_idx. Use a login that is a member of pgkb_admin and" in ended.out
    )


def test_a_rebuild_killed_in_the_middle_is_repaired_by_the_next(churned_url: str) -> None:
    """R-17: what a killed build leaves is invalid, and would stay for ever."""
    leftovers = "select count(*) from pg_index where not indisvalid"
    with psycopg.connect(churned_url, autocommit=True) as db:
        with psycopg.connect(churned_url) as writer:
            # the build waits for this transaction, its new index half made
            writer.execute("delete from embedding.vector_1 where chunk_id = 1")
            child = subprocess.Popen(
                [sys.executable, "-m", "cli.main", "rebuild-index", churned.INDEX],
                env=environment(PGKB_DATABASE_URL=churned_url), cwd=REPOSITORY,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            until(lambda: value_of(db, leftovers) == 1)
            child.kill()
            child.wait(20)
            # its server process notices within two seconds, with nobody to answer to
            until(lambda: not value_of(db, "select count(*) from pg_stat_progress_create_index"))
        assert value_of(db, leftovers) == 1
        told = pgkb_here("doctor", PGKB_DATABASE_URL=churned_url)
        assert told.code == 1
        assert "invalid: embedding.vector_1_national_idx_ccnew" in told.out
        again = pgkb_here("rebuild-index", churned.INDEX, "--json", PGKB_DATABASE_URL=churned_url)
        assert again.code == 0, again.err
        assert [step["statement"] for step in again.json["steps"]] == [
            "drop index concurrently if exists embedding.vector_1_national_idx_ccnew;",
            "reindex index concurrently embedding.vector_1_national_idx;",
        ]
        assert value_of(db, leftovers) == 0
        assert value_of(db, "select count(*) from pg_class where relname ~ '_cc(new|old)'") == 0
