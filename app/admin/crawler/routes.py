"""Have web sites visited, and see what came of it: for curators and admins."""

from typing import Annotated, TypeAlias

import msgspec
from litestar import Controller, get, post
from litestar.exceptions import NotFoundException
from litestar.params import JSONBody, PathParameter, QueryParameter

from app.access.guards import curators
from app.access.user import User
from app.admin.acting import acting
from app.admin.crawler import calls
from app.admin.cursors import Page, PageSize, keys_of, next_page
from app.admin.fields import ADMIN_PROBLEMS
from app.admin.words import for_people
from app.errors import AnyRequest

_BIGGEST = 2**63 - 1
_MOST_REMARKS = 200

JobId: TypeAlias = Annotated[int, PathParameter(ge=1, le=_BIGGEST, description="The run.")]
LaCode: TypeAlias = Annotated[
    str,
    PathParameter(
        max_length=20, pattern=r"^[^\x00]*$", description="The authority: GSS or DfE code."
    ),
]
Urn: TypeAlias = Annotated[
    str, PathParameter(max_length=20, pattern=r"^[^\x00]*$", description="The school.")
]
Domain: TypeAlias = Annotated[
    str,
    PathParameter(
        max_length=253, pattern=r"^[^\x00]*$", description="A national domain, as the pack has it."
    ),
]


class RunsAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Workers visit the sites; `GET /api/admin/crawler/jobs/{jobId}` tells how far a run is."""

    runs: list[calls.Run]


class RunDetail(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A run, and the first pages of it that changed or were not read."""

    run: calls.RunReport
    pages: list[calls.Remark]


class Sites(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of the sites; without `nextPage` it is the last."""

    sites: list[calls.Site]
    next_page: str | None


class Resume(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """`acceptLoss` says that the pages which were missing are really gone."""

    accept_loss: bool = False


class CrawlerController(Controller):
    """Visits to web sites."""

    path = "/api/admin/crawler"
    tags = ("crawler",)
    guards = (curators,)

    @post("/trigger-all", summary="Visit every site", status_code=202, responses=ADMIN_PROBLEMS)
    async def trigger_all(self, request: AnyRequest) -> RunsAccepted:
        """Sites that are set up, every authority's home page, national domains once each."""
        return await _start(request, everything=True)

    @post("/la/{la_code:str}/trigger", summary="Visit an authority", status_code=202,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def trigger_authority(
        self,
        request: AnyRequest,
        la_code: LaCode,
        schools: Annotated[
            bool, QueryParameter(description="Its schools instead of its own site.")
        ] = False,
    ) -> RunsAccepted:
        """A site that is being visited gets no second run."""
        return await _start(request, la_code=la_code, schools=schools)

    @post("/school/{urn:str}/trigger", summary="Visit a school", status_code=202,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def trigger_school(self, request: AnyRequest, urn: Urn) -> RunsAccepted:
        """Its policies, from the home page of the register unless its site is set up otherwise."""
        return await _start(request, school_urn=urn)

    @post("/domain/{domain:str}/trigger", summary="Visit a national domain", status_code=202,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def trigger_domain(self, request: AnyRequest, domain: Domain) -> RunsAccepted:
        """What it says holds everywhere."""
        return await _start(request, domain=domain)

    @get("/sites", summary="Sites and their last runs", responses=ADMIN_PROBLEMS)
    async def sites(
        self, request: AnyRequest, page: Page = None, page_size: PageSize = 50
    ) -> Sites:
        """In the order in which they were added."""
        (after,) = keys_of(page, [int], "sites")
        async with acting(request) as db:
            found = await calls.sites(db, after=after, page_size=page_size)
        more = len(found) == page_size
        return Sites(
            sites=found, next_page=next_page([found[-1].site_id], "sites") if more else None
        )

    @get("/jobs/{job_id:int}", summary="How far a run is", responses=ADMIN_PROBLEMS)
    async def run(self, request: AnyRequest, job_id: JobId) -> RunDetail:
        """And why pages were not read."""
        return await _detail(request, job_id)

    @post("/jobs/{job_id:int}/pause", summary="Let a run rest", status_code=200,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def pause(self, request: AnyRequest, job_id: JobId) -> RunDetail:
        """The page it is at is finished."""
        async with acting(request) as db:
            await calls.pause(db, job_id=job_id)
        return await _detail(request, job_id)

    @post("/jobs/{job_id:int}/resume", summary="Go on with a run", status_code=200,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def resume(self, request: AnyRequest, job_id: JobId, data: JSONBody[Resume]) -> RunDetail:
        """Where it was; no page that is done is fetched again."""
        async with acting(request) as db:
            await calls.resume(db, job_id=job_id, accept_loss=data.accept_loss)
        return await _detail(request, job_id)

    @post("/jobs/{job_id:int}/cancel", summary="End a run where it is", status_code=200,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def cancel(self, request: AnyRequest, job_id: JobId) -> RunDetail:
        """Pages it has not seen stay as they were."""
        async with acting(request) as db:
            await calls.cancel(db, job_id=job_id)
        return await _detail(request, job_id)


async def _start(
    request: AnyRequest,
    *,
    la_code: str | None = None,
    school_urn: str | None = None,
    domain: str | None = None,
    schools: bool = False,
    everything: bool = False,
) -> RunsAccepted:
    user: User = request.user
    async with acting(request) as db:
        runs = await calls.start(
            db,
            requested_by=user.principals[0],
            la_code=la_code,
            school_urn=school_urn,
            domain=domain,
            schools=schools,
            everything=everything,
        )
    return RunsAccepted(runs=runs)


async def _detail(request: AnyRequest, job_id: int) -> RunDetail:
    async with acting(request) as db:
        found = await calls.find_run(db, job_id=job_id)
        pages = await calls.remarks(db, job_id=job_id, at_most=_MOST_REMARKS)
    if found is None:
        raise NotFoundException
    return RunDetail(
        run=msgspec.structs.replace(found, reason=for_people(found.reason)),
        pages=[msgspec.structs.replace(page, reason=for_people(page.reason)) for page in pages],
    )
