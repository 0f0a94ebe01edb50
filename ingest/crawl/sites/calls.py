"""Every statement about sites and their runs: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from ingest.rows import scalar


@dataclass(frozen=True, slots=True)
class Started:
    """A run over a site; not new where one was open already."""

    job_id: int
    site_id: int
    site: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class JobReport:
    """How far a run is and what it found, in pages."""

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


@dataclass(frozen=True, slots=True)
class Remark:
    """A page of a run that asks for attention, and why."""

    url: str
    outcome: str
    reason: str | None


_REPORTS: LiteralString = (
    "select job_id, site_id, site, la_code, school_urn, domain, state, reason, requested_by,"
    " created_at, started_at, finished_at, requests, max_pages, bytes, parsed, found, waiting,"
    " new, changed, unchanged, duplicate, moved, gone, blocked, failed, skipped, known, lost,"
    " retired, current_url from crawl.job_report where job_id = any(%(job_ids)s)"
    " order by finished_at is null, job_id"
)


def start(
    db: psycopg.Connection,
    *,
    la_code: str | None = None,
    school_urn: str | None = None,
    domain: str | None = None,
    schools: bool = False,
    everything: bool = False,
) -> list[Started]:
    """Ask for runs; one for each site. Raises WC002, PL001, PL002."""
    with db.cursor(row_factory=class_row(Started)) as cursor:
        return cursor.execute(
            "select job_id, site_id, site, is_new from crawl.start(la_code => %(la_code)s,"
            " school_urn => %(school_urn)s, domain => %(domain)s, schools => %(schools)s,"
            " everything => %(everything)s)",
            {
                "la_code": la_code,
                "school_urn": school_urn,
                "domain": domain,
                "schools": schools,
                "everything": everything,
            },
        ).fetchall()


def reports(db: psycopg.Connection, *, job_ids: Sequence[int]) -> list[JobReport]:
    """How far these runs are."""
    with db.cursor(row_factory=class_row(JobReport)) as cursor:
        return cursor.execute(_REPORTS, {"job_ids": list(job_ids)}).fetchall()


def last_jobs(db: psycopg.Connection) -> list[int]:
    """The last run of each site."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(
            "select last_job from crawl.site_overview where last_job is not null"
        ).fetchall()


def remarks(db: psycopg.Connection, *, job_id: int, at_most: int = 1000) -> list[Remark]:
    """The pages of a run that changed or were not read, and why."""
    with db.cursor(row_factory=class_row(Remark)) as cursor:
        return cursor.execute(
            "select v.url, v.outcome, v.reason from crawl.visit as v"
            " where v.job_id = %(job_id)s and v.outcome not in ('unchanged', 'read', 'duplicate')"
            " order by v.outcome, v.visit_id limit %(at_most)s",
            {"job_id": job_id, "at_most": at_most},
        ).fetchall()


def set_site(
    db: psycopg.Connection,
    *,
    la_code: str | None = None,
    school_urn: str | None = None,
    domain: str | None = None,
    seeds: Sequence[str] | None = None,
    prefixes: Sequence[str] | None = None,
    schedule: str | None = None,
    max_depth: int | None = None,
    max_pages: int | None = None,
    delay: timedelta | None = None,
    paused: bool | None = None,
) -> int:
    """Add a site or change what is given of it; its key. Raises WC002, WC003."""
    found = scalar(
        db,
        "select crawl.set_site(la_code => %(la_code)s, school_urn => %(school_urn)s,"
        " domain => %(domain)s, seeds => %(seeds)s, prefixes => %(prefixes)s,"
        " schedule => %(schedule)s, max_depth => %(max_depth)s, max_pages => %(max_pages)s,"
        " delay => %(delay)s, paused => %(paused)s)",
        la_code=la_code,
        school_urn=school_urn,
        domain=domain,
        seeds=None if seeds is None else list(seeds),
        prefixes=None if prefixes is None else list(prefixes),
        schedule=schedule,
        max_depth=max_depth,
        max_pages=max_pages,
        delay=delay,
        paused=paused,
    )
    return int(str(found))


def pause_job(db: psycopg.Connection, *, job_id: int) -> None:
    """Let a run rest. Raises WC001, WC004."""
    db.execute("select crawl.pause_job(job_id => %(job_id)s)", {"job_id": job_id})


def resume_job(db: psycopg.Connection, *, job_id: int, accept_loss: bool = False) -> None:
    """Go on with a run. Raises WC001, WC004."""
    db.execute(
        "select crawl.resume_job(job_id => %(job_id)s, accept_loss => %(accept_loss)s)",
        {"job_id": job_id, "accept_loss": accept_loss},
    )


def cancel_job(db: psycopg.Connection, *, job_id: int) -> None:
    """Call a run off. Raises WC001, WC004."""
    db.execute("select crawl.cancel_job(job_id => %(job_id)s)", {"job_id": job_id})


def start_due(db: psycopg.Connection) -> int:
    """Ask for runs over the sites whose schedule is due."""
    return int(str(scalar(db, "select crawl.start_due()")))


def purge_jobs(db: psycopg.Connection) -> int:
    """Remove runs that ended long ago."""
    return int(str(scalar(db, "select crawl.purge_jobs()")))


def load_policy_pages(
    db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]
) -> int:
    """Replace the kinds of policies of a pack; how many there are."""
    found = scalar(
        db,
        "select crawl.load_policy_pages(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=Jsonb([dict(row) for row in rows]),
    )
    return int(str(found))
