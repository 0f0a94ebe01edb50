"""`POST /api/chat`: a cited answer, whole as JSON or while it comes about as events."""

from litestar import Controller, Response, post
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import JSONBody

from app.access.guards import may_ask
from app.access.limiting import asks_limited
from app.chat import pipeline
from app.chat.asking import begin
from app.chat.desk import Desk
from app.chat.events import ChatAnswer
from app.chat.requests import ChatRequest
from app.chat.stream import EVENT_STREAM, EventStream, begun_events, unless_they_leave
from app.documenting import MAY_ASK
from app.errors import PROBLEMS, AnyRequest, keep_private


class ChatController(Controller):
    """Ask a question and get a cited answer."""

    path = "/api/chat"
    tags = ("questions",)
    guards = (may_ask, asks_limited)
    security = MAY_ASK

    @post(
        status_code=200,
        summary="Ask",
        responses={200: ResponseSpec(ChatAnswer, description="The whole answer.")} | PROBLEMS,
    )
    async def ask(self, data: JSONBody[ChatRequest], request: AnyRequest) -> Response[ChatAnswer]:
        """Answers from numbered sources, or says that they do not hold it.

        With `Accept: text/event-stream` the answer comes as events: `start`, `sources`, `token`
        (many), `done` with what the JSON answer holds; `discard` takes back the tokens so far, and
        `error` ends a stream that failed. docs/chat.md describes them.
        """
        keep_private(request, *data.private())
        desk = desk_of(request.app.state)
        begun = await begin(desk, data.ask(request.user))
        if _wants_events(request):
            return EventStream(
                await begun_events(request, lambda tell: pipeline.answer(desk, begun, tell))
            )
        said = await unless_they_leave(request, pipeline.answer(desk, begun, _untold))
        return Response(said, headers={"Cache-Control": "no-store"})


async def _untold(_: object) -> None:
    """A JSON answer is told at its end."""


def _wants_events(request: AnyRequest) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return EVENT_STREAM in accepted


def desk_of(state: State) -> Desk:
    """The desk that `create_app` and its start made."""
    desk: Desk = state.desk
    return desk
