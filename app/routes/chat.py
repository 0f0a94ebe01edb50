"""`POST /chat`: an answer made of quoted passages, each with its source."""

from dataclasses import dataclass

from litestar import Controller, post
from litestar.params import JSONBody

from app.answering import CitedSource, Retrieval, find, reply
from app.calls import Scope
from app.errors import PROBLEMS, AnyRequest, keep_private
from app.requests import AskRequest


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """The answer, the sources its `[n]` marks point at, and how it came about."""

    answer: str
    found: bool
    citations: list[int]
    answered_by: str
    sources: list[CitedSource]
    scope: Scope
    topics: list[str]
    retrieval: Retrieval


class ChatController(Controller):
    """Ask a question and get a cited answer."""

    path = "/chat"
    tags = ("questions",)

    @post(status_code=200, summary="Ask", responses=PROBLEMS)
    async def ask(self, data: JSONBody[AskRequest], request: AnyRequest) -> ChatResponse:
        """Quotes the passages that answer the question; says so when there is none."""
        keep_private(request, *data.private())
        state = request.app.state
        found = await find(state.pool, state.embedders, data.inquiry())
        said = await reply(found, state.embedders, question=data.question)
        return ChatResponse(
            answer=said.answer,
            found=said.found,
            citations=said.citations,
            answered_by=said.answered_by,
            sources=said.sources,
            scope=found.scope,
            topics=found.topics,
            retrieval=found.retrieval,
        )
