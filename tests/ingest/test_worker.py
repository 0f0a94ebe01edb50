"""Whatever dies, every staged document becomes visible once and whole."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from ingest import worker
from ingest.errors import IngestError
from ingest.settings import Settings
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.corpus import stage
from tests.ingest.library import load, one, visible, wait_for, words, write_texts
from tests.providers.fake_openai import FakeServer, Faults, fake_openai

ROOT = Path(__file__).resolve().parents[2]
_BRISK = Settings(poll_seconds=0.2)
_BACKENDS = (
    "select count(*) from pg_stat_activity"
    " where application_name = 'pgkb ingest' and datname = current_database()"
)


@pytest.fixture
def remote(
    places: psycopg.Connection, provider: FakeServer, url: str
) -> Callable[..., subprocess.Popen[bytes]]:
    """Start `python -m ingest ...` against this database and provider."""
    # other processes find the provider through the active set
    places.execute("update embedding.set set provider = 'compatible' where active")
    places.commit()

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PGKB_DATABASE_URL": url,
            "PGKB_EMBED_BASE_URL": provider.url,
            "PGKB_EMBED_SEND_DIMENSIONS": "1",
            "PGKB_POLL_SECONDS": "1",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "ingest", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Ends the test's workers."""
    event = threading.Event()
    yield event
    event.set()


def stage_only(url: str, folder: Path, **texts: str) -> None:
    """Stage texts whose embedding fails, so that the queue holds them, ready at once."""
    with fake_openai(fail_calls=frozenset(range(1, 1000)), fail_status=503) as server:
        embedder = embedder_for(
            "compatible",
            "all-MiniLM-L6-v2-int8",
            384,
            {"PGKB_EMBED_BASE_URL": server.url, "PGKB_EMBED_ATTEMPTS": "1"},
        )
        results = load(url, write_texts(folder, **texts), embedder)
        embedder.close()
    assert {result.status for result in results} == {"failed"}
    make_ready(url)


