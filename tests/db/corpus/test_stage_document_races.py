"""corpus.stage_document from many connections at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, load_reference, stage
from tests.db.corpus_fixtures import ask, ask_rows

BODY = "The tribunal hears appeals about the plan. " * 30


def _stage_at_once(url: str, count: int, **facts: Any) -> list[dict[str, Any]]:
    """Every thread stages the same text under a name of its own."""
    barrier = Barrier(count)

    def run(number: int) -> dict[str, Any]:
        with psycopg.connect(url) as own:
            own.execute("select")
            barrier.wait(30)
            staged = stage(own, BODY, source=f"copy-{number}.txt", **facts)
            own.commit()
            # the winner's connection is there while the others ask
            barrier.wait(30)
            return staged

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.parametrize("holder", ["kim", None])
def test_of_twenty_uploads_of_one_text_one_is_stored_and_the_others_name_it(
    db: psycopg.Connection, db_url: str, holder: str | None
) -> None:
    """J-01, with an authority and with none."""
    load_reference(db)
    for la_code in (None, "E08000025"):
        staged = _stage_at_once(db_url, 20, la_code=la_code, lease_holder=holder)
        assert Counter(s["outcome"] for s in staged) == {"staged": 1, "in_progress": 19}
        winner = next(s for s in staged if s["outcome"] == "staged")
        assert {s["existing_document_id"] for s in staged if s["outcome"] == "in_progress"} == {
            winner["document_id"]
        }
    assert ask(db, "select count(*) from corpus.document") == 2
    assert ask(db, "select count(*) from queue.task") == 2


def test_different_texts_of_one_source_at_once_become_versions_of_one_document(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    barrier = Barrier(6)

    def run(number: int) -> dict[str, Any]:
        with psycopg.connect(db_url) as own:
            own.execute("select")
            barrier.wait(30)
            return stage(own, f"Text number {number}.", source="a.txt", la_code="E08000025")

    with ThreadPoolExecutor(6) as pool:
        staged = list(pool.map(run, range(6)))
    assert {s["outcome"] for s in staged} == {"staged"}
    assert len({s["document_id"] for s in staged}) == 1
    assert ask(db, "select array_agg(version order by version) from corpus.version") == [
        *range(1, 7)
    ]


def test_a_text_is_not_given_up_for_another_source_that_changes_at_that_moment(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    add(db, BODY + "One.", source="a.txt", title="Panel days")
    add(db, BODY + "Two.", source="b.txt", title="Hearings")
    new = stage(db, BODY + "Three.", source="b.txt", title="Hearings")["version_id"]
    ids = [
        row[0] for row in ask_rows(db, "select chunk_id from embedding.chunks_to_embed(%s)", new)
    ]
    db.execute("select embedding.store_vectors(%s, %s)", [ids, [literal(axis(1))] * len(ids)])
    db.commit()

    def say_the_same() -> str:
        with psycopg.connect(db_url) as own:
            outcome: str = stage(own, BODY + "Two.", source="a.txt", title="Panel days")["outcome"]
            return outcome

    with ThreadPoolExecutor(1) as pool:
        db.execute("select corpus.publish_version(%s)", [new])
        staged = pool.submit(say_the_same)
        with psycopg.connect(db_url, autocommit=True) as watcher:
            while not staged.done() and not ask(
                watcher,
                "select exists (select from pg_stat_activity as a"
                " where cardinality(pg_blocking_pids(a.pid)) > 0)",
            ):
                pass
        db.commit()
        assert staged.result(30) == "duplicate"
    published = ask_rows(
        db,
        "select d.source from corpus.version as v join corpus.document as d using (document_id)"
        " where v.state = 'published' order by 1",
    )
    assert published == [("a.txt",), ("b.txt",)]
