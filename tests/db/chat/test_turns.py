"""chat.start_turn, finish_turn, read_conversation, list_conversations, delete_conversation."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.corpus import add
from tests.db.chat.talking import child, finish, person, said, start
from tests.db.corpus_fixtures import ask, ask_rows


def read(
    db: psycopg.Connection, conversation_id: UUID, person_id: UUID | None
) -> list[dict[str, Any]]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "select * from chat.read_conversation(%s, %s)", [conversation_id, person_id]
        ).fetchall()


def refused(db: psycopg.Connection, code: str, what: Any, *given: Any, **facts: Any) -> None:
    with pytest.raises(psycopg.Error) as caught, db.transaction():
        what(db, *given, **facts)
    assert caught.value.sqlstate == code


@pytest.mark.parametrize("question", [None, "", " \n", "x" * 4001])
def test_a_question_that_cannot_be_kept_is_refused(
    reference: psycopg.Connection, question: str | None
) -> None:
    refused(reference, "TK002", start, question)


def test_only_whose_it_is_goes_on_with_a_conversation(reference: psycopg.Connection) -> None:
    somebody, other = person(reference), person(reference)
    conversation_id = said(reference, "a?", person_id=somebody)
    assert start(reference, conversation_id=conversation_id, person_id=somebody)[0] == (
        conversation_id
    )
    for who in (other, None):
        refused(reference, "TK001", start, conversation_id=conversation_id, person_id=who)
    refused(reference, "TK001", start, conversation_id=uuid4())


def test_a_turn_of_nobody_who_exists_or_of_anothers_child_is_refused(
    reference: psycopg.Connection,
) -> None:
    refused(reference, "PE006", start, person_id=uuid4())
    somebody, other = person(reference), person(reference)
    theirs = child(reference, other)
    refused(reference, "PE007", start, person_id=somebody, child_id=theirs)
    refused(reference, "PE007", start, child_id=theirs)


def test_a_turn_ends_once(reference: psycopg.Connection) -> None:
    _, turn_id = start(reference)
    assert finish(reference, turn_id, answer="So.")
    assert not finish(reference, turn_id, "failed", answer="Not so.")
    assert ask_rows(
        reference, "select state, answer from chat.turn where turn_id = %s", turn_id
    ) == [("answered", "So.")]
    assert not finish(reference, -1)


@pytest.mark.parametrize("state", [None, "running", "gone"])
def test_a_turn_ends_in_a_known_state(reference: psycopg.Connection, state: str | None) -> None:
    _, turn_id = start(reference)
    refused(reference, "TK003", finish, turn_id, state)


def test_a_trace_holds_numbers_and_no_text_of_people(reference: psycopg.Connection) -> None:
    _, turn_id = start(reference)
    finish(
        reference,
        turn_id,
        sources=[
            {"number": 1, "chunk_id": 7, "cited": True},
            {"number": 2, "chunk_id": 8, "cited": False},
        ],
        trace={
            "model": "m",
            "degraded": ["model_failed"],
            "searches": 2,
            "dropped_citations": 3,
            "timings": {"search": 4.5, "My son": 1, "write": "secret"},
            "question": "a slip",
        },
    )
    with reference.cursor(row_factory=dict_row) as cursor:
        trace = cursor.execute("select * from chat.trace where turn_id = %s", [turn_id]).fetchone()
    assert trace is not None
    assert (trace["sources"], trace["cited"], trace["dropped_citations"]) == (2, 1, 3)
    assert trace["degraded"] == ["model_failed"]
    assert trace["timings"] == {"search": 4.5}
    assert "slip" not in str(trace)


def test_a_turn_that_ended_without_words_has_a_trace_of_zeros(
    reference: psycopg.Connection,
) -> None:
    _, turn_id = start(reference)
    finish(reference, turn_id, "failed")
    assert ask_rows(
        reference, "select sources, cited, timings from chat.trace where turn_id = %s", turn_id
    ) == [(0, 0, {})]


def test_what_was_said_is_read_in_order_with_its_sources(reference: psycopg.Connection) -> None:
    somebody = person(reference)
    added = add(reference, "The team helps with exclusions. " * 10, source="t.txt", title="Team")
    (chunk_id, *_) = added.chunk_ids
    conversation_id = said(reference, "a?", person_id=somebody)
    _, turn_id = start(reference, "b?", conversation_id=conversation_id, person_id=somebody)
    finish(
        reference,
        turn_id,
        standalone="a? b?",
        sources=[
            {"number": 1, "chunk_id": chunk_id, "cited": True},
            {"number": 2, "chunk_id": -1, "cited": False},
        ],
    )
    first, second = read(reference, conversation_id, somebody)
    assert (first["question"], first["standalone"], first["sources"]) == ("a?", None, [])
    assert (second["question"], second["standalone"]) == ("b?", "a? b?")
    assert second["sources"] == [
        {
            "number": 1, "cited": True, "chunk_id": chunk_id, "title": "Team", "source": "t.txt",
            "version": 1, "is_current": True,
        },
        {"number": 2, "cited": False, "chunk_id": -1},
    ]  # fmt: skip


def test_of_a_source_rejected_since_nothing_but_its_number_stays(
    reference: psycopg.Connection,
) -> None:
    (chunk_id, *_) = add(reference, "Wrong advice. " * 20, source="w.txt").chunk_ids
    conversation_id, turn_id = start(reference)
    finish(reference, turn_id, sources=[{"number": 1, "chunk_id": chunk_id, "cited": True}])
    reference.execute("select corpus.set_status(array[%s::bigint], 'rejected')", [chunk_id])
    (turn,) = read(reference, conversation_id, None)
    assert turn["sources"] == [{"number": 1, "cited": True, "chunk_id": chunk_id}]


def test_anothers_conversation_is_neither_read_nor_deleted(reference: psycopg.Connection) -> None:
    somebody, other = person(reference), person(reference)
    conversation_id = said(reference, "a?", person_id=other)

    def remove(db: psycopg.Connection, who: UUID | None) -> None:
        db.execute("select chat.delete_conversation(%s, %s)", [conversation_id, who])

    for who in (somebody, None):
        with pytest.raises(psycopg.Error) as caught, reference.transaction():
            read(reference, conversation_id, who)
        assert caught.value.sqlstate == "TK001"
        refused(reference, "TK001", remove, who)
    remove(reference, other)
    assert ask(reference, "select count(*) from chat.turn where question = 'a?'") == 0


def test_pages_of_conversations_leave_none_out_and_repeat_none(
    reference: psycopg.Connection,
) -> None:
    somebody = person(reference)
    # one instant for all of them: the transaction's
    made = {said(reference, f"{number}?", person_id=somebody) for number in range(5)}
    said(reference, "another's?", person_id=person(reference))
    found: list[UUID] = []
    before: tuple[Any, Any] = (None, None)
    while rows := ask_rows(
        reference,
        "select last_turn_at, conversation_id, turns, first_question"
        " from chat.list_conversations(%s, 2, %s, %s)",
        somebody,
        *before,
    ):
        found += [row[1] for row in rows]
        before = (rows[-1][0], rows[-1][1])
        assert [row[2] for row in rows] == [1] * len(rows)
    assert len(found) == 5
    assert set(found) == made


@pytest.mark.parametrize("size", [None, 0, 101])
def test_a_page_has_a_size(reference: psycopg.Connection, size: int | None) -> None:
    with pytest.raises(psycopg.Error) as caught, reference.transaction():
        ask_rows(reference, "select * from chat.list_conversations(%s, %s)", uuid4(), size)
    assert caught.value.sqlstate == "TK004"


def test_conversations_go_when_their_time_is_over(reference: psycopg.Connection) -> None:
    old, young = said(reference, "old?"), said(reference, "young?")
    _, running = start(reference, "still?", conversation_id=young)
    reference.execute(
        "update chat.conversation set last_turn_at = now() - interval '91 days'"
        " where conversation_id = %s",
        [old],
    )
    reference.execute(
        "update chat.turn set asked_at = now() - %s where turn_id = %s",
        [timedelta(hours=2), running],
    )
    assert ask(reference, "select chat.purge()") == 1
    left = ask_rows(reference, "select question, state from chat.turn order by turn_id")
    assert left == [("young?", "answered"), ("still?", "interrupted")]
    assert ask(reference, "select chat.purge(older_than => interval '-1 second')") == 1
    with pytest.raises(psycopg.Error) as caught, reference.transaction():
        reference.execute("select chat.purge(batch_size => 0)")
    assert caught.value.sqlstate == "TK004"


def test_a_person_who_leaves_takes_the_conversations_along(reference: psycopg.Connection) -> None:
    somebody = person(reference)
    theirs = child(reference, somebody)
    said(reference, "a?", person_id=somebody, child_id=theirs)
    reference.execute("delete from account.child where child_id = %s", [theirs])
    assert ask_rows(reference, "select child_id from chat.conversation") == [(None,)]
    reference.execute("delete from account.person where person_id = %s", [somebody])
    assert ask(reference, "select count(*) from chat.turn") == 0


def test_the_app_reaches_turns_by_functions_only(reference: psycopg.Connection) -> None:
    conversation_id = said(reference, "a?")
    with reference.transaction(force_rollback=True):
        reference.execute("set local role pgkb_app")
        assert start(reference, conversation_id=conversation_id)[0] == conversation_id
        for table in ("conversation", "turn", "source", "trace"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), reference.transaction():
                reference.execute(f"select from chat.{table}".encode())


def test_broader_words_are_those_of_the_pack(reference: psycopg.Connection) -> None:
    words = ask(reference, "select chat.broader_question('he was kicked out')")
    assert words.split(" ")[0] == "Exclusion"
    assert "permanent exclusion" in words
    assert ask(reference, "select chat.broader_question('zorblax')") is None


@pytest.mark.parametrize("blank", [None, "", " \n"])
def test_a_pack_without_words_is_refused(reference: psycopg.Connection, blank: str | None) -> None:
    with pytest.raises(psycopg.Error) as caught, reference.transaction():
        reference.execute("select chat.load_wording('send', 'a', %s, 'c')", [blank])
    assert caught.value.sqlstate == "TE004"
