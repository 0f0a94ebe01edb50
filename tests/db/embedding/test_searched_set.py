"""A search names the set its vector was made for, so no vector meets those of another model."""

import psycopg
import pytest

from tests.corpus import add, axis, near, search
from tests.db.corpus_fixtures import ask, refused
from tests.db.embedding.filling import SMALL, WIDTH, add_small, fill

OTHER = "other"


@pytest.fixture
def two(reference: psycopg.Connection) -> psycopg.Connection:
    """Two filled sets of one width whose models say the opposite, the first active."""
    add(reference, "Some text.", source="a.txt")
    for name, dimension in ((SMALL, 1), (OTHER, 2)):
        add_small(reference, name, model=name)
        fill(reference, name, dimension)
    reference.execute("select embedding.activate(%s)", [SMALL])
    return reference


def _similarity(
    db: psycopg.Connection, dimension: int, embedding_set: str | None = None
) -> float | None:
    rows = search(db, vector=axis(dimension, WIDTH), embedding_set=embedding_set)
    return rows[0]["similarity"] if rows else None


def test_a_vector_of_before_the_switch_is_searched_in_its_own_set(
    two: psycopg.Connection,
) -> None:
    assert _similarity(two, 1, embedding_set=SMALL) == pytest.approx(1)
    two.execute("select embedding.activate(%s)", [OTHER])
    assert _similarity(two, 1, embedding_set=SMALL) == pytest.approx(1)
    assert _similarity(two, 1) is None, "in the other model it means nothing"
    assert _similarity(two, 2) == pytest.approx(1)
    assert _similarity(two, 2, embedding_set=OTHER) == pytest.approx(1)


def test_floors_are_those_of_the_set_that_is_named(two: psycopg.Connection) -> None:
    two.execute("update embedding.set set relevance_floor = 0.99 where name = %s", [OTHER])
    two.execute("select embedding.activate(%s)", [OTHER])
    asked = near(1, 0.9, towards=5, width=WIDTH)
    assert len(search(two, vector=asked, embedding_set=SMALL)) == 1
    assert search(two, vector=near(2, 0.9, towards=5, width=WIDTH)) == []


def test_a_set_that_is_not_kept_whole_is_not_searched(two: psycopg.Connection) -> None:
    for name in (OTHER, "openai-3-large"):
        with refused(two, "VE010", name, "active set"):
            search(two, vector=axis(2, WIDTH), embedding_set=name)
    with refused(two, "VE005", "word2vec"):
        search(two, vector=axis(2, WIDTH), embedding_set="word2vec")


def test_a_set_stopped_after_the_switch_is_not_searched(two: psycopg.Connection) -> None:
    two.execute("select embedding.activate(%s)", [OTHER])
    two.execute("select embedding.stop_fill(%s)", [SMALL])
    with refused(two, "VE010", SMALL):
        search(two, vector=axis(1, WIDTH), embedding_set=SMALL)


def test_explanations_take_the_name_too(two: psycopg.Connection) -> None:
    two.execute("select embedding.activate(%s)", [OTHER])
    vector = str(axis(1, WIDTH))
    key = ask(two, "select set_id from embedding.set where name = %s", SMALL)
    assert (
        ask(
            two,
            "select (detail ->> 'set_id')::integer from explain_search(%s, null,"
            " embedding_set => %s) where stage = 'request'",
            vector,
            SMALL,
        )
        == key
    )
    chunk = ask(two, "select max(chunk_id) from corpus.chunk")
    assert (
        ask(
            two,
            "select place from why_not(%s, %s, null, embedding_set => %s)",
            chunk,
            vector,
            SMALL,
        )
        == 1
    )


def test_the_set_to_go_back_to_is_the_one_before(two: psycopg.Connection) -> None:
    assert ask(two, "select name from embedding.previous_set()") == "local-minilm"
    two.execute("select embedding.activate(%s)", [OTHER])
    assert ask(two, "select name from embedding.previous_set()") == SMALL
    two.execute("select embedding.stop_fill(%s)", [SMALL])
    assert ask(two, "select name from embedding.previous_set()") == "local-minilm"
    two.execute("select embedding.stop_fill('local-minilm')")
    with refused(two, "VE014"):
        two.execute("select embedding.previous_set()")


def test_a_question_is_remembered_for_the_set_it_was_embedded_for(
    two: psycopg.Connection,
) -> None:
    cached = "select embedding.cached_query('ann', 'taxi')::text"
    two.execute("select embedding.activate(%s)", [OTHER])
    two.execute(
        "select embedding.remember_query('ann', 'taxi', %s, %s)", [str(axis(1, WIDTH)), SMALL]
    )
    assert ask(two, cached) is None
    assert ask(two, "select embedding.cached_query('ann', 'taxi', %s) is not null", SMALL)
    two.execute("select embedding.activate(%s)", [SMALL])
    assert ask(two, cached) is not None
