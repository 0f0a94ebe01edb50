"""What may be sent to a chat."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from app.access.user import User
from app.chat.asking import Ask
from app.requests import AskRequest

ConversationId = Annotated[
    UUID, Meta(description="Go on with this conversation; without it a new one begins.")
]
ChildId = Annotated[UUID, Meta(description="The child of your profile that the question is about.")]


class ChatRequest(AskRequest, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A question, where it is asked from, and the conversation it belongs to."""

    conversation_id: ConversationId | None = None
    child_id: ChildId | None = None

    def ask(self, user: User | None) -> Ask:
        """The request as asked by this person; private documents are for who is signed in."""
        inquiry = self.inquiry()
        if user is not None:
            inquiry = replace(inquiry, principals=user.principals, viewer=user.viewer)
        return Ask(
            inquiry,
            conversation_id=self.conversation_id,
            person_id=user.person_id if user else None,
            child_id=self.child_id,
        )
