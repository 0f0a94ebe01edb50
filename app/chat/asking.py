"""A question and its beginning: where it is about, what was said before, and that it is noted."""

from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.answering import Inquiry
from app.chat import calls
from app.chat.calls import Context, Turn
from app.chat.desk import Desk
from app.pool import lend

_READ_ONLY = "25006"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and in which conversation; without `keep` nothing is kept of it."""

    inquiry: Inquiry
    conversation_id: UUID | None = None
    person_id: UUID | None = None
    child_id: UUID | None = None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Begun:
    """A question whose place and history are known; `turn` is None where nothing is kept."""

    ask: Ask
    context: Context
    turn: Turn | None
    not_kept: bool = False


async def begin(desk: Desk, ask: Ask) -> Begun:
    """Resolve place and conversation and note the question; what is wrong with it shows here.

    Raises the database's errors. A database that accepts no writes answers all the same.
    """
    inquiry = ask.inquiry
    async with lend(desk.pool) as db:
        context = await calls.context_of(
            db,
            question=inquiry.question,
            conversation_id=ask.conversation_id,
            person_id=ask.person_id,
            child_id=ask.child_id,
            la=inquiry.la,
            home_la=inquiry.home_la,
            urn=inquiry.urn,
            postcode=inquiry.postcode,
        )
        if not ask.keep:
            return Begun(ask, context, None)
        try:
            turn = await calls.start_turn(
                db,
                question=inquiry.question,
                conversation_id=ask.conversation_id,
                person_id=ask.person_id,
                context=context,
            )
        except asyncpg.PostgresError as error:
            if error.sqlstate != _READ_ONLY:
                raise
            return Begun(ask, context, None, not_kept=True)
    return Begun(ask, context, turn)
