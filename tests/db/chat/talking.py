"""Turns as tests begin and end them."""

from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.app.people import add_person


def person(db: psycopg.Connection[Any]) -> UUID:
    """Somebody with an account."""
    return add_person(db)[0]


def child(db: psycopg.Connection[Any], person_id: UUID, **facts: Any) -> UUID:
    """A child on that profile."""
    row = db.execute(
        "insert into account.child (person_id, school_urn, postcode)"
        " values (%(person_id)s, %(school_urn)s, %(postcode)s) returning child_id",
        {"person_id": person_id, "school_urn": None, "postcode": None} | facts,
    ).fetchone()
    assert row is not None
    child_id: UUID = row[0]
    return child_id


def start(
    db: psycopg.Connection[Any], question: str | None = "who helps?", **facts: Any
) -> tuple[UUID, int]:
    """Begin a turn: the conversation's and the turn's key."""
    named = "".join(f", {name} => %({name})s" for name in facts)
    row = db.execute(
        f"select conversation, turn from chat.start_turn(question => %(question)s{named})".encode(),
        {"question": question, **facts},
    ).fetchone()
    assert row is not None
    return row[0], row[1]


def finish(
    db: psycopg.Connection[Any], turn_id: int, state: str | None = "answered", **facts: Any
) -> bool:
    """End it."""
    given = {
        name: Jsonb(value) if name in {"sources", "trace"} else value
        for name, value in facts.items()
    }
    named = "".join(f", {name} => %({name})s" for name in given)
    row = db.execute(
        f"select chat.finish_turn(turn_id => %(turn_id)s, state => %(state)s{named})".encode(),
        {"turn_id": turn_id, "state": state, **given},
    ).fetchone()
    assert row is not None
    return bool(row[0])


def said(db: psycopg.Connection[Any], *questions: str, **facts: Any) -> UUID:
    """A conversation in which these were asked and answered."""
    conversation_id: UUID | None = None
    for question in questions:
        conversation_id, turn_id = start(db, question, conversation_id=conversation_id, **facts)
        finish(db, turn_id, answer=f"Of {question}")
    assert conversation_id is not None
    return conversation_id


def context(
    db: psycopg.Connection[Any], question: str = "who helps?", **facts: Any
) -> dict[str, Any]:
    """chat.context_of as a dictionary."""
    named = "".join(f", {name} => %({name})s" for name in facts)
    with db.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"select * from chat.context_of(question => %(question)s{named})".encode(),
            {"question": question, **facts},
        ).fetchone()
    assert row is not None
    return row
