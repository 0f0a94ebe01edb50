"""corpus.list_documents, list_passages and document_history: what a curator looks at."""

from datetime import date
from typing import Any, LiteralString

import psycopg
import pytest

from tests.corpus import Added, add, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

LONG = "Some sentences of text. " * 150


def _listed(db: psycopg.Connection, **asked: Any) -> list[str]:
    named = ", ".join(f"{name} => %s" for name in asked)
    statement: LiteralString = f"select source from corpus.list_documents({named})"
    return [row[0] for row in ask_rows(db, statement, *asked.values())]


@pytest.fixture
def some(reference: psycopg.Connection) -> dict[str, Added]:
    """Documents of every state and of several places."""
    made = {
        "kent": add(
            reference, LONG, source="kent", title="Kent travel", la_code="E10000016",
            tags=["transport"], file_type="pdf",
        ),
        "barnsley": add(
            reference, "Short.", source="barnsley", title="Fees", la_code="E08000016",
        ),
        "old": add(reference, "Old.", source="old", title="Panel days", tags=["ehcp"]),
        "new": add(reference, "New.", source="new", title="PANEL DAYS 2024", tags=["ehcp"]),
    }  # fmt: skip
    stage(reference, "Later.", source="later", title="Ｔｒａｖｅｌ to come")
    reference.execute(
        "select corpus.set_status(%s, 'flagged'), corpus.set_status(%s, 'rejected')",
        [made["kent"].chunk_ids[:1], made["barnsley"].chunk_ids],
    )
    return made


@pytest.mark.parametrize(
    ("asked", "sources"),
    [
        ({}, ["later", "new", "old", "barnsley", "kent"]),
        ({"status": "pending"}, ["new", "kent"]),
        ({"status": "flagged"}, ["kent"]),
        ({"status": "rejected"}, ["barnsley"]),
        ({"status": "approved"}, []),
        ({"status": "superseded"}, ["old"]),
        ({"status": "staged"}, ["later"]),
        ({"la": "E10000016"}, ["kent"]),
        ({"la": "E08000038"}, ["barnsley"]),  # under the code it had before
        ({"la": "  "}, ["later", "new", "old", "barnsley", "kent"]),
        ({"tags": ["ehcp", "transport"]}, ["new", "old", "kent"]),
        ({"min_quality": 60}, ["kent"]),
        ({"min_quality": 101}, []),
        ({"title": "panel Days"}, ["new", "old"]),
        ({"title": "travel"}, ["later", "kent"]),
        ({"title": "100%"}, []),
        ({"status": "pending", "title": "travel", "la": "E10000016"}, ["kent"]),
    ],
)
def test_every_filter_narrows(
    reference: psycopg.Connection, some: dict[str, Added], asked: dict[str, Any], sources: list[str]
) -> None:
    assert some
    assert _listed(reference, **asked) == sources


def test_the_pages_are_the_whole_without_a_repeat(reference: psycopg.Connection) -> None:
    """R-11; also when documents come in between."""
    for number in range(7):
        add(reference, f"Text {number}.", source=f"{number}")
    seen: list[str] = []
    before = None
    while True:
        rows = ask_rows(
            reference,
            "select document_id, source from corpus.list_documents(before => %s, page_size => 3)",
            before,
        )
        if not rows:
            break
        seen += [row[1] for row in rows]
        before = rows[-1][0]
        add(reference, f"Meanwhile {before}.", source=f"meanwhile {before}")
    assert seen == ["6", "5", "4", "3", "2", "1", "0"]


def test_a_document_tells_how_far_it_is_decided_on(
    reference: psycopg.Connection, some: dict[str, Added]
) -> None:
    count = len(some["kent"].chunk_ids)
    assert ask_rows(
        reference,
        "select scope, la_code, state, passages, pending, approved, rejected, flagged, tags "
        "from corpus.document_overview where document_id = %s",
        some["kent"].document_id,
    ) == [("la", "E10000016", "published", count, count - 1, 0, 0, 1, ["transport"])]
    assert ask_rows(
        reference,
        "select superseded_by_document, pending from corpus.document_overview "
        "where document_id = %s",
        some["old"].document_id,
    ) == [(some["new"].document_id, 0)]


