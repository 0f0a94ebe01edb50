"""Every statement of a run's worker: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from ingest.rows import scalar

NoText = Literal["withdrawn", "empty", "needs_post"]


@dataclass(frozen=True, slots=True)
class JobSite:
    """What a worker must know of the site a run visits."""

    seeds: list[str]
    prefixes: list[str]
    is_school: bool
    national: list[str]
    policies: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next for a run; which fields are set goes by the action."""

    action: str
    visit_id: int | None
    url: str | None
    host: str | None
    depth: int | None
    wanted: bool | None
    etag: str | None
    last_modified: str | None
    robots: str | None
    failures: int | None
    missing_text: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """A visit that is under way, and the claim it is made under."""

    task_id: int
    lease_token: UUID
    visit_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a page answered; no hash where the site said that it did not change."""

    size: int
    etag: str | None
    last_modified: str | None
    body_hash: bytes | None
    extractor: str


@dataclass(frozen=True, slots=True)
class FoundLink:
    """An address a page or sitemap leads to."""

    url: str
    wanted: bool
    blocked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """The text of a page, None where it was read for its links alone, and where it leads.

    `no_text` says why a page that was to be kept has no text, or that it is navigation alone.
    """

    title: str
    body: str | None
    file_type: str
    metadata: Mapping[str, Any]
    canonical: str | None
    links: Sequence[FoundLink]
    no_text: NoText | None = None


def take_turn(db: psycopg.Connection, *, url: str, most: timedelta) -> timedelta:
    """Reserve the next request to the host of an address; how long to wait before it.

    A wait that is longer than `most` is told, and nothing is reserved.
    """
    wait = scalar(
        db, "select crawl.take_turn(url => %(url)s, most => %(most)s)", url=url, most=most
    )
    return wait if isinstance(wait, timedelta) else timedelta(0)


def job_site(db: psycopg.Connection, *, job_id: int) -> JobSite | None:
    """The site a run visits; None when the run is gone."""
    with db.cursor(row_factory=class_row(JobSite)) as cursor:
        return cursor.execute(
            "select s.seeds, s.prefixes, s.school_urn is not null as is_school,"
            # a national site's own pages are inside
            " array(select d.domain from corpus.domain as d where s.domain is null) as national,"
            " array(select to_jsonb(p) from crawl.policy_page as p"
            " where s.school_urn is not null order by p.pack, p.slug) as policies"
            " from crawl.job as j join crawl.site as s using (site_id)"
            " where j.job_id = %(job_id)s",
            {"job_id": job_id},
        ).fetchone()


def next_step(
    db: psycopg.Connection, *, job_id: int, task_id: int, lease_token: UUID, extractor: str
) -> Step | None:
    """What to do now; None when somebody else holds the task by now."""
    with db.cursor(row_factory=class_row(Step)) as cursor:
        return cursor.execute(
            "select action, visit_id, url, host, depth, wanted, etag, last_modified,"
            " robots, failures, missing_text"
            " from crawl.next_step(job_id => %(job_id)s, task_id => %(task_id)s,"
            " lease_token => %(lease_token)s, extractor => %(extractor)s)",
            {
                "job_id": job_id,
                "task_id": task_id,
                "lease_token": lease_token,
                "extractor": extractor,
            },
        ).fetchone()


def record_robots(
    db: psycopg.Connection,
    *,
    job_id: int,
    task_id: int,
    lease_token: UUID,
    host: str,
    status: int | None,
    robots: str | None,
    delay: timedelta | None = None,
    sitemaps: Sequence[str] = (),
    wait: timedelta | None = None,
    probe: str | None = None,
) -> bool:
    """Keep what a host's robots.txt says, None that it could not be read."""
    return bool(
        scalar(
            db,
            "select crawl.record_robots(job_id => %(job_id)s, task_id => %(task_id)s,"
            " lease_token => %(lease_token)s, host => %(host)s, status => %(status)s,"
            " robots => %(robots)s, delay => %(delay)s, sitemaps => %(sitemaps)s,"
            " wait => %(wait)s, probe => %(probe)s)",
            job_id=job_id,
            task_id=task_id,
            lease_token=lease_token,
            host=host,
            status=status,
            robots=robots,
            delay=delay,
            sitemaps=list(sitemaps),
            wait=wait,
            probe=probe,
        )
    )


def record_bytes(db: psycopg.Connection, turn: Turn, answer: Answer) -> str | None:
    """Be done with a page if its answer tells that it is as it was: unchanged, else read."""
    return _outcome(
        db,
        "select crawl.record_bytes(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, size => %(size)s, etag => %(etag)s,"
        " last_modified => %(last_modified)s, body_hash => %(body_hash)s,"
        " extractor => %(extractor)s)",
        turn,
        **_parts(answer),
    )


