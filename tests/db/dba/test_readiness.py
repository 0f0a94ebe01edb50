"""dba.readiness and dba.vital_signs: what a probe may know, and which of it stops traffic."""

from typing import Any

import psycopg
import pytest

from tests.roles import role


def checks(db: psycopg.Connection[Any], **asked: Any) -> dict[str, tuple[str, str]]:
    named = ", ".join(f"{name} => %({name})s" for name in asked)
    rows = db.execute(f"select name, state, finding from dba.readiness({named})", asked).fetchall()
    return {name: (state, finding) for name, state, finding in rows}


def test_a_fresh_deploy_is_ready_and_the_app_may_know_it(kb: psycopg.Connection[Any]) -> None:
    with role(kb, "pgkb_app"):
        found = checks(kb)
        signs = kb.execute("select tasks_ready, oldest_ready_seconds from dba.vital_signs()")
        assert signs.fetchone() == (0, 0)
    assert list(found) == [
        "migrations", "pgvector", "embedding set", "indexes", "queue", "settings",
    ]  # fmt: skip
    assert {state for state, _ in found.values()} == {"ok"}


def test_the_reader_may_not_ask(kb: psycopg.Connection[Any]) -> None:
    with role(kb, "pgkb_reader"), pytest.raises(psycopg.errors.InsufficientPrivilege):
        kb.execute("select dba.vital_signs()")


@pytest.mark.parametrize(
    ("expected", "state"), [("0001_config", "ok"), ("9999_later", "fail"), (None, "ok")]
)
def test_a_database_behind_the_program_fails_and_one_ahead_does_not(
    kb: psycopg.Connection[Any], expected: str | None, state: str
) -> None:
    assert checks(kb, expected=expected)["migrations"][0] == state


@pytest.mark.parametrize(
    ("version", "state"),
    [("0.7.4", "fail"), ("0.8.0", "warn"), ("0.8.3", "warn"), ("0.8.4", "ok"), ("0.10.1", "ok"),
     ("0.8.10", "ok"), ("0.9", "ok")],
)  # fmt: skip
def test_versions_of_pgvector_compare_as_people_count(
    kb: psycopg.Connection[Any], version: str, state: str
) -> None:
    kb.execute("update pg_extension set extversion = %s where extname = 'vector'", [version])
    assert checks(kb)["pgvector"][0] == state


def test_without_an_active_set_nothing_can_be_answered(kb: psycopg.Connection[Any]) -> None:
    kb.execute("update embedding.set set active = false")
    assert checks(kb)["embedding set"] == ("fail", "none is active")


def test_a_setting_that_no_search_can_use_fails_and_is_named(kb: psycopg.Connection[Any]) -> None:
    kb.execute("select set_config('kb.top_k', '0', true)")
    with role(kb, "pgkb_app"):
        state, finding = checks(kb)["settings"]
    assert (state, finding) == ("fail", "kb.top_k cannot be used as set; run pgkb doctor")


def test_an_invalid_index_is_counted_and_not_named(kb: psycopg.Connection[Any]) -> None:
    kb.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'corpus.version_content_hash_idx'::regclass"
    )
    state, finding = checks(kb)["indexes"]
    assert state == "warn"
    assert finding.startswith("1 invalid")
    assert "content_hash" not in finding


def test_a_task_nobody_takes_is_told_after_its_time(kb: psycopg.Connection[Any]) -> None:
    kb.execute("select queue.enqueue('publish_version', 1)")
    kb.execute("update queue.task set ready_at = now() - interval '10 minutes'")
    assert checks(kb)["queue"][0] == "ok"
    state, finding = checks(kb, queue_seconds=300)["queue"]
    assert state == "warn"
    assert "1 tasks wait" in finding
    kb.execute("update queue.task set dead = true")
    assert checks(kb, queue_seconds=300)["queue"][0] == "ok"
