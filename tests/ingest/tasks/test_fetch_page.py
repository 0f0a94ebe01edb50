"""Batches of addresses: a worker fetches, parses, stages and publishes, whatever sites do."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from ingest import worker
from ingest.connect import connect
from ingest.fetch import Fetcher
from ingest.intake import calls
from ingest.settings import Settings
from providers.protocols import Embedder
from tests.ingest.fetch.sites import BRISK, Answer, Site, moved, names, page, raw, site, tourist
from tests.ingest.library import KENT, one, visible, words

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def town() -> Iterator[Site]:
    """A site without pages."""
    with site() as one_site:
        yield one_site


def article(about: str, encoding: str = "utf-8") -> Answer:
    """A web page with a text of some length."""
    text = "".join(f"<p>{part}</p>" for part in words(about).split("\n\n"))
    html = (
        f"<html><head><title>{about.title()}</title></head><body><main>{text}</main></body></html>"
    )
    return page(html.encode(encoding), headers={"Content-Type": f"text/html; charset={encoding}"})


def hand_in(url: str, *urls: str, **facts: str) -> UUID:
    """A batch of these addresses."""
    with connect(url) as db:
        return calls.create_batch(db, new=calls.NewBatch(urls=urls, **facts))


def work(url: str, embedder: Embedder) -> int:
    """Let a worker do all that is ready, over loopback."""
    fetcher = tourist(BRISK, names(town_example="127.0.0.1", inside_example="10.0.0.1"))
    return worker.run(url, embedder=embedder, once=True, fetcher=fetcher)


def told(url: str, batch_id: UUID) -> calls.BatchStatus:
    """How far it is."""
    with connect(url) as db:
        return calls.batch_status(db, batch_id=batch_id)


def outcomes(status: calls.BatchStatus) -> list[tuple[str, str]]:
    """Path and state of each address."""
    return [("/" + url["url"].split("/", 3)[3], url["state"]) for url in status.urls]


def test_each_address_has_an_outcome_and_good_ones_are_found(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages |= {
        "/transport": article("transport"),
        "/moved": moved("/transport"),
        # the bytes do not say which encoding they are in, the header does
        "/reviews": article("the café’s “reviews”", "cp1252"),
        "/logo": page(b"\x89PNG\r\n\x1a\n" + bytes(100), headers={"Content-Type": "text/html"}),
        "/empty": page(b"", headers={"Content-Type": "text/html"}),
        "/inside": moved("http://inside.example/"),
    }
    paths = ["/transport", "/moved", "/reviews", "/logo", "/empty", "/inside", "/gone"]
    batch_id = hand_in(url, *(town.url(path) for path in paths), la_code=KENT)
    work(url, embedder)
    status = told(url, batch_id)
    # two addresses of one page: the second has no text of its own
    assert status.urls.pop(1)["document_id"] == status.urls[0]["document_id"]
    assert outcomes(status) == [
        ("/transport", "stored"),
        ("/reviews", "stored"),
        ("/logo", "refused"),
        ("/empty", "refused"),
        ("/inside", "refused"),
        ("/gone", "refused"),
    ]
    assert (status.done, status.total, status.refused) == (True, 7, 4)
    reasons = [url["reason"] for url in status.urls if url["state"] == "refused"]
    assert [reason.split(":")[0] for reason in reasons] == [
        "a PNG image, not a document",
        "the file is empty (0 bytes)",
        "the host is not on the public internet",
        "the site answered 404",
    ]
    assert [row["source"] for row in visible(places)] == [
        town.url("/reviews"),
        town.url("/transport"),
    ]
    assert one(places, "select count(*) from queue.task") == 0
    assert one(places, "select count(*) from corpus.chunk where content like '%%café’s “rev%%'") > 0
    assert one(
        places,
        "select array_agg(distinct s.la_code) from corpus.document"
        " join corpus.scope as s using (scope_id)",
    ) == [KENT]


def test_a_failure_that_passes_is_tried_again_and_no_other(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages |= {"/busy": page(b"later", status=503), "/no": page(b"no", status=403)}
    batch_id = hand_in(url, town.url("/busy"), town.url("/no"))
    work(url, embedder)
    status = told(url, batch_id)
    assert outcomes(status) == [("/busy", "retrying"), ("/no", "refused")]
    assert not status.done
    assert status.urls[0]["reason"] == "the site answered 503"
    town.pages["/busy"] = article("busy offices")
    places.execute("update queue.task set ready_at = now()")
    places.commit()
    work(url, embedder)
    assert outcomes(told(url, batch_id)) == [("/busy", "stored"), ("/no", "refused")]
    assert town.paths == ["/busy", "/no", "/busy"]


def test_a_site_that_asks_for_time_is_given_it(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages["/p"] = page(b"slow down", status=429, headers={"Retry-After": "3000"})
    hand_in(url, town.url("/p"))
    work(url, embedder)
    assert one(places, "select ready_at > now() + interval '49 minutes' from queue.task")


def test_a_full_disk_is_not_the_pages_fault(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages["/p"] = article("apples")
    batch_id = hand_in(url, town.url("/p"))

    class FullDisk(Fetcher):
        def fetch(self, *arguments: Any, **named: Any) -> Any:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert worker.run(url, embedder=embedder, once=True, fetcher=FullDisk()) == 0
    ((told_url),) = told(url, batch_id).urls
    assert told_url["state"] == "retrying"
    assert "No space left" in told_url["reason"]


def test_the_same_page_again_is_unchanged_and_a_new_text_is_its_next_version(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    for about, state in (("apples", "stored"), ("apples", "unchanged"), ("pears", "stored")):
        town.pages["/p"] = article(about)
        batch_id = hand_in(url, town.url("/p"))
        work(url, embedder)
        assert outcomes(told(url, batch_id)) == [("/p", state)]
    assert one(places, "select count(*) from corpus.version where state = 'published'") == 1
    assert one(places, "select max(version) from corpus.version") == 2


def test_two_workers_fetch_each_page_once(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages = {f"/{number}": article(f"subject {number}") for number in range(12)}
    batch_id = hand_in(url, *(town.url(path) for path in town.pages))
    both = [threading.Thread(target=work, args=(url, embedder)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    work(url, embedder)
    assert told(url, batch_id).stored == 12
    assert sorted(town.paths) == sorted(town.pages)
    assert one(places, "select count(*) from corpus.version") == 12


def test_a_worker_that_lost_its_lease_stores_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    def slow(request: BaseHTTPRequestHandler) -> None:
        with psycopg.connect(url, autocommit=True) as db:
            # as if the lease had run out and another worker were at it
            db.execute(
                "update queue.task set lease_token = gen_random_uuid(), claimed_by = 'other',"
                " ready_at = now() + interval '1 hour'"
            )
        article("late news")(request)

    town.pages["/p"] = slow
    batch_id = hand_in(url, town.url("/p"))
    work(url, embedder)
    assert one(places, "select count(*) from corpus.version") == 0
    assert outcomes(told(url, batch_id)) == [("/p", "fetching")]


def test_a_worker_killed_while_a_site_answers_loses_and_doubles_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    town.pages["/p"] = raw(b"HTTP/1.1 200 OK\r\n", pause=30)
    batch_id = hand_in(url, town.url("/p"))
    running = (
        "import sys; from ingest import worker; from tests.ingest.fetch.sites import tourist;"
        "worker.run(sys.argv[1], once=True, fetcher=tourist())"
    )
    process = subprocess.Popen([sys.executable, "-c", running, url], cwd=ROOT)
    try:
        deadline = time.monotonic() + 30
        while not town.asked:
            assert time.monotonic() < deadline, "the worker did not come to the site"
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert outcomes(told(url, batch_id)) == [("/p", "fetching")]
    town.pages["/p"] = article("apples")
    # as if its lease had run out
    places.execute("update queue.task set ready_at = now()")
    places.commit()
    work(url, embedder)
    assert outcomes(told(url, batch_id)) == [("/p", "stored")]
    assert one(places, "select count(*) from corpus.version") == 1
    assert town.paths == ["/p", "/p"]


def test_no_transaction_is_open_while_a_site_answers(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    seen: list[str] = []

    def watch(request: BaseHTTPRequestHandler) -> None:
        with psycopg.connect(url, autocommit=True) as db:
            rows = db.execute(
                "select state from pg_stat_activity where application_name = 'pgkb ingest'"
            )
            seen.extend(state for (state,) in rows)
        article("watching")(request)

    town.pages["/p"] = watch
    hand_in(url, town.url("/p"))
    work(url, embedder)
    assert seen
    assert "idle in transaction" not in seen
    assert "active" not in seen


def test_old_batches_are_purged_by_any_worker(
    places: psycopg.Connection, url: str, embedder: Embedder, town: Site
) -> None:
    hand_in(url, town.url("/gone"))
    work(url, embedder)
    places.execute("update intake.batch set created_at = created_at - interval '2 days'")
    places.execute("update intake.page set finished_at = finished_at - interval '2 days'")
    places.commit()
    worker.run(url, embedder=embedder, once=True, settings=Settings(upkeep_seconds=0))
    assert one(places, "select count(*) from intake.batch") == 0
