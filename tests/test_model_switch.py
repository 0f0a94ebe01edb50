"""Searches that go on through a change of model see no error, no empty answer and no mixture."""

import asyncio
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest

from app.answering import Inquiry, find
from app.embedders import Embedders
from app.pool import pool_of
from app.settings import from_environ
from ingest.embedding import reembed
from ingest.embedding.filling import Pace
from ingest.embedding.reembed import NewSet, Step
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.app.library import BIRMINGHAM, fill_library
from tests.corpus import add, axis, literal, load_reference
from tests.db.embedding.filling import WIDTH, add_small, fill
from tests.providers.fake_openai import fake_openai

WIDE = NewSet(name="wide", provider="compatible", model="fake-wide", width=96)
OFFLINE = "local-minilm"


@pytest.fixture(scope="module")
def offline() -> Iterator[Embedder]:
    """The offline model."""
    one = embedder_for("local", "all-MiniLM-L6-v2-int8", 384)
    yield one
    one.close()


class Seen:
    """What a client saw: searches in each set, and what went wrong."""

    def __init__(self) -> None:
        self.searches: Counter[str] = Counter()
        self.faults: list[str] = []


@contextmanager
def clients(*loops: Callable[[threading.Event, Seen], None]) -> Iterator[list[Seen]]:
    """Each client in a thread of its own for as long as the block runs."""
    stop = threading.Event()
    seen = [Seen() for _ in loops]

    def guarded(loop: Callable[[threading.Event, Seen], None], one: Seen) -> None:
        try:
            loop(stop, one)
        except Exception as error:
            one.faults.append(repr(error))

    threads = [
        threading.Thread(target=guarded, args=pair) for pair in zip(loops, seen, strict=True)
    ]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)


def sql_client(
    url: str, vectors: dict[str, str], expected: int, *, index: bool
) -> Callable[[threading.Event, Seen], None]:
    """Asks search_kb by vector alone, with the vector of whichever set is active before it."""

    def loop(stop: threading.Event, seen: Seen) -> None:
        with psycopg.connect(url, autocommit=True) as db:
            if index:
                db.execute("set kb.exact_limit = 0")
            while not stop.is_set():
                (name,) = db.execute("select name from embedding.active_set()").fetchone() or ("",)
                rows = db.execute(
                    "select chunk_id, similarity from search_kb(%s, null, la => %s,"
                    " embedding_set => %s)",
                    [vectors[name], BIRMINGHAM, name],
                ).fetchall()
                seen.searches[name] += 1
                if not rows or rows[0][0] != expected or rows[0][1] < 0.99:
                    seen.faults.append(f"{name}: {rows[:1]}")

    return loop


def app_client(
    url: str, environ: dict[str, str], question: str
) -> Callable[[threading.Event, Seen], None]:
    """Asks the app's find in words, each time as somebody else, so that no vector is cached."""

    async def ask(stop: threading.Event, seen: Seen) -> None:
        embedders = Embedders(timeout=20, environ=environ)
        async with pool_of(from_environ({}, database_url=url), size=2) as pool:
            while not stop.is_set():
                number = sum(seen.searches.values())
                inquiry = Inquiry(question, la=BIRMINGHAM, viewer=f"viewer {number}")
                found = await find(pool, embedders, inquiry)
                seen.searches[found.retrieval.embedding_set] += 1
                if not found.hits or found.retrieval.query_vector != "provider":
                    seen.faults.append(str(found.retrieval))
        await embedders.close()

    return lambda stop, seen: asyncio.run(ask(stop, seen))


def publish(url: str, offline: Embedder, name: str, wide: Embedder) -> int:
    """Publish a document as ingest does: embed it for the active set, once more after a switch."""
    with psycopg.connect(url, autocommit=True) as db:
        row = db.execute(
            "select version_id from corpus.stage_document(source => %s, title => %s, body => %s,"
            " file_type => 'txt', authority => 'la')",
            [name, name, f"All about {name}."],
        ).fetchone()
        assert row is not None
        for _ in range(2):
            (active,) = db.execute("select name from embedding.active_set()").fetchone() or ("",)
            model = offline if active == OFFLINE else wide
            chunks = db.execute(
                "select chunk_id, embedding_text from embedding.chunks_to_embed(%s, 64, %s)",
                [row[0], active],
            ).fetchall()
            vectors = [literal(vector) for vector in model.embed([text for _, text in chunks])]
            db.execute(
                "select embedding.store_vectors(%s::bigint[], %s::text[], %s)",
                [[chunk for chunk, _ in chunks], vectors, active],
            )
            with suppress(psycopg.Error):
                db.execute("select corpus.publish_version(%s)", [row[0]])
                break
        found = db.execute(
            "select c.chunk_id from search.text_index as c join corpus.chunk as k using (chunk_id)"
            " where k.version_id = %s",
            row,
        ).fetchone()
        assert found is not None
        return int(found[0])


