"""corpus.undo_supersession: what took over by mistake gives way, and does not come again."""

from datetime import date, timedelta
from typing import Any, LiteralString

import psycopg
import pytest

from tests.corpus import add, axis, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

TITLE = "SEND Policy"


def _undo(db: psycopg.Connection, version_id: int) -> tuple[Any, ...]:
    (row,) = ask_rows(
        db, "select * from corpus.undo_supersession(%s, 'Kim', 'two subjects')", version_id
    )
    return row


def _live(db: psycopg.Connection) -> list[str]:
    """What each leg of a search finds, which must be the same."""
    by_words = sorted(row["source"] for row in search(db, words="text", top_k=20))
    by_vector = sorted(row["source"] for row in search(db, vector=axis(1), top_k=20))
    assert by_words == by_vector
    return by_words


def _add(db: psycopg.Connection, source: str, day: int | None = None, **facts: Any) -> int:
    return add(
        db,
        facts.pop("body", f"The text of {source}."),
        source=source,
        title=facts.pop("title", TITLE),
        effective_date=date(day, 1, 1) if day else None,
        **facts,
    ).version_id


def test_both_documents_are_published_afterwards_and_the_passages_are_what_they_were(
    reference: psycopg.Connection,
) -> None:
    old = add(reference, "The text of a. " * 150, source="a", title=TITLE)
    approved, rejected, *_ = old.chunk_ids
    for chunk, status in ((approved, "approved"), (rejected, "rejected")):
        reference.execute("select corpus.set_status(array[%s::bigint], %s)", [chunk, status])
    query: LiteralString = (
        "select chunk_id, status, status_before, tags from corpus.chunk_fact "
        "where chunk_id = any(%s) order by 1"
    )
    before = ask_rows(reference, query, old.chunk_ids)
    indexed = "select * from search.text_index where chunk_id = any(%s) order by chunk_id"
    texts = ask_rows(reference, indexed, old.chunk_ids)
    _add(reference, "b")
    assert _live(reference) == ["b"]
    assert _undo(reference, old.version_id) == (old.document_id, 1, True, None)
    assert ask_rows(reference, query, old.chunk_ids) == before
    assert ask_rows(reference, indexed, old.chunk_ids) == texts
    assert set(_live(reference)) == {"a", "b"}
    assert ask_rows(
        reference,
        "select state, superseded_by, valid_to, withdrawn_on from corpus.version "
        "where version_id = %s",
        old.version_id,
    ) == [("published", None, None, None)]


def test_it_stays_undone_when_the_same_comes_again(reference: psycopg.Connection) -> None:
    """J-08: undo possible."""
    old = _add(reference, "a", 2022)
    _add(reference, "b", 2024)
    _undo(reference, old)
    for source, day in (("b", 2024), ("a", 2022)):
        again = stage(
            reference,
            f"The text of {source}.",
            source=source,
            title=TITLE,
            effective_date=date(day, 1, 1),
        )
        assert again["outcome"] == "unchanged"
    assert _live(reference) == ["a", "b"]
    _add(reference, "b", 2025, body="The text of b, revised.")
    _add(reference, "a", 2026, body="The text of a, revised.")
    assert _live(reference) == ["a", "b"]
    _add(reference, "c", 2027)
    assert _live(reference) == ["a", "c"], "a stands alone, b and c are one subject still"


def test_both_are_in_force_on_the_days_of_both(reference: psycopg.Connection) -> None:
    old = _add(reference, "a", 2022)
    _add(reference, "b", 2024)
    _add(reference, "older", 2020)
    _undo(reference, old)
    in_force = {
        row[0]: row[1:]
        for row in ask_rows(
            reference,
            "select d.source, v.valid_from, v.valid_to from corpus.version as v "
            "join corpus.document as d using (document_id)",
        )
    }
    assert in_force == {
        "a": (date(2022, 1, 1), None),
        "b": (date(2024, 1, 1), None),
        "older": (date(2020, 1, 1), date(2024, 1, 1)),
    }


def test_an_earlier_version_takes_the_place_of_the_later_one(
    reference: psycopg.Connection,
) -> None:
    first = _add(reference, "a", body="The text, right.")
    second = _add(reference, "a", body="The text, garbled.")
    assert _undo(reference, first) == (
        ask(reference, "select document_id from corpus.document"),
        1,
        False,
        second,
    )
    assert [row["content"] for row in search(reference, words="text")] == ["The text, right."]
    again = stage(reference, "The text, garbled.", source="a", title=TITLE)
    assert again["outcome"] == "unchanged", "and stays so"
    assert [row["content"] for row in search(reference, words="text")] == ["The text, right."]
    assert ask_rows(
        reference, "select version_id, superseded_by from corpus.version order by version_id"
    ) == [(first, None), (second, first)]
    third = _add(reference, "a", body="The text, corrected.")
    assert ask_rows(
        reference, "select version_id from corpus.version where state = 'published'"
    ) == [(third,)]


