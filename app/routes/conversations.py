"""`/api/conversations`: what somebody asked before, to read or to delete."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get
from litestar.params import FromPath, QueryParameter

from app.access.guards import in_session
from app.chat import calls
from app.chat.calls import ConversationSummary, KeptTurn
from app.errors import PROBLEMS, AnyRequest
from app.pool import lend

PageSize = Annotated[int, QueryParameter(name="limit", ge=1, le=100)]
BeforeAt = Annotated[
    datetime | None,
    QueryParameter(name="before", description="`last_turn_at` of the last one of the page before."),
]
BeforeId = Annotated[
    UUID | None,
    QueryParameter(name="before_id", description="Its `conversation_id`."),
]


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of conversations, the latest first."""

    conversations: list[ConversationSummary]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything said in a conversation."""

    conversation_id: UUID
    turns: list[KeptTurn]


class ConversationController(Controller):
    """One's own conversations; somebody else's are not there."""

    path = "/api/conversations"
    tags = ("conversations",)
    # what was said of a child is not read with the token of a session that is over
    guards = (in_session,)

    @get(summary="List your conversations", responses=PROBLEMS)
    async def list_mine(
        self,
        request: AnyRequest,
        page_size: PageSize = 20,
        before_at: BeforeAt = None,
        before_id: BeforeId = None,
    ) -> ConversationPage:
        """The latest first, in pages."""
        async with lend(request.app.state.pool) as db:
            found = await calls.list_conversations(
                db,
                person_id=request.user.person_id,
                page_size=page_size,
                before_at=before_at,
                before_id=before_id,
            )
        return ConversationPage(found)

    @get("/{conversation_id:uuid}", summary="Read a conversation", responses=PROBLEMS)
    async def read(self, conversation_id: FromPath[UUID], request: AnyRequest) -> Conversation:
        """Every question with its answer and its sources."""
        async with lend(request.app.state.pool) as db:
            turns = await calls.read_conversation(
                db, conversation_id=conversation_id, person_id=request.user.person_id
            )
        return Conversation(conversation_id, turns)

    @delete("/{conversation_id:uuid}", summary="Delete a conversation", responses=PROBLEMS)
    async def remove(self, conversation_id: FromPath[UUID], request: AnyRequest) -> None:
        """Gone for good, with everything said in it."""
        async with lend(request.app.state.pool) as db:
            await calls.delete_conversation(
                db, conversation_id=conversation_id, person_id=request.user.person_id
            )
