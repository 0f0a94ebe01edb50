"""search_kb, rule 2: states are an allow-list."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, search, stage
from tests.sandbox import refused

ASK: dict[str, Any] = {"words": "transport", "vector": axis(3)}


def found(db: psycopg.Connection[Any], **asked: Any) -> list[str]:
    return [row["source"] for row in search(db, **ASK, **asked)]


@pytest.fixture
def two(kb: psycopg.Connection[Any]) -> tuple[psycopg.Connection[Any], list[int]]:
    """A chunk nobody looked at yet, and the one a test decides on."""
    add(kb, "Transport rules.", source="pending", vector=axis(3))
    decided = add(kb, "Transport facts.", source="decided", vector=axis(3))
    return kb, decided.chunk_ids


Two = tuple[psycopg.Connection[Any], list[int]]


def test_a_new_chunk_is_pending_and_found(two: Two) -> None:
    db, _ = two
    assert sorted(found(db)) == ["decided", "pending"]


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_what_a_curator_took_out_is_gone_from_the_very_next_answer(two: Two, status: str) -> None:
    # fault A-03: also for those who asked before
    db, chunks = two
    found(db)
    db.execute("select corpus.set_status(%s, %s)", [chunks, status])
    assert found(db) == ["pending"]
    db.execute("select corpus.set_status(%s, 'approved')", [chunks])
    assert sorted(found(db)) == ["decided", "pending"]


def test_a_superseded_chunk_is_not_found(two: Two) -> None:
    db, _ = two
    add(db, "Something else entirely.", source="decided", vector=axis(9))
    assert found(db) == ["pending"]


def test_a_staged_chunk_is_not_found(two: Two) -> None:
    db, _ = two
    staged = stage(db, "Transport to come.", source="staged")
    db.execute("select count(*) from embedding.chunks_to_embed(%s)", [staged["version_id"]])
    db.execute(
        "select embedding.store_vectors(array(select chunk_id from corpus.chunk "
        "where version_id = %s), array[%s])",
        [staged["version_id"], str(axis(3))],
    )
    assert sorted(found(db)) == ["decided", "pending"]


def test_a_state_nobody_thought_of_is_not_found(two: Two) -> None:
    # fault R-13: 'not in (rejected, ...)' would let it through
    db, chunks = two
    db.execute("alter table corpus.chunk_fact drop constraint chunk_fact_status_is_known")
    db.execute("alter table corpus.chunk_fact disable trigger all")
    for status in ("archived", "REJECTED", ""):
        db.execute(
            "update corpus.chunk_fact set status = %s where chunk_id = any(%s)", [status, chunks]
        )
        assert found(db) == ["pending"]
        assert [r["source"] for r in search(db, words="transport")] == ["pending"]
        assert [r["source"] for r in search(db, vector=axis(3))] == ["pending"]


def test_a_state_is_never_missing_and_is_pending_when_not_given(two: Two) -> None:
    # fault R-13
    db, chunks = two
    with refused(db, "23502"):
        db.execute("update corpus.chunk_fact set status = null")
    with refused(db, "23514"), db.transaction():
        db.execute("alter table corpus.chunk_fact disable trigger all")
        db.execute("update corpus.chunk_fact set status = 'archived'")
    db.execute("delete from corpus.chunk_fact where chunk_id = any(%s)", [chunks])
    assert found(db) == ["pending"], "a chunk without facts is not found either"
    db.execute(
        "insert into corpus.chunk_fact (chunk_id, scope_id) "
        "select chunk_id, scope_id from corpus.chunk where chunk_id = any(%s)",
        [chunks],
    )
    assert sorted(found(db)) == ["decided", "pending"]


def test_a_caller_may_narrow_the_states(two: Two) -> None:
    db, chunks = two
    db.execute("select corpus.set_status(%s, 'approved')", [chunks])
    assert found(db, statuses=["approved"]) == ["decided"]
    assert found(db, statuses=[]) == []


@pytest.mark.parametrize(
    "status", ["rejected", "flagged", "superseded", "staged", "anything", None]
)
def test_a_caller_may_not_widen_them_to_what_was_taken_out(two: Two, status: str | None) -> None:
    db, _ = two
    with refused(db, "SE002"):
        found(db, statuses=["approved", status])


def test_the_states_are_a_setting(two: Two) -> None:
    db, chunks = two
    db.execute("select corpus.set_status(%s, 'approved')", [chunks])
    db.execute("set local kb.visible_statuses = 'approved'")
    assert found(db) == ["decided"]
    for bad in ("approved,rejected", "superseded", "approved pending"):
        db.execute("select set_config('kb.visible_statuses', %s, true)", [bad])
        with refused(db, "ST002"):
            found(db)
