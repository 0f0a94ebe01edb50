"""`POST /search`: the results themselves."""

from dataclasses import dataclass

from litestar import Controller, post
from litestar.params import JSONBody

from app.answering import Retrieval, find
from app.calls import Hit, Scope
from app.errors import PROBLEMS, AnyRequest, keep_private
from app.requests import AskRequest


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """Where the search looked, what the question was about, and the results, best first."""

    scope: Scope
    topics: list[str]
    expansions: list[str]
    results: list[Hit]
    retrieval: Retrieval


class SearchController(Controller):
    """Search the knowledge base."""

    path = "/search"
    tags = ("questions",)

    @post(status_code=200, summary="Search", responses=PROBLEMS)
    async def search(self, data: JSONBody[AskRequest], request: AnyRequest) -> SearchResponse:
        """The chunks that answer the question, from the asker's own area and national sources."""
        keep_private(request, *data.private())
        state = request.app.state
        found = await find(state.pool, state.embedders, data.inquiry())
        return SearchResponse(
            scope=found.scope,
            topics=found.topics,
            expansions=found.expansions,
            results=found.hits,
            retrieval=found.retrieval,
        )
