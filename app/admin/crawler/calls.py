"""Every statement of the crawler's routes."""

from datetime import datetime

from app.admin.calls import Shown, shown_rows
from app.calls import Connection, one_row


class Run(Shown, frozen=True, kw_only=True):
    """A run that was asked for; `isNew` is false when the site's run was open already."""

    job_id: int
    site_id: int
    site: str
    is_new: bool


class RunReport(Shown, frozen=True, kw_only=True):
    """How far a run is: pages by what became of them, and what it may still use up.

    `state` is pending, running, paused, done, cancelled or stopped; `waiting` pages are still to
    be seen; `lost` of the `known` pages were not there; `retired` documents left the search.
    """

    job_id: int
    site_id: int
    site: str
    la_code: str | None
    school_urn: str | None
    domain: str | None
    state: str
    reason: str | None
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    requests: int
    max_pages: int
    bytes: int
    parsed: int
    found: int
    waiting: int
    new: int
    changed: int
    unchanged: int
    duplicate: int
    moved: int
    gone: int
    blocked: int
    failed: int
    skipped: int
    known: int
    lost: int
    retired: int
    current_url: str | None


class Remark(Shown, frozen=True, kw_only=True):
    """A page that changed or was not read, and why."""

    url: str
    outcome: str
    reason: str | None


class Site(Shown, frozen=True, kw_only=True):
    """A site that is visited, what is known of it, and its last run."""

    site_id: int
    name: str
    la_code: str | None
    school_urn: str | None
    domain: str | None
    schedule: str | None
    next_run_at: datetime | None
    paused: bool
    pages: int
    documents: int
    archived: int
    blocked: int
    failing: int
    last_job: int | None
    last_state: str | None
    last_reason: str | None
    last_active: datetime | None


async def start(
    db: Connection,
    *,
    requested_by: str,
    la_code: str | None = None,
    school_urn: str | None = None,
    domain: str | None = None,
    schools: bool = False,
    everything: bool = False,
) -> list[Run]:
    """Ask for runs. Raises WC002 where there is nothing to visit, PL001, PL002, PL003."""
    return await shown_rows(
        db,
        Run,
        "select job_id, site_id, site, is_new from crawl.start(la_code => $1::text,"
        " school_urn => $2::text, domain => $3::text, schools => $4::boolean,"
        " everything => $5::boolean, requested_by => $6::text)",
        la_code,
        school_urn,
        domain,
        schools,
        everything,
        requested_by,
    )


async def sites(db: Connection, *, after: int | None, page_size: int) -> list[Site]:
    """A page of the sites, in the order in which they were added."""
    return await shown_rows(
        db,
        Site,
        "select site_id, name, la_code, school_urn, domain, schedule, next_run_at, paused, pages,"
        " documents, archived, blocked, failing, last_job, last_state, last_reason, last_active"
        " from crawl.site_overview where site_id > coalesce($1::bigint, 0)"
        " order by site_id limit $2::integer",
        after,
        page_size,
    )


async def find_run(db: Connection, *, job_id: int) -> RunReport | None:
    """One run, None when there is none of that number."""
    found = await shown_rows(
        db,
        RunReport,
        "select job_id, site_id, site, la_code, school_urn, domain, state, reason, requested_by,"
        " created_at, started_at, finished_at, requests, max_pages, bytes, parsed, found, waiting,"
        " new, changed, unchanged, duplicate, moved, gone, blocked, failed, skipped, known, lost,"
        " retired, current_url from crawl.job_report where job_id = $1::bigint",
        job_id,
    )
    return found[0] if found else None


async def remarks(db: Connection, *, job_id: int, at_most: int) -> list[Remark]:
    """The pages of a run that changed or were not read."""
    return await shown_rows(
        db,
        Remark,
        "select url, outcome, reason from crawl.visit where job_id = $1::bigint"
        " and outcome not in ('unchanged', 'read', 'duplicate')"
        " order by outcome, visit_id limit $2::integer",
        job_id,
        at_most,
    )


async def pause(db: Connection, *, job_id: int) -> None:
    """Let a run rest. Raises WC001, WC004."""
    await one_row(db, "select crawl.pause_job(job_id => $1::bigint)", job_id)


async def resume(db: Connection, *, job_id: int, accept_loss: bool) -> None:
    """Go on with it. Raises WC001, WC004."""
    await one_row(
        db,
        "select crawl.resume_job(job_id => $1::bigint, accept_loss => $2::boolean)",
        job_id,
        accept_loss,
    )


async def cancel(db: Connection, *, job_id: int) -> None:
    """End it where it is. Raises WC001, WC004."""
    await one_row(db, "select crawl.cancel_job(job_id => $1::bigint)", job_id)