def test_fill_build_switch_and_rollback_degrade_no_search(
    db: psycopg.Connection[Any],
    db_url: str,
    offline: Embedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill_library(db)
    for n in range(40):
        text = f"Note {n} of the library tells families where to ask about matter number {n}."
        add(db, text, source=f"note {n}", vector=offline.embed([f"note {n}\n{text}"])[0])
    row = db.execute(
        "select c.chunk_id, embedding.text_of(v.title, c.content) from corpus.chunk as c"
        " join corpus.version as v using (version_id)"
        " join corpus.document as d on d.document_id = v.document_id"
        " where d.source = 'birmingham/exclusion.txt'"
    ).fetchone()
    assert row is not None
    with fake_openai(delay=0.05) as server:
        monkeypatch.setenv("PGKB_EMBED_BASE_URL", server.url)
        monkeypatch.setenv("PGKB_EMBED_SEND_DIMENSIONS", "1")
        environ = {"PGKB_EMBED_BASE_URL": server.url, "PGKB_EMBED_SEND_DIMENSIONS": "1"}
        wide = embedder_for("compatible", WIDE.model, WIDE.width)
        vectors = {
            OFFLINE: literal(offline.embed([row[1]])[0]),
            WIDE.name: literal(wide.embed([row[1]])[0]),
        }
        published: list[int] = []

        def publish_meanwhile(step: Step) -> None:
            if step.step == "filling" and len(published) < 5:
                published.append(publish(db_url, offline, f"meanwhile {len(published)}", wide))

        with clients(
            sql_client(db_url, vectors, row[0], index=False),
            sql_client(db_url, vectors, row[0], index=True),
            app_client(db_url, environ, row[1]),
        ) as seen:
            reembed.reembed(
                db_url, WIDE.name, new=WIDE, pace=Pace(batch=4), on_step=publish_meanwhile
            )
            _until(lambda: all(one.searches[WIDE.name] > 3 for one in seen) or _faults(seen))
            published.append(publish(db_url, offline, "after the switch", wide))
            # back, once what was published since has its vector there too
            back = reembed.reembed(db_url, reembed.previous(db_url))
            before = [one.searches[OFFLINE] for one in seen]
            _until(
                lambda: (
                    all(
                        one.searches[OFFLINE] > count + 3
                        for one, count in zip(seen, before, strict=True)
                    )
                    or _faults(seen)
                )
            )
        assert _faults(seen) == []
        assert all(one.searches[name] > 3 for one in seen for name in vectors)
        assert (back.set, back.previous, back.embedded) == (OFFLINE, WIDE.name, 1)
        assert len(published) == 6
        for name, model in ((OFFLINE, offline), (WIDE.name, wide)):
            reembed.switch_to(db_url, name)
            for number, chunk in enumerate(published[:5]):
                vector = model.embed([f"meanwhile {number}\nAll about meanwhile {number}."])[0]
                found = db.execute(
                    "select chunk_id from search_kb(%s, null, la => %s)",
                    [literal(vector), BIRMINGHAM],
                ).fetchone()
                db.commit()
                assert found == (chunk,), "published during the fill, found in both"
        wide.close()


def test_a_switch_between_models_of_one_width_never_mixes_them(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    added = add(db, "Some text.", source="a.txt")
    for name, dimension in (("one", 1), ("two", 2)):
        add_small(db, name, model=name)
        fill(db, name, dimension)
    db.execute("select embedding.activate('one')")
    db.commit()
    vectors = {"one": literal(axis(1, WIDTH)), "two": literal(axis(2, WIDTH))}
    (chunk,) = added.chunk_ids
    with clients(
        *(sql_client(db_url, vectors, chunk, index=index) for index in (False, True))
    ) as seen:
        names = itertools.cycle(("two", "one"))

        def switch_on() -> bool:
            db.execute("select embedding.activate(%s)", [next(names)])
            db.commit()
            return all(one.searches[name] > 20 for one in seen for name in vectors)

        _until(lambda: switch_on() or _faults(seen))
    assert _faults(seen) == []


def _faults(seen: list[Seen]) -> list[str]:
    return [fault for one in seen for fault in one.faults[:3]]


def _until(condition: Callable[[], object]) -> None:
    """Wait until it holds, two minutes at most."""
    patience = threading.Event()
    for _ in range(6000):
        if condition():
            return
        patience.wait(0.02)
    raise AssertionError("it did not come about")
