"""What is in the knowledge base, and what curators decide about it."""

from typing import Annotated, Literal

import msgspec
from litestar import Controller, get, patch, post
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta

from app.access.guards import curators
from app.admin import calls
from app.admin.acting import acting
from app.admin.cursors import Page, PageSize, keys_of, next_page
from app.admin.fields import ADMIN_PROBLEMS, DocumentId, Key, Reason, Tag, text
from app.admin.uploads import BASE
from app.errors import AnyRequest, RefusedError, Trouble

State = Literal["pending", "approved", "rejected", "flagged", "superseded", "staged"]
Choice = Literal["pending", "approved", "rejected", "flagged"]


class Documents(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of documents; without `nextPage` it is the last."""

    documents: list[calls.Document]
    next_page: str | None


class Passages(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of passages; without `nextPage` it is the last."""

    chunks: list[calls.Passage]
    next_page: str | None


class History(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of a document, oldest first."""

    history: list[calls.Happening]


class Validate(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A decision."""

    status: Choice
    reason: Reason | None = None


class BulkValidate(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A decision on up to 50 documents, each for itself."""

    document_ids: Annotated[list[Key], Meta(min_length=1, max_length=50)]
    status: Choice
    reason: Reason | None = None


class Decisions(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the decision came to, for each document."""

    outcomes: list[calls.Decision]


class Supersede(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """The document that took over."""

    successor_id: Key
    reason: Reason | None = None


class Superseded(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The version that is superseded."""

    document_id: int
    version_id: int
    successor_id: int


class Undo(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Which superseded version is published again: by its number, else the last."""

    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    reason: Reason | None = None


class DocumentController(Controller):
    """Look through the knowledge base and decide."""

    path = BASE
    tags = ("knowledge base",)
    guards = (curators,)

    @get(summary="Documents, newest first", responses=ADMIN_PROBLEMS)
    async def documents(
        self,
        request: AnyRequest,
        validation_status: Annotated[
            State | None,
            QueryParameter(name="validationStatus", description="A passage of it is so."),
        ] = None,
        la_code: Annotated[
            str | None, text("laCode", "Documents of this authority.", most=20)
        ] = None,
        tags: Annotated[
            list[Tag] | None,
            QueryParameter(max_items=50, description="Any of them counts; repeat the parameter."),
        ] = None,
        min_quality: Annotated[
            int | None, QueryParameter(name="minQuality", ge=0, le=100, description="Mean quality.")
        ] = None,
        q: Annotated[str | None, text("q", "A part of the title.")] = None,
        page: Page = None,
        page_size: PageSize = 20,
    ) -> Documents:
        """Filters narrow together. `nextPage` goes on after the last one shown, whatever came in
        meanwhile.
        """
        filters = (validation_status, la_code, sorted(tags or ()), min_quality, q)
        (before,) = keys_of(page, [int], "documents", *filters)
        async with acting(request) as db:
            found = await calls.list_documents(
                db,
                status=validation_status,
                la=la_code,
                tags=tags or (),
                min_quality=min_quality,
                title=q,
                before=before,
                page_size=page_size,
            )
        more = len(found) == page_size
        return Documents(
            documents=found,
            next_page=next_page([found[-1].document_id], "documents", *filters) if more else None,
        )

    @get("/{document_id:int}/chunks", summary="Passages of a document", responses=ADMIN_PROBLEMS)
    async def chunks(
        self,
        request: AnyRequest,
        document_id: DocumentId,
        version: Annotated[
            int | None,
            QueryParameter(ge=1, le=2**31 - 1, description="Number of an earlier version."),
        ] = None,
        page: Page = None,
        page_size: PageSize = 20,
    ) -> Passages:
        """In their order; by default of the published version."""
        (after,) = keys_of(page, [int], "chunks", document_id, version)
        async with acting(request) as db:
            found = await calls.list_passages(
                db,
                document_id=document_id,
                version=version,
                # an index is a 32-bit number
                after_index=-1 if after is None else min(after, 2**31 - 1),
                page_size=page_size,
            )
        more = len(found) == page_size
        return Passages(
            chunks=found,
            next_page=next_page([found[-1].chunk_index], "chunks", document_id, version)
            if more
            else None,
        )

    @get("/{document_id:int}/history", summary="What became of it", responses=ADMIN_PROBLEMS)
    async def history(self, request: AnyRequest, document_id: DocumentId) -> History:
        """Its versions and every decision, with who and why."""
        async with acting(request) as db:
            return History(history=await calls.document_history(db, document_id=document_id))

    @patch("/{document_id:int}/validate", summary="Decide on a document", responses=ADMIN_PROBLEMS)
    async def validate(
        self, request: AnyRequest, document_id: DocumentId, data: JSONBody[Validate]
    ) -> calls.Decision:
        """Approving is for passages nobody has decided on; any other decision moves all that may
        go. 409 when none may.
        """
        async with acting(request, reason=data.reason) as db:
            (decision,) = await calls.decide_documents(
                db, document_ids=[document_id], status=data.status
            )
        if decision.outcome in {"changed", "unchanged"}:
            return decision
        status, code = (404, "KB022") if decision.outcome == "unknown" else (409, "KB013")
        raise RefusedError(Trouble(status, code, decision.explanation or "this cannot be decided"))

    @post(
        "/bulk-validate",
        summary="Decide on up to 50 documents",
        status_code=200,
        responses=ADMIN_PROBLEMS,
    )
    async def bulk_validate(self, request: AnyRequest, data: JSONBody[BulkValidate]) -> Decisions:
        """Each for itself: one that is unknown or refused stops no other."""
        async with acting(request, reason=data.reason) as db:
            outcomes = await calls.decide_documents(
                db, document_ids=data.document_ids, status=data.status
            )
        return Decisions(outcomes=outcomes)

    @post(
        "/{document_id:int}/supersede",
        summary="Another document took over",
        status_code=200,
        responses=ADMIN_PROBLEMS,
    )
    async def supersede(
        self, request: AnyRequest, document_id: DocumentId, data: JSONBody[Supersede]
    ) -> Superseded:
        """For what titles do not tell; undoing takes it back."""
        async with acting(request, reason=data.reason) as db:
            version_id = await calls.supersede(
                db, document_id=document_id, successor_id=data.successor_id
            )
        return Superseded(
            document_id=document_id, version_id=version_id, successor_id=data.successor_id
        )

    @post(
        "/{document_id:int}/undo-supersession",
        summary="Publish a superseded version again",
        status_code=200,
        responses=ADMIN_PROBLEMS,
    )
    async def undo(
        self, request: AnyRequest, document_id: DocumentId, data: JSONBody[Undo]
    ) -> calls.Undone:
        """Its passages are as they were before."""
        async with acting(request, reason=data.reason) as db:
            return await calls.undo_supersession(db, document_id=document_id, version=data.version)
