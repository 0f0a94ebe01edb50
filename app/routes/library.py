"""`GET /api/citations/{chunk_id}` and `GET /api/documents/{document_id}`: what was cited."""

from typing import Annotated

from litestar import Controller, get
from litestar.exceptions import NotFoundException
from litestar.params import PathParameter, QueryParameter

from app import examples
from app.access.guards import may_ask
from app.access.limiting import reads_limited
from app.access.user import User
from app.documenting import MAY_ASK, answer
from app.errors import AnyRequest, problems
from app.library import calls
from app.library.calls import Citation, Document, Whose
from app.pool import lend

Id = Annotated[
    int, PathParameter(ge=1, le=2**63 - 1, description="As a search or an answer gave it.")
]
Place = Annotated[str | None, QueryParameter(max_length=20, description="As in the search.")]
Everywhere = Annotated[
    bool,
    QueryParameter(description="The search's `no_la_broad_fallback_used`; only without a place."),
]

_REFUSALS = problems(400, 401, 404, 422, 429, 503)


class LibraryController(Controller):
    """Passages and documents that were cited."""

    path = "/api"
    tags = ("documents",)
    guards = (may_ask, reads_limited)
    security = MAY_ASK

    @get(
        "/citations/{chunk_id:int}",
        summary="A cited passage",
        responses={200: answer(Citation, "The passage.", examples.CITATION)} | _REFUSALS,
    )
    async def citation(
        self,
        request: AnyRequest,
        chunk_id: Id,
        la: Place = None,
        home_la: Place = None,
        urn: Place = None,
        everywhere: Everywhere = False,
    ) -> Citation:
        """The passage word for word as it was cited, the days it was in force and what took over
        since. Unknown, hidden and out of scope are one answer: 404.
        """
        async with lend(request.app.state.pool) as db:
            found = await calls.resolve_citation(
                db,
                chunk_id=chunk_id,
                whose=_whose(request.user, la=la, home_la=home_la, urn=urn, everywhere=everywhere),
            )
        if found is None:
            raise NotFoundException
        return found

    @get(
        "/documents/{document_id:int}",
        summary="A document as it stands now",
        responses={200: answer(Document, "The document.", examples.DOCUMENT)} | _REFUSALS,
    )
    async def document(
        self,
        request: AnyRequest,
        document_id: Id,
        la: Place = None,
        home_la: Place = None,
        urn: Place = None,
        everywhere: Everywhere = False,
        after_index: Annotated[
            int,
            QueryParameter(
                ge=-1, le=2**31 - 1, description="The last `chunk_index` of the page before."
            ),
        ] = -1,
        page_size: Annotated[
            int, QueryParameter(ge=1, le=500, description="How many passages at most.")
        ] = 100,
    ) -> Document:
        """Its published version: facts, and its passages in their order, a page at a time.
        Unknown, hidden and out of scope are one answer: 404.
        """
        async with lend(request.app.state.pool) as db:
            found = await calls.read_document(
                db,
                document_id=document_id,
                whose=_whose(request.user, la=la, home_la=home_la, urn=urn, everywhere=everywhere),
                after_index=after_index,
                page_size=page_size,
            )
        if found is None:
            raise NotFoundException
        return found


def _whose(
    user: User | None, *, la: str | None, home_la: str | None, urn: str | None, everywhere: bool
) -> Whose:
    return Whose(
        la=la,
        home_la=home_la,
        urn=urn,
        principals=user.principals if user is not None else None,
        everywhere=everywhere,
    )
