"""Runs of the crawler over the small web of the tests."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg

from ingest import worker
from ingest.connect import connect
from ingest.crawl.sites import calls
from ingest.settings import Settings
from providers.protocols import Embedder
from tests.ingest.crawl.site_server import Web
from tests.ingest.library import KENT, visible


def prepare(url: str, *seeds: str, delay: float = 0, **facts: Any) -> int:
    """Kent's site, or another owner's, to be visited without delay."""
    named = facts if {"school_urn", "domain"} & facts.keys() else {"la_code": KENT, **facts}
    with connect(url) as db:
        return calls.set_site(db, seeds=seeds, delay=timedelta(seconds=delay), **named)


def start(url: str, **whose: Any) -> int:
    """Ask for a run."""
    with connect(url) as db:
        ((started),) = calls.start(db, **(whose or {"la_code": KENT}))
        return started.job_id


def work(url: str, embedder: Embedder, net: Web, **named: Any) -> int:
    """Let a worker do all that is ready."""
    return worker.run(url, embedder=embedder, once=True, fetcher=net.fetcher(), **named)


def work_until(
    url: str, embedder: Embedder, net: Web, is_over: Callable[[], bool], *, workers: int = 1
) -> None:
    """Let workers work, waiting for turns as they do, until this holds."""
    stop = threading.Event()
    crew = [
        threading.Thread(
            target=worker.run,
            args=(url,),
            kwargs={
                "embedder": embedder,
                "stop": stop,
                "fetcher": net.fetcher(),
                "settings": Settings(poll_seconds=0.2),
            },
        )
        for _ in range(workers)
    ]
    for one in crew:
        one.start()
    try:
        for _ in range(1200):
            if is_over():
                break
            stop.wait(0.05)
        else:
            raise AssertionError("it did not come about in a minute")
    finally:
        stop.set()
        for one in crew:
            one.join()


def report(url: str, job_id: int) -> calls.JobReport:
    """How a run stands."""
    with connect(url) as db:
        ((told),) = calls.reports(db, job_ids=[job_id])
        return told


def crawl(url: str, embedder: Embedder, net: Web, **whose: Any) -> calls.JobReport:
    """A run from beginning to end."""
    job_id = start(url, **whose)
    work(url, embedder, net)
    return report(url, job_id)


def outcomes(db: psycopg.Connection, job_id: int) -> dict[str, str | None]:
    """Path and outcome of each page of a run."""
    rows = db.execute(
        "select substring(url from '^[^/]+//[^/]+(/.*)$'), outcome from crawl.visit"
        " where job_id = %s and kind = 'page'",
        [job_id],
    ).fetchall()
    db.rollback()
    return dict(rows)


def sources(db: psycopg.Connection) -> list[str]:
    """Where what is found comes from, without host."""
    return ["/" + row["source"].split("/", 3)[3] for row in visible(db)]