def record_page(db: psycopg.Connection, turn: Turn, answer: Answer, page: ReadPage) -> str | None:
    """Stage the text of a page if it is news, and follow its links; the outcome."""
    return _outcome(
        db,
        "select crawl.record_page(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, size => %(size)s, etag => %(etag)s,"
        " last_modified => %(last_modified)s, body_hash => %(body_hash)s,"
        " extractor => %(extractor)s, title => %(title)s, body => %(body)s,"
        " file_type => %(file_type)s, metadata => %(metadata)s, canonical => %(canonical)s,"
        " links => %(links)s, no_text => %(no_text)s)",
        turn,
        **_parts(answer),
        title=page.title,
        body=page.body,
        file_type=page.file_type,
        metadata=Jsonb(dict(page.metadata)),
        canonical=page.canonical,
        links=_links(page.links),
        no_text=page.no_text,
    )


def record_moved(db: psycopg.Connection, turn: Turn, *, target: str, is_inside: bool) -> str | None:
    """An address leads to another, which is or is not of the site."""
    return _outcome(
        db,
        "select crawl.record_moved(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, target => %(target)s, is_inside => %(is_inside)s)",
        turn,
        target=target,
        is_inside=is_inside,
    )


def record_missing(
    db: psycopg.Connection, turn: Turn, *, for_good: bool, reason: str
) -> str | None:
    """There is no such page."""
    return _outcome(
        db,
        "select crawl.record_missing(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, for_good => %(for_good)s, reason => %(reason)s)",
        turn,
        for_good=for_good,
        reason=reason,
    )


def record_blocked(db: psycopg.Connection, turn: Turn) -> str | None:
    """robots.txt forbids it; it was not asked for."""
    return _outcome(
        db,
        "select crawl.record_blocked(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s)",
        turn,
    )


def record_failed(
    db: psycopg.Connection,
    turn: Turn,
    *,
    reason: str,
    may_pass: bool = False,
    wait: timedelta | None = None,
    etag: str | None = None,
    last_modified: str | None = None,
    size: int = 0,
) -> str | None:
    """It could not be read; tried again in this run where that may help."""
    return _outcome(
        db,
        "select crawl.record_failed(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, reason => %(reason)s, may_pass => %(may_pass)s,"
        " wait => %(wait)s, etag => %(etag)s, last_modified => %(last_modified)s,"
        " size => %(size)s)",
        turn,
        reason=reason,
        may_pass=may_pass,
        wait=wait,
        etag=etag,
        last_modified=last_modified,
        size=size,
    )


def record_sitemap(
    db: psycopg.Connection,
    turn: Turn,
    *,
    size: int,
    links: Sequence[FoundLink],
    sitemaps: Sequence[str],
) -> str | None:
    """What a sitemap lists joins the frontier."""
    return _outcome(
        db,
        "select crawl.record_sitemap(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, size => %(size)s, links => %(links)s,"
        " sitemaps => %(sitemaps)s)",
        turn,
        size=size,
        links=_links(links),
        sitemaps=list(sitemaps),
    )


def record_probe(
    db: psycopg.Connection, turn: Turn, *, was_answered: bool, missing_text: str | None, size: int
) -> str | None:
    """What the host says of an address that does not exist is known."""
    return _outcome(
        db,
        "select crawl.record_probe(task_id => %(task_id)s, lease_token => %(lease_token)s,"
        " visit_id => %(visit_id)s, was_answered => %(was_answered)s,"
        " missing_text => %(missing_text)s, size => %(size)s)",
        turn,
        was_answered=was_answered,
        missing_text=missing_text,
        size=size,
    )


def _parts(answer: Answer) -> dict[str, object]:
    return {
        "size": answer.size,
        "etag": answer.etag,
        "last_modified": answer.last_modified,
        "body_hash": answer.body_hash,
        "extractor": answer.extractor,
    }


def _links(links: Sequence[FoundLink]) -> Jsonb:
    return Jsonb(
        [{"url": link.url, "wanted": link.wanted, "blocked": link.blocked} for link in links]
    )


def _outcome(
    db: psycopg.Connection, statement: LiteralString, turn: Turn, **values: object
) -> str | None:
    outcome = scalar(
        db,
        statement,
        task_id=turn.task_id,
        lease_token=turn.lease_token,
        visit_id=turn.visit_id,
        **values,
    )
    return None if outcome is None else str(outcome)
