"""`POST /api/search` and `POST /api/search/explain`: the results, and why they are the results."""

from dataclasses import dataclass
from typing import Annotated

from litestar import Controller, post

from app import examples
from app.access.guards import may_ask
from app.access.limiting import asks_limited
from app.answering import Retrieval, find
from app.calls import Hit, Scope
from app.documenting import MAY_ASK, answer, body_with
from app.errors import PROBLEMS, AnyRequest, keep_private
from app.explaining import Explanation, explain
from app.requests import AskRequest, ExplainRequest


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

    path = "/api/search"
    tags = ("questions",)
    guards = (may_ask, asks_limited)
    security = MAY_ASK

    @post(
        status_code=200,
        summary="Search",
        responses={200: answer(SearchResponse, "What was found.", examples.SEARCH)} | PROBLEMS,
    )
    async def search(
        self, data: Annotated[AskRequest, body_with(examples.QUESTION)], request: AnyRequest
    ) -> SearchResponse:
        """The chunks that answer the question, from the asker's own area and national sources."""
        keep_private(request, *data.private())
        state = request.app.state
        found = await find(state.pool, state.embedders, data.inquiry(request.user))
        return SearchResponse(
            scope=found.scope,
            topics=found.topics,
            expansions=found.expansions,
            results=found.hits,
            retrieval=found.retrieval,
        )

    @post(
        "/explain",
        status_code=200,
        summary="Explain a search",
        responses={200: answer(Explanation, "Every step.", examples.EXPLANATION)} | PROBLEMS,
    )
    async def explain(
        self, data: Annotated[ExplainRequest, body_with(examples.EXPLAIN)], request: AnyRequest
    ) -> Explanation:
        """What every stage of the very search looked at and why each chunk went on or not; with
        `chunk_id` also why that chunk is not in the answer. Tells of nothing out of scope.
        """
        keep_private(request, *data.private())
        state = request.app.state
        return await explain(
            state.pool, state.embedders, data.inquiry(request.user), chunk_id=data.chunk_id
        )
