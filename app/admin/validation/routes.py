"""Runs that judge what nobody has decided on, by what the database knows."""

from typing import Annotated, Literal

import msgspec
from litestar import Controller, get, post
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta

from app.access.guards import curators
from app.admin.acting import acting
from app.admin.cursors import Page, PageSize, keys_of, next_page
from app.admin.fields import ADMIN_PROBLEMS, Code, Key, Reason
from app.admin.uploads import BASE
from app.admin.validation import calls
from app.errors import AnyRequest


class AutoValidate(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Which documents, and from which confidence on they are approved; a dry run decides none."""

    dry_run: bool = False
    la_code: Code | None = None
    threshold: Annotated[float, Meta(ge=0, le=1, examples=[0.75])] = 0.75
    reason: Reason | None = None


class RunAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Workers judge, five batches of 50 documents at a time; `statusUrl` tells how far they are."""

    run_id: int
    status_url: str


class RunReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How far a run is, and a page of its verdicts, the least sure first."""

    run: calls.RunStatus
    verdicts: list[calls.Verdict]
    next_page: str | None


class ValidationController(Controller):
    """Have documents judged."""

    path = f"{BASE}/auto-validate"
    tags = ("knowledge base",)
    guards = (curators,)

    @post(summary="Judge what nobody has decided on", status_code=202, responses=ADMIN_PROBLEMS)
    async def start(self, request: AnyRequest, data: JSONBody[AutoValidate]) -> RunAccepted:
        """From the threshold on a document's undecided passages are approved, below it flagged."""
        async with acting(request, reason=data.reason) as db:
            run_id = await calls.start_run(
                db, dry_run=data.dry_run, la=data.la_code, threshold=data.threshold
            )
        return RunAccepted(run_id=run_id, status_url=f"{BASE}/auto-validate/status?runId={run_id}")

    @get("/status", summary="How far a run is", responses=ADMIN_PROBLEMS)
    async def status(
        self,
        request: AnyRequest,
        run_id: Annotated[
            Key | None, QueryParameter(name="runId", description="By default the last.")
        ] = None,
        verdict: Annotated[
            Literal["approve", "flag", "leave"] | None,
            QueryParameter(description="Only these verdicts."),
        ] = None,
        page: Page = None,
        page_size: PageSize = 50,
    ) -> RunReport:
        """Every verdict says what speaks for and against, part by part."""
        async with acting(request) as db:
            run = await calls.run_status(db, run_id=run_id)
            filters = ("verdicts", run.run_id, verdict)
            confidence, document = keys_of(page, [float, int], *filters)
            found = await calls.list_verdicts(
                db,
                run_id=run.run_id,
                verdict=verdict,
                after_confidence=confidence,
                after_document=document,
                page_size=page_size,
            )
        more = len(found) == page_size
        return RunReport(
            run=run,
            verdicts=found,
            next_page=next_page([found[-1].confidence, found[-1].document_id], *filters)
            if more
            else None,
        )
