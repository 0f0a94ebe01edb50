"""corpus.publish_version while others publish, decide and discard."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event

import psycopg
from psycopg.errors import DeadlockDetected

from tests.corpus import add, axis, literal, load_reference, search, stage
from tests.db.corpus_fixtures import ask, ask_rows


def _ready(db: psycopg.Connection, source: str, title: str) -> int:
    """A version that only needs publishing."""
    staged = stage(db, f"Text of {source}. " * 80, source=source, title=title)
    ids = [
        row[0]
        for row in ask_rows(
            db, "select chunk_id from embedding.chunks_to_embed(%s, 1000)", staged["version_id"]
        )
    ]
    db.execute("select embedding.store_vectors(%s, %s)", [ids, [literal(axis(1))] * len(ids)])
    db.commit()
    version_id: int = staged["version_id"]
    return version_id


def _publish_until_it_works(db: psycopg.Connection, versions: list[int]) -> None:
    """All in one transaction; again after a deadlock, as a worker does."""
    for _ in range(20):
        with suppress(DeadlockDetected), db.transaction():
            for version_id in versions:
                db.execute("select corpus.publish_version(%s)", [version_id])
            return
    raise AssertionError("twenty deadlocks")


def _check_that_one_lives(db: psycopg.Connection, titles: int, versions: int) -> None:
    """One version of each title is published, whole; the others are superseded, none is lost."""
    db.rollback()
    states = Counter(row[0] for row in ask_rows(db, "select state from corpus.version"))
    assert states == Counter(published=titles, superseded=versions - titles)
    assert (
        ask(db, "select count(distinct title_key) from corpus.version where state = 'published'")
        == titles
    )
    assert (
        ask(
            db,
            "select count(*) from corpus.version "
            "where valid_to is null or (valid_to > valid_from and state = 'superseded')",
        )
        == titles
    ), "and nothing else is in force on any day"
    for table in ("search.text_index", "embedding.vector"):
        assert ask_rows(
            db,
            f"select chunk_id from {table} order by 1",
        ) == ask_rows(
            db,
            "select c.chunk_id from corpus.chunk as c join corpus.version as v using (version_id) "
            "where v.state = 'published' order by 1",
        )
    assert (
        ask(
            db,
            "select count(*) from corpus.chunk as c "
            "left join corpus.chunk_fact as f using (chunk_id) "
            "join corpus.version as v using (version_id) where f.chunk_id is null "
            "or (f.status = 'superseded') <> (v.state = 'superseded')",
        )
        == 0
    )


def test_two_publishers_and_a_curator_who_cross_lose_nothing(
    db: psycopg.Connection, db_url: str
) -> None:
    """J-03: A,B and B,A, each pair in one transaction or in two, and all approved meanwhile."""
    load_reference(db)
    titles = ("Transport policy", "Exclusion policy")
    for title in titles:
        add(db, f"The first {title}. " * 60, source=f"0-{title}", title=title)
    rounds = 3
    work = {
        (worker, turn): [
            _ready(db, f"{turn}-{worker}-{title}", title)
            for title in (titles if worker == "first" else titles[::-1])
        ]
        for turn in range(rounds)
        for worker in ("first", "second")
    }
    done = Event()
    barrier = Barrier(3)

    def publish(worker: str, *, together: bool) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            for turn in range(rounds):
                pair = work[worker, turn]
                for ids in [pair] if together else [[one] for one in pair]:
                    _publish_until_it_works(own, ids)

    def approve() -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            while not done.is_set():
                ids = ask(
                    own,
                    "select coalesce(array_agg(chunk_id order by random()), '{}') "
                    "from corpus.chunk_fact where status = 'pending'",
                )
                try:
                    own.execute("select corpus.set_status(%s, 'approved')", [ids])
                except DeadlockDetected:
                    continue
                except psycopg.Error as refusal:
                    # superseded meanwhile: decided for all or for none
                    assert refusal.sqlstate == "KB013"  # noqa: PT017

    with ThreadPoolExecutor(3) as pool:
        curator = pool.submit(approve)
        publishers = [
            pool.submit(publish, "first", together=True),
            pool.submit(publish, "second", together=False),
        ]
        try:
            for publisher in publishers:
                publisher.result(60)
        finally:
            done.set()
        curator.result(60)
    _check_that_one_lives(db, titles=2, versions=2 + 4 * rounds)


def test_ten_documents_of_one_title_at_once_leave_one_alive(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    versions = [_ready(db, f"{n}.pdf", f"SEND Policy {2010 + n}") for n in range(10)]
    barrier = Barrier(10)

    def publish(version_id: int) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            own.execute("select corpus.publish_version(%s)", [version_id])

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(publish, versions))
    _check_that_one_lives(db, titles=1, versions=10)


def test_one_version_published_by_two_at_once_is_published_once(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    version_id = _ready(db, "a.pdf", "SEND Policy")
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(db_url) as first,
        psycopg.connect(db_url) as second,
    ):
        first.execute("select corpus.publish_version(%s)", [version_id])
        waiting = pool.submit(
            second.execute, "select * from corpus.publish_version(%s)", [version_id]
        )
        time.sleep(0.1)
        assert not waiting.done()
        first.commit()
        row = waiting.result(30).fetchone()
        assert row is not None
        assert row[2] == []
        second.commit()
    _check_that_one_lives(db, titles=1, versions=1)


def test_a_reader_sees_the_old_version_whole_until_the_new_one_is_there(
    db: psycopg.Connection, db_url: str
) -> None:
    """J-04."""
    load_reference(db)
    add(db, "The old text.", source="a.txt")
    staged = stage(db, "The new text.", source="a.txt")
    db.commit()

    def seen() -> list[str]:
        with psycopg.connect(db_url) as reader:
            return [row["content"] for row in search(reader, words="text", vector=axis(1))]

    assert seen() == ["The old text."]
    ids = ask_rows(db, "select chunk_id from embedding.chunks_to_embed(%s)", staged["version_id"])
    db.execute("select embedding.store_vectors(%s, %s)", [[ids[0][0]], [literal(axis(1))]])
    assert seen() == ["The old text."]
    db.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    assert seen() == ["The old text."]
    db.commit()
    assert seen() == ["The new text."]
