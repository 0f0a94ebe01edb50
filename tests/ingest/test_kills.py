"""kill -9 at random instants: nothing is lost, doubled or half visible, and readers notice nothing.

20 kills, or as many as PGKB_TEST_KILLS says.
"""

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg

from ingest import worker
from ingest.items import Item
from ingest.load import load_paths
from ingest.paths import expand_paths
from ingest.settings import Settings
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.ingest.library import one, words
from tests.providers.fake_openai import FakeServer, Faults

KILLS = int(os.environ.get("PGKB_TEST_KILLS", "20"))
DOCUMENTS = 8
_BRISK = Settings(poll_seconds=0.1, settle_seconds=0, embed_batch=8)

# every document a search sees: its visible version is one, whole, indexed and embedded
_BROKEN = """
    select v.document_id, v.version
    from corpus.version as v
    cross join lateral (
        select
            count(*) as chunks,
            count(f.chunk_id) filter (where f.status = 'pending') as shown,
            count(t.chunk_id) as indexed,
            count(e.chunk_id) as embedded
        from corpus.chunk as c
        left join corpus.chunk_fact as f using (chunk_id)
        left join search.text_index as t using (chunk_id)
        left join embedding.vector as e using (chunk_id)
        where c.version_id = v.version_id
    ) as n
    where
        (
            v.state = 'published'
            and (n.shown, n.indexed, n.embedded) <> (n.chunks, n.chunks, n.chunks)
        )
        or (v.state <> 'published' and (n.shown, n.indexed, n.embedded) <> (0, 0, 0))
"""
_SEEN = """
    select source, count(distinct created_at)
    from knowledge_base
    where validation_status = 'pending'
    group by source
"""
_FOUND = """
    select document_id, count(distinct version)
    from search_kb(
        query_vec => null, tsquery => terms.build_tsquery('which edition is this'), top_k => 50
    )
    group by document_id
"""


def _embedder(provider_url: str) -> Embedder:
    return embedder_for(
        "compatible",
        "all-MiniLM-L6-v2-int8",
        384,
        {
            "PGKB_EMBED_BASE_URL": provider_url,
            "PGKB_EMBED_SEND_DIMENSIONS": "1",
            "PGKB_EMBED_ATTEMPTS": "1",
        },
    )


def ingest_all(url: str, provider_url: str, folder: str, begun: Connection) -> None:
    """What is killed: an ingest of the folder, again and again; it says when it begins to store."""
    embedder = _embedder(provider_url)
    while True:
        for _ in load_paths(
            url,
            _items(Path(folder)),
            embedder=embedder,
            settings=_BRISK,
            on_progress=lambda progress: begun.send(progress.stage),
        ):
            pass


def work_on(url: str, provider_url: str) -> None:
    """What is killed: a worker that finishes what killed ingests leave."""
    worker.run(url, embedder=_embedder(provider_url), settings=_BRISK, concurrency=2)


def _items(folder: Path) -> list[Item]:
    return [Item(path=file.path, source=file.source) for file in expand_paths([folder])]


def _write_edition(folder: Path, edition: int) -> None:
    for number in range(DOCUMENTS):
        text = words(f"topic {number}", 4 + number) + f"\n\nThis is edition {edition}."
        (folder / f"d{number}.txt").write_text(text)


@contextmanager
def _reader(url: str) -> Iterator[list[object]]:
    """Reads in a loop; what it saw that must not be."""
    faults: list[object] = []
    ended = threading.Event()
    seen: set[str] = set()

    def read() -> None:
        with psycopg.connect(url, autocommit=True) as db:
            while not ended.is_set():
                faults.extend(db.execute(_BROKEN).fetchall())
                rows = db.execute(_SEEN).fetchall()
                found = db.execute(_FOUND).fetchall()
                faults.extend(row for row in [*rows, *found] if row[1] != 1)
                # what was there once never goes
                sources = {row[0] for row in rows}
                faults.extend(seen - sources)
                seen.update(sources)
                # the machine has others to serve
                ended.wait(0.02)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        yield faults
    finally:
        ended.set()
        reading.join()


def test_killed_at_random_nothing_is_lost_doubled_or_half_visible(
    places: psycopg.Connection,
    url: str,
    embedder: Embedder,
    provider: FakeServer,
    folder: Path,
) -> None:
    """J-04, J-05"""
    provider.faults = Faults(delay=0.01)
    drawn = random.Random(5)  # noqa: S311 - the same instants each time
    nursery = multiprocessing.get_context("forkserver")
    nursery.set_forkserver_preload([__name__, "openai.resources", "providers.openai_embed"])
    kills = interrupted = 0
    edition = 1
    _write_edition(folder, edition)
    done = f"select count(*) = {DOCUMENTS} from corpus.version where state = 'published'"
    with _reader(url) as faults:
        for _ in range(0, KILLS, 3):
            hear, say = nursery.Pipe(duplex=False)
            victims = [
                nursery.Process(target=ingest_all, args=(url, provider.url, str(folder), say)),
                nursery.Process(target=work_on, args=(url, provider.url)),
                nursery.Process(target=work_on, args=(url, provider.url)),
            ]
            for victim in victims:
                victim.start()
            assert hear.poll(30)
            instants = sorted((0.4 * drawn.random(), number) for number in range(3))
            began = time.monotonic()
            for instant, number in instants:
                time.sleep(max(0.0, began + instant - time.monotonic()))
                victims[number].kill()
                kills += 1
                victims[number].join()
            hear.close()
            say.close()
            complete = one(
                places,
                "select count(*) = %s from knowledge_base where validation_status = 'pending'"
                " and content like %s",
                DOCUMENTS,
                f"%edition {edition}.%",
            )
            interrupted += not complete
            if complete:
                edition += 1
                _write_edition(folder, edition)
        # what the last one held is free as soon as its connections are gone
        deadline = time.monotonic() + 60
        while {
            result.status
            for result in load_paths(url, _items(folder), embedder=embedder, settings=_BRISK)
        } != {"unchanged"}:
            assert time.monotonic() < deadline
            worker.run(url, embedder=embedder, once=True, settings=_BRISK)
    assert faults == []
    # or they were no test
    assert interrupted > 0
    print(f"{kills} kills, {edition} editions of {DOCUMENTS} documents, {interrupted} interrupted")
    assert one(places, done) is True
    assert one(places, "select count(*) from corpus.document") == DOCUMENTS
    assert one(
        places, "select count(*) = count(distinct (document_id, content_hash)) from corpus.version"
    )
    assert one(places, "select count(*) from queue.task") == 0
    assert one(
        places,
        "select bool_and(content_has_it) from (select bool_or(content like %s) as content_has_it"
        " from knowledge_base where validation_status = 'pending' group by source) as s",
        f"%edition {edition}.%",
    )
