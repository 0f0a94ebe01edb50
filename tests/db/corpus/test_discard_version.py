"""corpus.discard_version: a staged version leaves without a trace; others never leave."""

from concurrent.futures import ThreadPoolExecutor

import psycopg

from tests.corpus import add, load_reference, stage
from tests.db.corpus_fixtures import ask, ask_rows


def _discard(db: psycopg.Connection, version_id: int) -> bool:
    gone: bool = ask(db, "select corpus.discard_version(%s)", version_id)
    return gone


def test_a_first_version_takes_its_document_and_task_with_it(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, "Some text.", source="a.txt")
    assert _discard(reference, staged["version_id"])
    for table in ("corpus.version", "corpus.document", "corpus.chunk", "queue.task"):
        assert ask(reference, f"select count(*) from {table}") == 0
    assert stage(reference, "Some text.", source="a.txt")["outcome"] == "staged"


def test_a_later_version_leaves_the_published_one_alone(reference: psycopg.Connection) -> None:
    first = add(reference, "The first text.", source="a.txt")
    second = stage(reference, "The second text.", source="a.txt")
    assert _discard(reference, second["version_id"])
    assert ask_rows(reference, "select version_id, state from corpus.version") == [
        (first.version_id, "published")
    ]


def test_what_was_published_or_never_was_is_not_removed(reference: psycopg.Connection) -> None:
    first = add(reference, "The first text.", source="a.txt")
    second = add(reference, "The second text.", source="a.txt")
    for version_id in (first.version_id, second.version_id, 4711):
        assert not _discard(reference, version_id)
    assert ask(reference, "select count(*) from corpus.version") == 2


def test_a_text_of_the_same_source_staged_meanwhile_keeps_its_document(
    db: psycopg.Connection, db_url: str
) -> None:
    load_reference(db)
    first = stage(db, "The first text.", source="a.txt")
    db.commit()
    with ThreadPoolExecutor(1) as pool, psycopg.connect(db_url) as other:
        second = stage(other, "The second text.", source="a.txt")
        waiting = pool.submit(_discard, db, first["version_id"])
        while not ask(
            other, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
        ):
            assert not waiting.done()
        other.commit()
        assert waiting.result(30)
        db.commit()
    assert ask_rows(db, "select version_id, document_id from corpus.version") == [
        (second["version_id"], first["document_id"])
    ]
