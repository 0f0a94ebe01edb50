"""corpus.decide_documents and decide_chunks: up to 50 in one call, each for itself."""

from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add, axis, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

LONG = "Some sentences of text. " * 150


def _documents(db: psycopg.Connection, ids: list[int], status: str) -> list[tuple[Any, ...]]:
    return ask_rows(
        db, "select * from corpus.decide_documents(%s, %s, 'Kim', 'checked')", ids, status
    )


def _chunks(db: psycopg.Connection, ids: list[int], status: str) -> list[tuple[Any, ...]]:
    return ask_rows(db, "select * from corpus.decide_chunks(%s, %s, 'Kim', 'checked')", ids, status)


def _statuses(db: psycopg.Connection, added: Added) -> list[str]:
    return [
        row[0]
        for row in ask_rows(
            db,
            "select status from corpus.chunk_fact where chunk_id = any(%s) order by chunk_id",
            added.chunk_ids,
        )
    ]


def test_each_document_has_its_own_outcome(reference: psycopg.Connection) -> None:
    fresh = add(reference, LONG, source="a")
    done = add(reference, "Done.", source="b")
    out = add(reference, "Out.", source="c")
    replaced = add(reference, "Old.", source="d", title="Fees")
    add(reference, "New.", source="e", title="Fees")
    staged = stage(reference, "Later.", source="f")["document_id"]
    _documents(reference, [done.document_id], "flagged")
    _documents(reference, [out.document_id], "rejected")
    ids = [a.document_id for a in (fresh, done, out, replaced)] + [staged, 4711]
    assert _documents(reference, ids, "flagged") == [
        (fresh.document_id, "changed", len(fresh.chunk_ids), 0, None),
        (done.document_id, "unchanged", 0, 0, "it is flagged already"),
        (out.document_id, "refused", 0, 1, "rejected cannot become flagged"),
        (replaced.document_id, "refused", 0, 0, "no version of it is published"),
        (staged, "refused", 0, 0, "no version of it is published"),
        (4711, "unknown", 0, 0, "there is no document 4711"),
    ]
    assert set(_statuses(reference, fresh)) == {"flagged"}
    assert _statuses(reference, out) == ["rejected"]


def test_approving_leaves_a_passage_that_was_taken_out_by_itself(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, LONG, source="a")
    rejected, flagged, *others = added.chunk_ids
    _chunks(reference, [rejected], "rejected")
    _chunks(reference, [flagged], "flagged")
    expected = ["rejected", "flagged", *["approved"] * len(others)]
    assert _documents(reference, [added.document_id], "approved") == [
        (added.document_id, "changed", len(others), 2, "2 passages stay as a curator left them")
    ]
    assert _statuses(reference, added) == expected
    assert _documents(reference, [added.document_id], "approved") == [
        (added.document_id, "unchanged", 0, 2, "2 passages stay as a curator left them")
    ]
    assert _statuses(reference, added) == expected


def test_a_document_rejected_as_a_whole_comes_back_as_a_whole(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, LONG, source="a")
    _documents(reference, [added.document_id], "rejected")
    assert search(reference, words="text", vector=axis(1)) == []
    assert _documents(reference, [added.document_id], "approved")[0][1] == "changed"
    assert set(_statuses(reference, added)) == {"approved"}


@pytest.mark.parametrize("status", ["flagged", "rejected"])
def test_what_is_out_is_gone_from_the_next_answer(
    reference: psycopg.Connection, status: str
) -> None:
    """A-03; flagged is never retrieved, not even when asked for by name."""
    added = add(reference, "Some text.", source="a")
    _documents(reference, [added.document_id], status)
    for legs in ({"words": "text"}, {"vector": axis(1)}):
        assert search(reference, **legs) == []
        with refused(reference, "SE002", status):
            search(reference, statuses=["approved", status], **legs)


def test_each_passage_has_its_own_outcome(reference: psycopg.Connection) -> None:
    one, two, three, *_ = add(reference, LONG, source="a", title="Fees").chunk_ids
    (old,) = add(reference, "Old.", source="b", title="Panel").chunk_ids
    add(reference, "New.", source="c", title="Panel")
    _chunks(reference, [two], "flagged")
    _chunks(reference, [three], "rejected")
    asked = [two, one, 4711, three, old, one]
    assert _chunks(reference, asked, "flagged") == [
        (one, "changed", "pending -> flagged"),
        (two, "unchanged", "it is flagged already"),
        (three, "refused", "rejected cannot become flagged"),
        (old, "refused", "superseded cannot become flagged"),
        (4711, "unknown", "there is no published chunk 4711"),
    ]


def test_fifty_at_once_and_no_more(reference: psycopg.Connection) -> None:
    for call in (_documents, _chunks):
        assert len(call(reference, list(range(900, 950)), "approved")) == 50
        with refused(reference, "KB021", "51", "several calls"):
            call(reference, list(range(900, 951)), "approved")
        assert call(reference, [], "approved") == []
    with refused(reference, "KB021"):
        reference.execute("select corpus.decide_chunks(array[1, null]::bigint[], 'approved')")


def test_nobody_decides_for_superseded(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a")
    for call, ids in ((_documents, [added.document_id]), (_chunks, added.chunk_ids)):
        with refused(reference, "KB013", '"superseded"'):
            call(reference, ids, "superseded")


def test_it_is_audited_for_each_document_with_who_and_why(reference: psycopg.Connection) -> None:
    added = [add(reference, f"Text {n}.", source=f"{n}") for n in range(3)]
    _documents(reference, [a.document_id for a in added], "approved")
    assert ask_rows(
        reference,
        "select actor, login = session_user, subject, detail ->> 'reason' from audit.event "
        "where kind = 'status_changed' order by event_id",
    ) == [("Kim", True, f"version {a.version_id}", "checked") for a in added]


def test_the_admin_may_and_ingest_may_not(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a")
    with role(reference, "pgkb_admin"):
        assert _documents(reference, [added.document_id], "approved")[0][1] == "changed"
        assert _chunks(reference, added.chunk_ids, "rejected")[0][1] == "changed"
    assert ask(reference, "select count(*) from audit.event where kind = 'status_changed'") == 2
    reference.execute("set local role pgkb_ingest")
    for call, ids in ((_documents, [added.document_id]), (_chunks, added.chunk_ids)):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), reference.transaction():
            call(reference, ids, "pending")
