"""Upkeep and rebuilds as ingest runs them: what is done, what is refused, and one at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from ingest.connect import connect
from ingest.errors import UpkeepError
from ingest.upkeep import calls
from ingest.upkeep import plans as upkeep
from ingest.upkeep.plans import Options
from tests import churned
from tests.rows import value_of

FRESH = "select pg_relation_filenode('embedding.vector_1_national_idx')"


@pytest.fixture
def churned_url(db: psycopg.Connection[Any], db_url: str) -> str:
    churned.fill(db)
    return db_url


@contextmanager
def looking(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True) as db:
        yield db


def test_upkeep_leaves_nothing_to_do_and_audits(churned_url: str) -> None:
    steps, recall = upkeep.upkeep(churned_url, sample=3, options=Options())
    assert {step.outcome for step in steps} == {"done"}
    done = [(step.task, step.target) for step in steps]
    assert ("rebuild", churned.INDEX) in done
    assert ("vacuum", "embedding.vector_1") in done
    assert [band.band for band in recall] == ["everything", "authority", "tag", "tiny"]
    assert recall[0].mean_recall == 1
    again, none = upkeep.upkeep(churned_url, sample=0, options=Options())
    assert none == []
    assert not {step.target for step in again} & {churned.INDEX, "embedding.vector_1"}
    with looking(churned_url) as db:
        assert value_of(db, "select churn from dba.vector_index where active") == 0


def test_a_dry_run_does_nothing(churned_url: str) -> None:
    with looking(churned_url) as db:
        before = value_of(db, FRESH)
        steps, recall = upkeep.upkeep(churned_url, sample=3, options=Options(dry_run=True))
        assert {step.outcome for step in steps} == {"planned"}
        assert recall == []
        assert value_of(db, FRESH) == before
        assert value_of(db, "select count(*) from dba.recall_run") == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(memory="256kB"), "maintenance_work_mem is 1MB; use --memory 1MB, or use --force"),
        (Options(free_disk=1000), "the disk has 1MB left; free some space, or use --force"),
    ],
)
def test_a_rebuild_that_memory_or_disk_does_not_suffice_for(
    churned_url: str, options: Options, words: str
) -> None:
    with looking(churned_url) as db:
        before = value_of(db, FRESH)
        with pytest.raises(UpkeepError, match=words):
            upkeep.rebuild(churned_url, index_name="vector_1_national_idx", options=options)
        # the job does all the rest
        steps, _ = upkeep.upkeep(churned_url, sample=0, options=options)
        outcomes = {step.target: step.outcome for step in steps}
        assert outcomes[churned.INDEX] == "left out"
        assert outcomes["embedding.vector_1"] == "done"
        assert value_of(db, FRESH) == before
        forced = Options(force=True, memory=options.memory, free_disk=options.free_disk)
        (step,) = upkeep.rebuild(churned_url, index_name=churned.INDEX, options=forced)
        assert step.outcome == "done"
        assert value_of(db, FRESH) != before


def test_one_upkeep_at_a_time(churned_url: str) -> None:
    with connect(churned_url) as other:
        assert calls.lock_upkeep(other)
        with pytest.raises(UpkeepError, match="another upkeep or rebuild is running"):
            upkeep.upkeep(churned_url, sample=0, options=Options())
        with pytest.raises(UpkeepError, match="another upkeep or rebuild is running"):
            upkeep.rebuild(churned_url, index_name=None, options=Options())
        assert upkeep.rebuild(churned_url, index_name=None, options=Options(dry_run=True))


def test_one_may_follow_before_the_server_has_ended_the_session_of_another(
    churned_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[tuple[psycopg.Connection, Callable[[], None]]] = []

    def lasting(url: str) -> psycopg.Connection:
        session = connect(url)
        sessions.append((session, session.close))
        monkeypatch.setattr(session, "close", lambda: None)
        return session

    monkeypatch.setattr(upkeep, "connect", lasting)
    for _ in range(2):
        upkeep.rebuild(churned_url, index_name=churned.INDEX, options=Options())
    for _, close in sessions:
        close()
    assert len(sessions) >= 2


def test_a_step_that_fails_stops_no_other(churned_url: str, db: psycopg.Connection[Any]) -> None:
    db.execute(
        "create or replace function embedding.purge_queries() returns integer language plpgsql"
        " as 'begin raise exception ''no purge today''; end'"
    )
    db.commit()
    steps, _ = upkeep.upkeep(churned_url, sample=0, options=Options())
    failed = [step for step in steps if step.outcome == "failed"]
    assert [(step.target, step.reason) for step in failed] == [
        ("embedding.query_cache", "no purge today")
    ]
    assert steps[-1].outcome == "done"


def test_a_waiting_build_is_told(churned_url: str) -> None:
    seen: list[calls.BuildProgress] = []
    with psycopg.connect(churned_url) as reader:
        reader.execute("select count(*) from embedding.vector_1")

        def show(found: calls.BuildProgress) -> None:
            seen.append(found)
            reader.rollback()

        upkeep.rebuild(churned_url, index_name=churned.INDEX, options=Options(on_progress=show))
    assert seen
    assert seen[0].waits
    assert str(seen[0].index_name).startswith(churned.INDEX)
