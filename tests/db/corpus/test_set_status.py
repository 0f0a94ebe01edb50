"""corpus.set_status: decisions along the allowed edges, all or none, audited."""

import psycopg
import pytest

from tests.corpus import add, axis, search
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

STATES = ("pending", "approved", "rejected", "flagged", "superseded")
EDGES = {
    ("pending", "approved"),
    ("pending", "rejected"),
    ("pending", "flagged"),
    ("approved", "rejected"),
    ("approved", "flagged"),
    ("flagged", "approved"),
    ("flagged", "rejected"),
    ("flagged", "pending"),
    ("rejected", "pending"),
    ("rejected", "approved"),
}


def _set(db: psycopg.Connection, ids: list[int], status: str, actor: str | None = None) -> int:
    changed: int = ask(db, "select corpus.set_status(%s, %s, %s, 'because')", ids, status, actor)
    return changed


def _statuses(db: psycopg.Connection) -> list[str]:
    return [
        row[0] for row in ask_rows(db, "select status from corpus.chunk_fact order by chunk_id")
    ]


def _bring_to(db: psycopg.Connection, chunk: int, status: str) -> None:
    if status == "superseded":
        add(db, "Newer text.", source="a.txt")
    elif status != "pending":
        _set(db, [chunk], status)


@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", [s for s in STATES if s != "superseded"])
def test_only_the_allowed_edges_are_taken(
    reference: psycopg.Connection, old: str, new: str
) -> None:
    (chunk,) = add(reference, "Some text.", source="a.txt").chunk_ids
    _bring_to(reference, chunk, old)
    if old == new:
        assert _set(reference, [chunk], new) == 0
    elif (old, new) in EDGES:
        assert _set(reference, [chunk], new) == 1
        assert _statuses(reference)[0] == new
    else:
        with refused(reference, "KB013", f"from {old} to {new}", "pending -> approved"):
            _set(reference, [chunk], new)
        assert _statuses(reference)[0] == old


@pytest.mark.parametrize("status", ["superseded", "published", "", "Approved"])
def test_a_person_cannot_decide_for_what_is_no_decision(
    reference: psycopg.Connection, status: str
) -> None:
    """Superseded is final and the publisher's: a slip would hide a passage for good."""
    (chunk,) = add(reference, "Some text.", source="a.txt").chunk_ids
    with refused(reference, "KB013", f'"{status}"', "approved, rejected, flagged or pending"):
        _set(reference, [chunk], status)


def test_a_rejected_passage_is_gone_from_the_next_answer_and_may_come_back(
    reference: psycopg.Connection,
) -> None:
    """A-03."""
    added = add(reference, "Some text.", source="a.txt")
    assert len(search(reference, words="text", vector=axis(1))) == 1
    for status, rows in (("rejected", 0), ("pending", 1), ("flagged", 0), ("approved", 1)):
        _set(reference, added.chunk_ids, status)
        assert len(search(reference, words="text", vector=axis(1))) == rows


def test_one_illegal_edge_stops_all(reference: psycopg.Connection) -> None:
    chunks = add(reference, "Some sentences of text. " * 100, source="a.txt").chunk_ids
    _set(reference, chunks[:1], "rejected")
    with refused(reference, "KB013", f"chunk {chunks[0]}"):
        _set(reference, chunks, "flagged")
    assert _statuses(reference) == ["rejected", *["pending"] * (len(chunks) - 1)]


def test_one_unknown_chunk_stops_all(reference: psycopg.Connection) -> None:
    chunks = add(reference, "Some text.", source="a.txt").chunk_ids
    with refused(reference, "KB014", "4711", "knowledge_base"):
        _set(reference, [*chunks, 4711], "approved")
    assert _statuses(reference) == ["pending"]


def test_a_decision_is_audited_with_who_and_why(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt")
    chunks = added.chunk_ids
    assert _set(reference, chunks, "approved", "Kim") == 1
    assert _set(reference, chunks, "approved", "Lee") == 0
    assert ask_rows(
        reference,
        "select actor, login = session_user, subject, detail from audit.event "
        "where kind = 'status_changed'",
    ) == [
        (
            "Kim",
            True,
            f"version {added.version_id}",
            {"from": "pending", "to": "approved", "chunks": chunks, "reason": "because"},
        )
    ]
    assert ask_rows(
        reference, "select reviewed_by, reviewed_at is not null from corpus.chunk_fact"
    ) == [("Kim", True)]


def test_who_and_why_end_with_the_decision(reference: psycopg.Connection) -> None:
    chunks = add(reference, "Some text.", source="a.txt").chunk_ids
    _set(reference, chunks, "approved", "Kim")
    reference.execute("update corpus.chunk_fact set status = 'flagged'")
    assert ask_rows(
        reference,
        "select actor = session_user, detail ? 'reason' from audit.event "
        "where kind = 'status_changed' order by event_id desc limit 1",
    ) == [(True, False)]


def test_the_table_of_edges_is_the_one_that_is_documented(reference: psycopg.Connection) -> None:
    rows = ask_rows(
        reference, "select old_status, new_status from corpus.status_edge where not with_version"
    )
    assert set(rows) == EDGES


def test_deciding_on_nothing_changes_nothing(reference: psycopg.Connection) -> None:
    assert _set(reference, [], "approved") == 0


def test_ingest_does_not_decide_and_the_admin_does(reference: psycopg.Connection) -> None:
    chunks = add(reference, "Some text.", source="a.txt").chunk_ids
    with role(reference, "pgkb_admin"):
        assert _set(reference, chunks, "approved") == 1
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _set(reference, chunks, "rejected")