def test_the_stored_quality_is_the_one_that_is_filtered_by(
    reference: psycopg.Connection, some: dict[str, Added]
) -> None:
    ids = some["kent"].chunk_ids
    mean = ask(
        reference,
        "select round(avg(quality_score)) from corpus.chunk_fact where chunk_id = any(%s)",
        ids,
    )
    assert _listed(reference, min_quality=int(mean), la="E10000016") == ["kent"]
    assert _listed(reference, min_quality=int(mean) + 1, la="E10000016") == []


def test_what_cannot_be_asked_is_refused(reference: psycopg.Connection) -> None:
    for size in (0, 501, None):
        with refused(reference, "SE001"):
            _listed(reference, page_size=size)
    with refused(reference, "SE002", '"live"', "staged"):
        _listed(reference, status="live")
    with refused(reference, "PL001"):
        _listed(reference, la="E99999999")


def test_the_passages_come_in_their_order_a_page_at_a_time(
    reference: psycopg.Connection, some: dict[str, Added]
) -> None:
    seen: list[int] = []
    after = -1
    query: LiteralString = (
        "select chunk_id, chunk_index "
        "from corpus.list_passages(%s, after_index => %s, page_size => 2)"
    )
    while rows := ask_rows(reference, query, some["kent"].document_id, after):
        seen += [row[0] for row in rows]
        after = rows[-1][1]
    assert seen == some["kent"].chunk_ids
    with refused(reference, "KB022", "4711"):
        reference.execute("select corpus.list_passages(4711)")
    with refused(reference, "KB022", "version 9"):
        reference.execute("select corpus.list_passages(%s, 9)", [some["kent"].document_id])


def test_an_old_version_can_be_read_too(reference: psycopg.Connection) -> None:
    added = add(reference, "First.", source="a")
    add(reference, "Second.", source="a")
    query = "select content, status from corpus.list_passages(%s, %s)"
    assert ask_rows(reference, query, added.document_id, None) == [("Second.", "pending")]
    assert ask_rows(reference, query, added.document_id, 1) == [("First.", "superseded")]


def test_the_history_tells_all_that_became_of_a_document(reference: psycopg.Connection) -> None:
    first = add(reference, "First.", source="a", effective_date=date(2023, 1, 1))
    reference.execute("select corpus.set_status(%s, 'approved', 'Kim', 'read')", [first.chunk_ids])
    second = add(reference, "Second.", source="a", effective_date=date(2024, 1, 1))
    reference.execute("select corpus.undo_supersession(%s, 'Lee', 'garbled')", [first.version_id])
    rows = ask_rows(
        reference,
        "select version, what, actor, reason from corpus.document_history(%s)",
        first.document_id,
    )
    assert {row[1] for row in rows if row[2] is None} == {"published"}
    assert [row for row in rows if row[2] is not None] == [
        (1, "status_changed", "Kim", "read"),
        (1, "superseded", ask(reference, "select session_user"), None),
        (2, "superseded", "Lee", "garbled"),
        (1, "restored", "Lee", "garbled"),
    ]
    assert second.document_id == first.document_id
    with refused(reference, "KB022", "4711"):
        reference.execute("select corpus.document_history(4711)")


def test_the_history_reads_an_index(reference: psycopg.Connection) -> None:
    added = add(reference, "First.", source="a")
    reference.execute("set local enable_seqscan = off")
    plan = ask_rows(
        reference,
        "explain select from audit.event as e where e.subject = 'version ' || %s",
        added.version_id,
    )
    assert "event_subject_idx" in str(plan)


def test_curators_may_look_and_ingest_may_not(
    reference: psycopg.Connection, some: dict[str, Added]
) -> None:
    with role(reference, "pgkb_admin"):
        assert len(_listed(reference)) == 5
        reference.execute("select corpus.document_history(%s)", [some["kent"].document_id])
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _listed(reference)
