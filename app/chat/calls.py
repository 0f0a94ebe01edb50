"""Every statement the chat sends to Postgres: one function here per function of schema chat."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

import msgspec

from app.calls import Connection, Scope


@dataclass(frozen=True, slots=True)
class Said:
    """A question of before and what was answered; None while nothing had been."""

    question: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class Wording:
    """What the loaded pack says in a chat."""

    system_prompt: str
    no_area_disclaimer: str
    not_found: str


@dataclass(frozen=True, slots=True)
class Context:
    """What is known before a question is searched for.

    `place_from` is request, conversation, profile or none; `standalone` the question with what it
    leans on; `wording` None where no pack speaks.
    """

    scope: Scope
    place_from: str
    child_id: UUID | None
    history: list[Said]
    standalone: str
    wording: Wording | None


@dataclass(frozen=True, slots=True)
class Turn:
    """The keys of a question that is being answered."""

    conversation_id: UUID
    turn_id: int


@dataclass(frozen=True, slots=True)
class NumberedChunk:
    """A source as it is kept."""

    number: int
    chunk_id: int
    cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """How an answer came about, in numbers."""

    model: str | None = None
    search_mode: str | None = None
    degraded: Sequence[str] = ()
    searches: int = 0
    dropped_citations: int = 0
    sentences: int = 0
    unsupported_sentences: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    timings: dict[str, float]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended."""

    state: str
    answer: str | None
    answered_by: str | None
    standalone: str
    sources: Sequence[NumberedChunk]
    trace: Trace


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation in a list."""

    conversation_id: UUID
    child_id: UUID | None
    started_at: datetime
    last_turn_at: datetime
    turns: int
    first_question: str | None


class KeptSource(msgspec.Struct, frozen=True):
    """A source of an earlier answer; what it says is gone when it may not be shown any more."""

    number: int
    cited: bool
    chunk_id: int
    title: str | None = None
    source: str | None = None
    version: int | None = None
    is_current: bool | None = None


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A question of an earlier day and its answer."""

    turn_id: int
    question: str
    standalone: str | None
    state: str
    answer: str | None
    answered_by: str | None
    la_code: str | None
    home_la_code: str | None
    school_urn: str | None
    asked_at: datetime
    finished_at: datetime | None
    sources: list[KeptSource]


async def context_of(
    db: Connection,
    *,
    question: str,
    conversation_id: UUID | None,
    person_id: UUID | None,
    child_id: UUID | None,
    la: str | None,
    home_la: str | None,
    urn: str | None,
    postcode: str | None,
) -> Context:
    """Place, history and wording. Raises TK001 for a conversation that is not theirs, PL001,
    PL002, PL003 or PL005 for a place that is not known.
    """
    row = await db.fetchrow(
        "select * from chat.context_of(question => $1::text, conversation_id => $2::uuid,"
        " person_id => $3::uuid, child_id => $4::uuid, la => $5::text, home_la => $6::text,"
        " urn => $7::text, postcode => $8::text)",
        question,
        conversation_id,
        person_id,
        child_id,
        la,
        home_la,
        urn,
        postcode,
    )
    if row is None:
        raise LookupError("a statement that always has a row had none")
    spoken = {column.name: row[column.name] for column in fields(Wording)}
    return Context(
        scope=Scope(**{column.name: row[column.name] for column in fields(Scope)}),
        place_from=row["place_from"],
        child_id=row["child"],
        history=msgspec.json.decode(row["history"], type=list[Said]),
        standalone=row["standalone"],
        wording=Wording(**spoken) if row["system_prompt"] is not None else None,
    )


async def broader_question(db: Connection, *, question: str) -> str | None:
    """Other words for a question that found nothing, if the pack knows any."""
    found: str | None = await db.fetchval(
        "select chat.broader_question(question => $1::text)", question
    )
    return found


async def start_turn(
    db: Connection,
    *,
    question: str,
    conversation_id: UUID | None,
    person_id: UUID | None,
    context: Context,
) -> Turn:
    """Note a question. Raises TK001 for a conversation that is not theirs."""
    row = await db.fetchrow(
        "select conversation, turn from chat.start_turn(question => $1::text,"
        " conversation_id => $2::uuid, person_id => $3::uuid, child_id => $4::uuid,"
        " la_code => $5::text, home_la_code => $6::text, school_urn => $7::text,"
        " place_from => $8::text)",
        question,
        conversation_id,
        person_id,
        context.child_id,
        context.scope.la_code,
        context.scope.home_la_code,
        context.scope.school_urn,
        context.place_from,
    )
    if row is None:
        raise LookupError("a statement that always has a row had none")
    return Turn(conversation_id=row["conversation"], turn_id=row["turn"])


async def finish_turn(db: Connection, *, turn_id: int, ending: Ending) -> bool:
    """Note how it ended; False when it had ended already or was deleted."""
    return bool(
        await db.fetchval(
            "select chat.finish_turn(turn_id => $1::bigint, state => $2::text, answer => $3::text,"
            " answered_by => $4::text, standalone => $5::text, sources => $6::jsonb,"
            " trace => $7::jsonb)",
            turn_id,
            ending.state,
            ending.answer,
            ending.answered_by,
            ending.standalone,
            msgspec.json.encode(ending.sources).decode(),
            msgspec.json.encode(ending.trace).decode(),
        )
    )


async def list_conversations(
    db: Connection,
    *,
    person_id: UUID,
    page_size: int,
    before_at: datetime | None,
    before_id: UUID | None,
) -> list[ConversationSummary]:
    """A page of a person's conversations, the latest first."""
    rows = await db.fetch(
        "select * from chat.list_conversations(person_id => $1::uuid, page_size => $2::integer,"
        " before_at => $3::timestamptz, before_id => $4::uuid)",
        person_id,
        page_size,
        before_at,
        before_id,
    )
    return [ConversationSummary(**dict(row)) for row in rows]


async def read_conversation(
    db: Connection, *, conversation_id: UUID, person_id: UUID
) -> list[KeptTurn]:
    """Everything said in a conversation. Raises TK001 when it is not theirs."""
    rows = await db.fetch(
        "select * from chat.read_conversation(conversation_id => $1::uuid, person_id => $2::uuid)",
        conversation_id,
        person_id,
    )
    return [
        KeptTurn(
            **dict(row) | {"sources": msgspec.json.decode(row["sources"], type=list[KeptSource])}
        )
        for row in rows
    ]


async def delete_conversation(db: Connection, *, conversation_id: UUID, person_id: UUID) -> None:
    """Remove a conversation for good. Raises TK001 when it is not theirs."""
    await db.execute(
        "select chat.delete_conversation(conversation_id => $1::uuid, person_id => $2::uuid)",
        conversation_id,
        person_id,
    )
