"""embedding.activate: the switch to another model, when it is whole."""

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.corpus import add, axis, literal, load_reference, search, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

LARGE = "openai-3-large"


def _fill(db: psycopg.Connection, ids: list[int], dimension: int = 1) -> None:
    db.execute(
        "select embedding.store_vectors(%s, %s, %s)",
        [ids, [literal(axis(dimension, 1536))] * len(ids), LARGE],
    )


def test_a_set_that_lacks_vectors_is_refused_with_their_number(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, "Some sentences of text. " * 100, source="a.txt")
    _fill(reference, added.chunk_ids[1:])
    with refused(reference, "VE006", LARGE, "1 chunks", "pgkb reembed"):
        reference.execute("select embedding.activate(%s)", [LARGE])
    assert ask(reference, "select name from embedding.active_set()") == "local-minilm"


def test_a_filled_set_takes_over_and_gives_back(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt", vector=axis(3))
    stage(reference, "A text that nobody sees needs no vector yet.", source="b.txt")
    _fill(reference, added.chunk_ids, dimension=900)
    reference.execute("select embedding.activate(%s)", [LARGE])
    assert search(reference, vector=axis(900, 1536))[0]["similarity"] == pytest.approx(1)
    with refused(reference, "VE002", "384", "1536", "text-embedding-3-large"):
        search(reference, vector=axis(3))
    reference.execute("select embedding.activate('local-minilm')")
    assert search(reference, vector=axis(3))[0]["similarity"] == pytest.approx(1)
    assert ask_rows(
        reference,
        "select subject from audit.event where kind = 'embedding_set_activated' order by event_id",
    ) == [(LARGE,), ("local-minilm",)]


def test_activating_the_active_set_changes_nothing(reference: psycopg.Connection) -> None:
    reference.execute("select embedding.activate('local-minilm')")
    assert ask(reference, "select count(*) from audit.event") == 0


def test_an_unknown_set_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "VE005", "word2vec"):
        reference.execute("select embedding.activate('word2vec')")


def test_the_admin_may_switch_and_ingest_may_not(reference: psycopg.Connection) -> None:
    with role(reference, "pgkb_admin"):
        reference.execute("select embedding.activate(%s)", [LARGE])
    assert ask(reference, "select name from embedding.active_set()") == LARGE
    reference.execute("set local role pgkb_ingest")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reference.execute("select embedding.activate('local-minilm')")


def test_a_version_staged_for_the_old_set_needs_the_new_ones_vectors(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, "Some text.", source="a.txt")
    ((chunk, _),) = ask_rows(
        reference, "select * from embedding.chunks_to_embed(%s)", staged["version_id"]
    )
    reference.execute("select embedding.store_vectors(%s, %s)", [[chunk], [literal(axis(1))]])
    reference.execute("select embedding.activate(%s)", [LARGE])
    with refused(reference, "KB010", LARGE):
        reference.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    assert ask_rows(
        reference, "select chunk_id from embedding.chunks_to_embed(%s)", staged["version_id"]
    ) == [(chunk,)]
    _fill(reference, [chunk])
    reference.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    assert len(search(reference, vector=axis(1, 1536))) == 1


def test_a_publisher_and_a_switch_at_once_leave_no_chunk_without_a_vector(
    db: psycopg.Connection, db_url: str
) -> None:
    """The switch waits for the publisher, then sees what it published."""
    load_reference(db)
    staged = stage(db, "Some text.", source="a.txt")
    ((chunk, _),) = ask_rows(
        db, "select * from embedding.chunks_to_embed(%s)", staged["version_id"]
    )
    db.execute("select embedding.store_vectors(%s, %s)", [[chunk], [literal(axis(1))]])
    db.commit()
    with ThreadPoolExecutor(1) as pool, psycopg.connect(db_url) as other:
        db.execute("select corpus.publish_version(%s)", [staged["version_id"]])

        def switch() -> None:
            with refused(other, "VE006", "1 chunks"):
                other.execute("select embedding.activate(%s)", [LARGE])

        waiting = pool.submit(switch)
        time.sleep(0.1)
        db.commit()
        waiting.result(30)
    assert ask(db, "select name from embedding.active_set()") == "local-minilm"
