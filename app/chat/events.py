"""What is told while an answer comes about, in the order of telling."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from app.answering import Retrieval
from app.calls import Scope
from app.chat.grounding import CheckedSentence
from app.chat.sources import CitedSource


@dataclass(frozen=True, slots=True)
class Started:
    """The question is noted; the ids are None where no conversation is kept."""

    conversation_id: UUID | None
    turn_id: int | None


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched for and found; numbers of sources do not change any more."""

    question: str
    scope: Scope
    topics: list[str]
    sources: list[CitedSource]


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the answer; a citation mark is never cut in two."""

    text: str


@dataclass(frozen=True, slots=True)
class Discarded:
    """Forget the text so far: the model failed, another answer begins."""

    reason: str


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer, the sources its `[n]` marks point at, and how it came about.

    `answered_by` is model, extractive (quoted word for word), sources_only (nothing could be
    quoted) or None when nothing was found. `question` is what was searched for. `degraded` are
    words for programs, `notes` the same for people. `sentences` are spans of `answer`.
    """

    answer: str
    found: bool
    citations: list[int]
    answered_by: str | None
    model: str | None
    sources: list[CitedSource]
    sentences: list[CheckedSentence]
    dropped_citations: int
    question: str
    scope: Scope
    place_from: str
    topics: list[str]
    retrieval: Retrieval
    degraded: list[str]
    notes: list[str]
    conversation_id: UUID | None = None
    turn_id: int | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)


Event: TypeAlias = Started | Searched | Token | Discarded | ChatAnswer
Tell: TypeAlias = Callable[[Event], Awaitable[None]]

NAMES: dict[type, str] = {
    Started: "start",
    Searched: "sources",
    Token: "token",
    Discarded: "discard",
    ChatAnswer: "done",
}