def make_ready(url: str) -> None:
    """Let every lease and waiting time run out."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("update queue.task set ready_at = now() - interval '1 second'")


def test_a_worker_finishes_what_an_ingest_could_not(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    stage_only(url, folder, a=words("apples"), b=words("pears", 90))
    assert visible(places) == []
    assert worker.run(url, embedder=embedder, once=True) == 2
    rows = visible(places)
    assert [row["source"] for row in rows] == ["a.txt", "b.txt"]
    assert all(row["chunks"] == row["places"] for row in rows)
    assert one(places, "select count(*) from queue.task") == 0


def test_once_with_an_empty_queue_ends_at_once(url: str, embedder: Embedder) -> None:
    assert worker.run(url, embedder=embedder, once=True) == 0


@pytest.mark.parametrize("moment", ["staged", "half embedded"])
def test_a_killed_ingest_is_finished_at_once_by_a_worker_and_was_never_half_visible(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    remote: Callable[..., subprocess.Popen[bytes]],
    folder: Path,
    moment: str,
) -> None:
    """E-04"""
    provider.faults = Faults(delay=0.3)
    write_texts(folder, long=words("transport", 400))
    process = remote("load", str(folder))
    wanted = {
        "staged": "select count(*) from corpus.version",
        "half embedded": "select count(*) from embedding.cold_vector",
    }[moment]
    wait_for(lambda: one(places, wanted) > 0)
    process.kill()
    process.communicate()
    assert visible(places) == []
    assert one(places, "select count(*) from queue.task") == 1

    # its lease still runs, but its connection is gone
    wait_for(lambda: one(places, _BACKENDS) == 0)
    provider.faults = Faults()
    assert worker.run(url, embedder=embedder, once=True) == 1
    (row,) = visible(places)
    assert row["chunks"] == row["places"] == one(places, "select count(*) from corpus.chunk")
    assert one(places, "select count(*) from embedding.vector") == row["chunks"]


def test_sigterm_lets_an_ingest_give_back_what_it_began(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    remote: Callable[..., subprocess.Popen[bytes]],
    folder: Path,
) -> None:
    provider.faults = Faults(delay=0.5)
    (item,) = write_texts(folder, long=words("transport", 400))
    process = remote("load", str(folder))
    wait_for(lambda: provider.calls)
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate(timeout=20)
    assert (process.returncode, complaint) == (130, b"")
    # not a lease later, and nothing is held against it
    state = "select (claimed_by is null, attempts, ready_at <= now())::text from queue.task"
    assert one(places, state) == "(t,0,t)"
    provider.faults = Faults()
    (result,) = load(url, [item], embedder)
    assert result.status == "stored"


def test_two_workers_share_the_queue_and_publish_each_document_once(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    stage_only(url, folder, **{f"d{number:02}": words(f"topic {number}") for number in range(20)})
    done: list[int] = []
    threads = [
        threading.Thread(target=lambda: done.append(worker.run(url, embedder=embedder, once=True)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 20
    assert len(visible(places)) == 20


def test_a_crew_shares_the_queue_and_asks_the_provider_at_the_same_time(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    # more than one claim takes
    texts = {f"d{number:02}": words(f"topic {number}") for number in range(20)}
    stage_only(url, folder, **texts)
    provider.faults = Faults(delay=0.3)
    at_once: list[int] = []
    asking = threading.Semaphore(3)

    class Counting:
        """Notes how many callers the embedder has."""

        name, model, width = embedder.name, embedder.model, embedder.width
        aembed, close, aclose = embedder.aembed, embedder.close, embedder.aclose

        def embed(self, sent: Sequence[str]) -> list[list[float]]:
            with asking:
                at_once.append(3 - asking._value)
                return embedder.embed(sent)

    assert worker.run(url, embedder=Counting(), once=True, concurrency=3) == 20
    assert len(visible(places)) == 20
    assert max(at_once) > 1


def test_what_stops_one_of_a_crew_stops_all(url: str, provider: FakeServer, folder: Path) -> None:
    stage_only(url, folder, **{f"d{number}": words(f"topic {number}") for number in range(30)})
    other = embedder_for("compatible", "other", 8, {"PGKB_EMBED_BASE_URL": provider.url})
    with pytest.raises(IngestError, match="8 numbers with other"):
        worker.run(url, embedder=other, concurrency=3)
    other.close()


def test_all_workers_together_keep_to_the_rate_of_a_provider(
    places: psycopg.Connection, url: str, embedder: Embedder, provider: FakeServer, folder: Path
) -> None:
    texts = {f"d{number}": words(f"topic {number}", 20) for number in range(3)}
    stage_only(url, folder, **texts)
    places.execute("select queue.set_rate(s.provider, 240) from embedding.active_set() as s")
    places.commit()
    started = time.monotonic()
    settings = Settings(embed_batch=8)
    worker.run(url, embedder=embedder, once=True, concurrency=2, settings=settings)
    # the first call is free, each other a quarter of a second later than the one before
    assert time.monotonic() - started >= 0.25 * (len(provider.calls) - 1)
    assert len(provider.calls) >= 3
    assert len(visible(places)) == 3


def test_a_waiting_worker_hears_of_new_work_at_once(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path, stop: threading.Event
) -> None:
    thread = threading.Thread(
        target=worker.run,
        args=(url,),
        kwargs={"embedder": embedder, "stop": stop, "settings": Settings(poll_seconds=60)},
    )
    thread.start()
    wait_for(lambda: one(places, _BACKENDS + " and state = 'idle'") > 0)
    (item,) = write_texts(folder, a=words("apples"))
    places.rollback()
    stage(places, item.path.read_text(), source="a.txt", lease_holder=None)
    places.commit()
    wait_for(lambda: visible(places) != [], 10)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("fate", ["called off", "taken over"])
def test_a_slow_worker_whose_work_is_no_longer_its_own_commits_nothing(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
    fate: str,
) -> None:
    stage_only(url, folder, a=words("apples"))
    provider.faults = Faults(delay=1.0)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(worker.run, url, embedder=embedder, once=True)
        wait_for(lambda: provider.calls)
        places.rollback()
        if fate == "called off":
            places.execute("select queue.cancel_task(t.task_id) from queue.task as t")
        else:
            places.execute(
                "select queue.enqueue('publish_version', t.subject_id, 'another', '1 hour')"
                " from queue.task as t"
            )
        places.commit()
        assert slow.result(20) == 0
    assert visible(places) == []
    assert one(places, "select count(*) from queue.task") == 1
    assert one(places, "select max(state) from corpus.version") == "staged"


def test_a_lost_database_is_waited_for(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    folder: Path,
    stop: threading.Event,
) -> None:
    thread = threading.Thread(
        target=worker.run,
        args=(url,),
        kwargs={"embedder": embedder, "stop": stop, "settings": _BRISK},
    )
    thread.start()
    backends = (
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
        " where application_name = 'pgkb ingest' and datname = current_database()"
    )
    wait_for(lambda: one(places, backends) > 0)
    stage_only(url, folder, a=words("apples"))
    wait_for(lambda: visible(places) != [])
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_worker_that_is_stopped_gives_its_task_back(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
    stop: threading.Event,
) -> None:
    stage_only(url, folder, long=words("transport", 600))
    provider.faults = Faults(delay=0.3)
    thread = threading.Thread(
        target=worker.run,
        args=(url,),
        kwargs={"embedder": embedder, "stop": stop, "settings": _BRISK},
    )
    thread.start()
    wait_for(lambda: len(provider.calls) >= 2)
    stop.set()
    thread.join(20)
    assert not thread.is_alive()
    assert visible(places) == []
    assert one(places, "select claimed_by is null from queue.task") is True
    make_ready(url)
    provider.faults = Faults()
    assert worker.run(url, embedder=embedder, once=True) == 1


def test_sigterm_ends_the_worker_process_in_good_order(
    places: psycopg.Connection, remote: Callable[..., subprocess.Popen[bytes]]
) -> None:
    process = remote("run")
    wait_for(lambda: one(places, _BACKENDS) > 0)
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert out == b""


def test_a_document_that_fails_is_tried_again_later_with_its_reason_kept(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    stage_only(url, folder, a=words("apples"))
    provider.faults = Faults(fail_calls=frozenset(range(1, 99)), fail_status=503)
    assert worker.run(url, embedder=embedder, once=True) == 0
    assert "embedding failed" in one(places, "select last_error from queue.task")
    assert one(places, "select ready_at > now() from queue.task") is True
    assert one(places, "select attempts from queue.task") == 2


def test_an_error_that_would_come_again_fails_a_document_at_once_and_no_other(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """E-06: a broken rule of a table is told after one attempt, not after eight."""
    stage_only(url, folder, a=words("apples"), b=words("pears"))
    before = one(places, "select max(attempts) from queue.task")
    places.execute(
        "alter table search.text_index add constraint no_apples"
        " check (not lexemes @@ 'appl'::tsquery)"
    )
    places.commit()
    assert worker.run(url, embedder=embedder, once=True) == 1
    assert [row["source"] for row in visible(places)] == ["b.txt"]
    assert one(places, "select (attempts, dead)::text from queue.task") == f"({before + 1},t)"
    assert "no_apples" in one(places, "select last_error from queue.task")
    assert one(places, "select state from queue.job") == "dead"


def test_a_vector_that_its_table_refuses_fails_the_document_at_once(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    """E-06, before publishing."""
    stage_only(url, folder, a=words("apples"))
    places.execute(
        "alter table embedding.vector_1 add constraint no_vectors check (set_id is null) not valid"
    )
    places.commit()
    assert worker.run(url, embedder=embedder, once=True) == 0
    assert one(places, "select dead from queue.task") is True
    assert "no_vectors" in one(places, "select last_error from queue.task")


def test_a_service_that_is_down_for_long_kills_no_document(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    stage_only(url, folder, a=words("apples"))
    attempts = one(places, "select attempts from queue.task")
    provider.faults = Faults(quota=True)
    for _ in range(9):
        make_ready(url)
        assert worker.run(url, embedder=embedder, once=True) == 0
    assert one(places, "select (attempts, dead)::text from queue.task") == f"({attempts},f)"
    assert "embedding failed" in one(places, "select last_error from queue.task")
    assert one(places, "select state from queue.job") == "waiting"
    provider.faults = Faults()
    make_ready(url)
    assert worker.run(url, embedder=embedder, once=True) == 1


def test_an_unknown_kind_of_task_is_left_to_others_and_stops_nothing(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    places.execute("select queue.enqueue(kind => 'paint_walls', subject_id => 1)")
    places.commit()
    stage_only(url, folder, a=words("apples"))
    assert worker.run(url, embedder=embedder, once=True) == 1
    assert one(places, "select (kind, attempts) = ('paint_walls', 0) from queue.task") is True


def test_upkeep_purges_records_that_are_old_enough(
    places: psycopg.Connection, url: str, embedder: Embedder
) -> None:
    for age in (10, 100):
        places.execute("select search.record_search('{}')")
        places.execute(
            "update search.record set at = now() - make_interval(days => %s) "
            "where record_id = (select max(record_id) from search.record)",
            [age],
        )
    places.commit()
    worker.run(url, embedder=embedder, once=True)
    assert one(places, "select count(*) from search.record") == 1


def test_upkeep_folds_statistics_and_discards_what_was_abandoned(
    places: psycopg.Connection, url: str, embedder: Embedder, folder: Path
) -> None:
    stage_only(url, folder, a=words("apples"))
    places.execute("update queue.task set dead = true")
    places.execute("update corpus.version set staged_at = now() - interval '2 days'")
    places.commit()
    worker.run(url, embedder=embedder, once=True)
    assert one(places, "select count(*) from corpus.version") == 0


def test_a_worker_with_the_wrong_embedder_says_so(
    url: str, provider: FakeServer, folder: Path
) -> None:
    stage_only(url, folder, a=words("apples"))
    other = embedder_for("compatible", "other", 8, {"PGKB_EMBED_BASE_URL": provider.url})
    with pytest.raises(IngestError, match="8 numbers with other"):
        worker.run(url, embedder=other, once=True)
    other.close()


def test_a_database_that_was_never_there_is_an_error_not_a_wait(embedder: Embedder) -> None:
    with pytest.raises(psycopg.OperationalError):
        worker.run("postgresql://x@127.0.0.1:9/none", embedder=embedder)