def test_an_undo_can_be_undone(reference: psycopg.Connection) -> None:
    first = _add(reference, "a", body="The text, first.")
    second = _add(reference, "a", body="The text, second.")
    _undo(reference, first)
    _undo(reference, second)
    assert [row["content"] for row in search(reference, words="text")] == ["The text, second."]
    assert ask_rows(
        reference, "select version_id, superseded_by from corpus.version order by version_id"
    ) == [(first, second), (second, None)]


def test_one_in_the_middle_of_a_chain_comes_back_beside_its_end(
    reference: psycopg.Connection,
) -> None:
    versions = [
        _add(reference, source, year) for source, year in (("a", 2020), ("b", 2022), ("c", 2024))
    ]
    _undo(reference, versions[1])
    assert _live(reference) == ["b", "c"]
    assert ask_rows(
        reference,
        "select valid_from, valid_to from corpus.version where version_id = %s",
        versions[0],
    ) == [(date(2020, 1, 1), date(2024, 1, 1))]


def test_a_source_that_says_what_another_says_keeps_what_a_curator_brought_back(
    reference: psycopg.Connection,
) -> None:
    _add(reference, "a", title="Panel days", body="The common text.")
    old = _add(reference, "b", 2023, title="Panel fees", body="The old text.")
    for _ in range(2):
        stage(reference, "The common text.", source="b", title="Panel fees")
        if ask(
            reference, "select state = 'superseded' from corpus.version where version_id = %s", old
        ):
            _undo(reference, old)
    assert _live(reference) == ["a", "b"]
    assert ask_rows(
        reference,
        "select state, valid_to, withdrawn_on from corpus.version where version_id = %s",
        old,
    ) == [("published", None, None)]


def test_who_and_why_are_kept_of_all_it_did(reference: psycopg.Connection) -> None:
    first = _add(reference, "a", body="The text, first.")
    second = _add(reference, "a", body="The text, second.")
    _undo(reference, first)
    assert ask_rows(
        reference,
        "select kind, subject, actor, login = session_user, detail from audit.event "
        "where event_id > (select min(event_id) from audit.event) order by event_id",
    ) == [
        (
            "superseded",
            f"version {second}",
            "Kim",
            True,
            {"by": first, "reason": "two subjects"},
        ),
        ("restored", f"version {first}", "Kim", True, {"reason": "two subjects"}),
    ]


def test_there_must_be_something_to_undo(reference: psycopg.Connection) -> None:
    live = _add(reference, "a")
    staged = stage(reference, "Other.", source="b")["version_id"]
    for version_id, state in ((live, "published"), (staged, "staged")):
        with refused(reference, "KB023", f"{version_id} is {state}"):
            _undo(reference, version_id)
    with refused(reference, "KB009", "4711"):
        _undo(reference, 4711)
    with refused(reference, "KB009"):
        reference.execute("select corpus.undo_supersession(null)")


def test_a_version_without_its_vectors_is_refused_as_a_whole(reference: psycopg.Connection) -> None:
    """The active set was changed since."""
    old = _add(reference, "a", body="The text, first.")
    _add(reference, "a", body="The text, second.")
    reference.execute("delete from embedding.cold_vector")
    with refused(reference, "KB010", "chunks_to_embed"):
        _undo(reference, old)
    assert [row["content"] for row in search(reference, words="text")] == ["The text, second."]


def test_the_admin_may_and_ingest_may_not(reference: psycopg.Connection) -> None:
    old = _add(reference, "a")
    _add(reference, "b")
    with role(reference, "pgkb_admin"):
        _undo(reference, old)
    assert _live(reference) == ["a", "b"]
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _undo(reference, old)


def test_as_of_still_answers_for_the_days_before(reference: psycopg.Connection) -> None:
    old = _add(reference, "a", 2022)
    _add(reference, "b", 2024)
    _undo(reference, old)
    for day, sources in ((date(2023, 1, 1), ["a"]), (date.today() + timedelta(1), ["a", "b"])):
        found = search(reference, words="text", as_of=day)
        assert sorted(row["source"] for row in found) == sources
