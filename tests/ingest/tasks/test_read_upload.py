"""Task `read_upload`: whatever happens to the worker, each file is stored once."""

import hashlib
import multiprocessing
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from ingest import worker
from ingest.connect import connect
from ingest.queue import calls as queue
from ingest.queue.leases import Lease
from ingest.settings import Settings
from ingest.uploads import calls
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.ingest.archive.packing import packed
from tests.ingest.library import KENT, one, visible, words
from tests.providers.fake_openai import FakeServer

KILLS = int(os.environ.get("PGKB_TEST_KILLS", "20")) // 5
# more than a worker reads between two kills
FILES = 60


def hand_in(
    db: psycopg.Connection, spool: Path, data: bytes, *, kind: str = "file", name: str = "a.txt"
) -> int:
    """An upload whose bytes lie in the spool, as the app leaves it; its id."""
    sha256 = hashlib.sha256(data).digest()
    spool_name = hashlib.sha256(data + name.encode()).hexdigest()[:32]
    (spool / spool_name).write_bytes(data)
    db.execute(
        "select intake.receive_upload(spool_name => %s, file_name => %s, sha256 => %s,"
        " byte_count => %s, kind => %s, la_code => %s)",
        [spool_name, name, sha256, len(data), kind, KENT],
    )
    db.commit()
    return int(one(db, "select max(upload_id) from intake.upload"))


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """An empty spool."""
    path = tmp_path / "uploads"
    path.mkdir()
    return path


def _work_on(url: str, provider_url: str, spool: str) -> None:
    """What is killed."""
    embedder = embedder_for(
        "compatible",
        "all-MiniLM-L6-v2-int8",
        384,
        {"PGKB_EMBED_BASE_URL": provider_url, "PGKB_EMBED_SEND_DIMENSIONS": "1"},
    )
    worker.run(url, embedder=embedder, settings=Settings(upload_dir=Path(spool), poll_seconds=0.1))


def test_a_worker_killed_amid_an_archive_loses_and_doubles_nothing(
    places: psycopg.Connection,
    url: str,
    provider: FakeServer,
    embedder: Embedder,
    spool: Path,
) -> None:
    data = packed({f"d{number}.txt": words(f"topic {number}", 6) for number in range(FILES)})
    upload = hand_in(places, spool, data, kind="archive", name="a.zip")
    spawning = multiprocessing.get_context("spawn")
    for number in range(KILLS):
        before = one(places, "select count(*) from intake.upload_file")
        if before == FILES:
            break
        hired = spawning.Process(target=_work_on, args=(url, provider.url, str(spool)))
        hired.start()
        # it has begun: at least one more file was read
        while (
            hired.is_alive()
            and one(places, "select count(*) from intake.upload_file") == before
            and one(places, "select finished_at from intake.upload") is None
        ):
            time.sleep(0.01)
        time.sleep(number % 5 / 100)
        os.kill(hired.pid or 0, signal.SIGKILL)
        hired.join()
    done = worker.run(url, embedder=embedder, once=True, settings=Settings(upload_dir=spool))
    assert done > 0
    assert one(places, "select finished_at is not null from intake.upload") is True
    assert one(places, "select count(*) from queue.task") == 0
    assert [row["source"] for row in visible(places)] == sorted(
        f"a.zip/d{number}.txt" for number in range(FILES)
    )
    assert one(places, "select count(*) from corpus.version") == FILES
    assert (
        one(
            places,
            "select count(*) from intake.upload_states(%s) where state = 'stored'",
            upload,
        )
        == FILES
    )
    assert list(spool.iterdir()) == []


def test_a_worker_that_lost_its_task_writes_nothing(
    places: psycopg.Connection, url: str, spool: Path
) -> None:
    upload = hand_in(places, spool, words("late").encode())
    file = calls.NewFile(
        place=1, name="a.txt", title="Late", body=words("late"), file_type="txt", metadata={}
    )
    with connect(url) as db:
        claim = {"batch_size": 1, "lease": timedelta(minutes=5), "kinds": ["read_upload"]}
        (slow,) = queue.claim_tasks(db, worker="slow", **claim)  # type: ignore[arg-type]
        db.execute("update queue.task set ready_at = clock_timestamp()")
        (quick,) = queue.claim_tasks(db, worker="quick", **claim)  # type: ignore[arg-type]
        late = Lease(slow.task_id, slow.lease_token)
        assert calls.stage_upload_file(db, upload_id=upload, lease=late, file=file) is None
        assert not calls.refuse_upload_file(
            db, upload_id=upload, lease=late, place=1, name="a.txt", reason="no"
        )
        assert not calls.finish_upload(db, upload_id=upload, lease=late)
        held = Lease(quick.task_id, quick.lease_token)
        assert calls.stage_upload_file(db, upload_id=upload, lease=held, file=file) == "staged"
        # again, as after a death: what was noted stays
        assert calls.stage_upload_file(db, upload_id=upload, lease=held, file=file) == "staged"
        assert calls.finish_upload(db, upload_id=upload, lease=held)
    assert one(places, "select count(*) from corpus.version") == 1


def test_uploads_go_a_day_after_they_are_done_and_documents_stay(
    places: psycopg.Connection, url: str, embedder: Embedder, spool: Path
) -> None:
    hand_in(places, spool, words("kept").encode())
    worker.run(url, embedder=embedder, once=True, settings=Settings(upload_dir=spool))
    waiting = hand_in(places, spool, words("waits").encode(), name="b.txt")
    with connect(url) as db:
        db.execute("update intake.upload set created_at = now() - interval '2 days'")
        assert calls.purge_uploads(db) == 0
        db.execute("update intake.upload set finished_at = now() - interval '25 hours'"
                   " where finished_at is not null")  # fmt: skip
        assert calls.purge_uploads(db) == 1
        assert one(places, "select upload_id from intake.upload") == waiting
        db.execute("update intake.upload set created_at = now() - interval '8 days'")
        assert calls.purge_uploads(db) == 1
    assert one(places, "select count(*) from queue.task") == 0
    assert len(visible(places)) == 1


def test_a_worker_without_a_spool_leaves_uploads_to_others(
    places: psycopg.Connection, url: str, embedder: Embedder, spool: Path
) -> None:
    hand_in(places, spool, words("elsewhere").encode())
    assert worker.run(url, embedder=embedder, once=True, settings=Settings()) == 0
    assert one(places, "select attempts from queue.task") == 0
