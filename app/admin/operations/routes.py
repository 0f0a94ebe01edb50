"""Jobs, the audit log and the settings: for admins."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Controller, get, post
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter

from app.access.guards import admins
from app.admin.acting import acting
from app.admin.cursors import Page, PageSize, keys_of, next_page
from app.admin.fields import ADMIN_PROBLEMS, TaskId, text
from app.admin.operations import calls
from app.admin.words import for_people
from app.errors import AnyRequest
from app.masking import mask_secrets

JobState = Literal["ready", "waiting", "running", "dead", "cancelled"]


class Jobs(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of jobs; without `nextPage` it is the last."""

    jobs: list[calls.Job]
    next_page: str | None


class Events(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of the audit log; without `nextPage` it is the last."""

    events: list[calls.Event]
    next_page: str | None


class SettingsReport(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting of the searches, as this service uses them."""

    settings: list[calls.Setting]


class OperationsController(Controller):
    """Look after the work that waits, and what was done."""

    path = "/api/admin"
    tags = ("operations",)
    guards = (admins,)

    @get("/jobs", summary="Work that waits, runs or was given up", responses=ADMIN_PROBLEMS)
    async def jobs(
        self,
        request: AnyRequest,
        states: Annotated[
            list[JobState] | None,
            QueryParameter(
                name="state", max_items=5, description="Any of them counts; repeat the parameter."
            ),
        ] = None,
        kind: Annotated[str | None, text("kind", "What is to be done, e.g. read_upload.")] = None,
        page: Page = None,
        page_size: PageSize = 50,
    ) -> Jobs:
        """Newest first."""
        wanted = sorted(states or ())
        (before,) = keys_of(page, [int], "jobs", wanted, kind)
        async with acting(request) as db:
            found = await calls.list_jobs(
                db, states=wanted, kind=kind, before=before, page_size=page_size
            )
        more = len(found) == page_size
        return Jobs(
            jobs=[_shown(job) for job in found],
            next_page=next_page([found[-1].task_id], "jobs", wanted, kind) if more else None,
        )

    @get("/jobs/{task_id:int}", summary="One job", responses=ADMIN_PROBLEMS)
    async def job(self, request: AnyRequest, task_id: TaskId) -> calls.Job:
        """What it is of, how often it was tried, why it failed."""
        async with acting(request) as db:
            found = await calls.find_job(db, task_id=task_id)
        if found is None:
            raise NotFoundException
        return _shown(found)

    @post("/jobs/{task_id:int}/retry", summary="Do it again", status_code=200,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def retry(self, request: AnyRequest, task_id: TaskId) -> calls.Job:
        """What was given up, called off or waits is ready at once. 404 for what somebody holds."""
        async with acting(request) as db:
            done = await calls.retry_task(db, task_id=task_id)
            found = await calls.find_job(db, task_id=task_id)
        if not done or found is None:
            raise NotFoundException
        return _shown(found)

    @post("/jobs/{task_id:int}/cancel", summary="Call it off", status_code=200,
          responses=ADMIN_PROBLEMS)  # fmt: skip
    async def cancel(self, request: AnyRequest, task_id: TaskId) -> calls.Job:
        """Nobody starts it, and who is at it can no longer finish it; retrying brings it back."""
        async with acting(request) as db:
            done = await calls.cancel_task(db, task_id=task_id)
            found = await calls.find_job(db, task_id=task_id)
        if not done or found is None:
            raise NotFoundException
        return _shown(found)

    @get("/audit", summary="Who did what, when and why", responses=ADMIN_PROBLEMS)
    async def audit(
        self,
        request: AnyRequest,
        kind: Annotated[str | None, text("kind", "What was done.")] = None,
        subject: Annotated[str | None, text("subject", "To what, e.g. version 12.")] = None,
        actor: Annotated[str | None, text("actor", "By whom.")] = None,
        page: Page = None,
        page_size: PageSize = 50,
    ) -> Events:
        """Newest first."""
        (before,) = keys_of(page, [int], "audit", kind, subject, actor)
        async with acting(request) as db:
            found = await calls.list_events(
                db, kind=kind, subject=subject, actor=actor, before=before, page_size=page_size
            )
        more = len(found) == page_size
        return Events(
            events=found,
            next_page=next_page([found[-1].event_id], "audit", kind, subject, actor)
            if more
            else None,
        )

    @get("/settings", summary="The settings in force", responses=ADMIN_PROBLEMS)
    async def settings(self, request: AnyRequest) -> SettingsReport:
        """Keys and passwords are none of them; what looks like one is masked all the same."""
        async with acting(request) as db:
            found = await calls.settings(db)
        return SettingsReport(settings=[_masked(setting) for setting in found])


def _shown(job: calls.Job) -> calls.Job:
    return msgspec.structs.replace(job, last_error=for_people(job.last_error))


def _masked(setting: calls.Setting) -> calls.Setting:
    texts: dict[str, Any] = {
        name: mask_secrets(value)
        for name in ("value", "default_value")
        if (value := getattr(setting, name)) is not None
    }
    return msgspec.structs.replace(setting, **texts)
