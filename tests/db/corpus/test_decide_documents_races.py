"""Curators beside each other and beside publishers: every end is legal, no deadlock is seen."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any, LiteralString

import psycopg
import pytest

from tests.corpus import add, axis, literal, load_reference, stage
from tests.db.corpus_fixtures import ask, ask_rows

TITLE = "SEND Policy"


def _ready(db: psycopg.Connection, source: str, title: str = TITLE) -> int:
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


def _later(
    pool: ThreadPoolExecutor, db: psycopg.Connection, query: LiteralString, *values: Any
) -> Future[list[tuple[Any, ...]]]:
    """Run it beside the test; it must be waiting for somebody when this returns."""
    backend = db.info.backend_pid
    found: Future[list[tuple[Any, ...]]] = pool.submit(ask_rows, db, query, *values)
    with psycopg.connect(db.info.dsn, password=db.info.password, autocommit=True) as watcher:
        while not found.done() and not ask(
            watcher, "select cardinality(pg_blocking_pids(%s)) > 0", backend
        ):
            pass
    assert not found.done(), "it did not wait"
    return found


def _check_whole(db: psycopg.Connection) -> None:
    """What is published is indexed, and nothing else; a passage is superseded with its version."""
    db.rollback()
    assert (
        ask(
            db,
            "select count(*) from corpus.chunk as c join corpus.version as v using (version_id) "
            "join corpus.chunk_fact as f using (chunk_id) "
            "left join search.text_index as t using (chunk_id) "
            "left join embedding.vector as w using (chunk_id) "
            "where v.state <> 'staged' and ((v.state = 'published') <> (t.chunk_id is not null) "
            "or (v.state = 'published') <> (w.chunk_id is not null) "
            "or (f.status = 'superseded' and v.state <> 'superseded') "
            "or (f.status in ('pending', 'approved') and v.state <> 'published'))",
        )
        == 0
    )


def test_two_curators_on_one_document_decide_one_after_the_other(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    added = add(db, "Some text. " * 300, source="a", title=TITLE)
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(db_url) as first,
        psycopg.connect(db_url) as second,
    ):
        first.execute("select corpus.decide_documents(%s, 'rejected')", [[added.document_id]])
        waiting = _later(
            pool,
            second,
            "select outcome, explanation from corpus.decide_documents(%s, 'flagged')",
            [added.document_id],
        )
        first.commit()
        assert waiting.result(30) == [("refused", "rejected cannot become flagged")]
        second.commit()
    assert ask_rows(db, "select distinct status from corpus.chunk_fact") == [("rejected",)]
    assert ask(db, "select count(*) from audit.event where kind = 'status_changed'") == 1


@pytest.mark.parametrize("title", [TITLE, "Home"])
def test_a_curator_during_a_replacement_decides_on_what_is_published_afterwards(
    db: psycopg.Connection, db_url: str, title: str
) -> None:
    """Also where no title is shared, so that no lock of a title makes them wait."""
    load_reference(db)
    old = add(db, "Old text.", source="a", title=title)
    new = _ready(db, "a", title)
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(db_url) as publisher,
        psycopg.connect(db_url) as curator,
    ):
        publisher.execute("select corpus.publish_version(%s)", [new])
        waiting = _later(
            pool,
            curator,
            "select outcome from corpus.decide_documents(%s, 'approved')",
            [old.document_id],
        )
        publisher.commit()
        assert waiting.result(30) == [("changed",)]
        curator.commit()
    statuses = ask_rows(
        db,
        "select distinct v.state, f.status from corpus.chunk as c "
        "join corpus.version as v using (version_id) "
        "join corpus.chunk_fact as f using (chunk_id) order by 1",
    )
    assert statuses == [("published", "approved"), ("superseded", "superseded")]
    _check_whole(db)


def test_of_two_who_undo_the_same_one_is_told_that_it_is_done(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    old = add(db, "Old text.", source="a", title=TITLE)
    add(db, "New text.", source="b", title=TITLE)
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(db_url) as first,
        psycopg.connect(db_url) as second,
    ):
        query: LiteralString = "select stands_alone from corpus.undo_supersession(%s)"
        assert ask_rows(first, query, old.version_id) == [(True,)]
        waiting = _later(pool, second, query, old.version_id)
        first.commit()
        with pytest.raises(psycopg.Error) as caught:
            waiting.result(30)
        assert caught.value.sqlstate == "KB023"
        second.rollback()
    _check_whole(db)


def test_publishers_and_curators_who_do_all_at_once_leave_a_whole(
    db: psycopg.Connection, db_url: str
) -> None:
    """J-03: nobody sees a deadlock when each publishes one version in a transaction."""
    load_reference(db)
    titles = (TITLE, "Transport policy", "Home")
    for title in titles:
        add(db, f"First of {title}. " * 60, source=f"first {title}", title=title)
    versions = [_ready(db, f"{n % 4} {title}", title) for n in range(8) for title in titles]
    done = Event()
    barrier = Barrier(5)
    # none is superseded or published just now, or no longer
    legal = {"KB009", "KB022", "KB023", "KB024"}

    def publish(mine: list[int]) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            for version_id in mine:
                own.execute("select corpus.publish_version(%s)", [version_id])

    def curate(act: Callable[[psycopg.Connection], object]) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            barrier.wait(30)
            while not done.is_set():
                try:
                    act(own)
                except psycopg.Error as refusal:
                    assert refusal.sqlstate in legal, refusal  # noqa: PT017

    def approve(own: psycopg.Connection) -> object:
        return own.execute(
            "select corpus.decide_documents(array(select document_id from corpus.document "
            "order by random() limit 50), (array['approved', 'pending', 'approved'])[%s])",
            [1 + own.info.backend_pid % 3],
        )

    def undo(own: psycopg.Connection) -> object:
        return own.execute(
            "select corpus.undo_supersession((select version_id from corpus.version "
            "where state = 'superseded' order by random() limit 1))"
        )

    def supersede(own: psycopg.Connection) -> object:
        return own.execute(
            "select corpus.supersede(m.ids[1], m.ids[2]) from (select array(select document_id "
            "from corpus.version where state = 'published' order by random() limit 2) as ids) as m"
        )

    with ThreadPoolExecutor(5) as pool:
        curators = [pool.submit(curate, act) for act in (approve, undo, supersede)]
        publishers = [pool.submit(publish, versions[n::2]) for n in (0, 1)]
        try:
            for publisher in publishers:
                publisher.result(60)
        finally:
            done.set()
        for curator in curators:
            curator.result(60)
    _check_whole(db)
    assert ask(db, "select count(*) from corpus.version where state = 'staged'") == 0
    for source_title in titles[:2]:
        live = ask(
            db,
            "select count(*) from corpus.version as v "
            "join corpus.document as d using (document_id) "
            "where v.state = 'published' and not d.stands_alone and v.title = %s",
            source_title,
        )
        assert live <= 1, "titles group all but those that stand alone"
