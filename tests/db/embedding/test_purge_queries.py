"""embedding.purge_queries: upkeep removes cached questions that nobody can use again."""

import psycopg
from psycopg.types.json import Jsonb

from tests.corpus import TOPICS, axis, literal
from tests.db.corpus_fixtures import ask, ask_rows


def _remember(db: psycopg.Connection, viewer: str) -> None:
    db.execute(
        "select embedding.remember_query(%s, 'a question', %s::public.vector)",
        [viewer, literal(axis(3))],
    )


def test_the_expired_go_and_the_others_stay(reference: psycopg.Connection) -> None:
    for viewer in ("kim", "lee"):
        _remember(reference, viewer)
    reference.execute("update embedding.query_cache set expires_at = now() where viewer = 'kim'")
    assert ask(reference, "select embedding.purge_queries()") == 1
    assert ask_rows(reference, "select viewer from embedding.query_cache") == [("lee",)]
    assert ask(reference, "select embedding.purge_queries()") == 0


def test_those_from_before_a_pack_was_loaded_go(reference: psycopg.Connection) -> None:
    _remember(reference, "kim")
    reference.execute("select terms.load_topics('send', %s)", [Jsonb(TOPICS)])
    _remember(reference, "lee")
    assert ask(reference, "select embedding.purge_queries()") == 1
    assert ask_rows(reference, "select viewer from embedding.query_cache") == [("lee",)]


def test_those_of_a_model_a_set_no_longer_has_go(reference: psycopg.Connection) -> None:
    """R-16."""
    _remember(reference, "kim")
    reference.execute("update embedding.set set model = 'a newer one' where active")
    _remember(reference, "lee")
    assert ask(reference, "select embedding.purge_queries()") == 1
    assert ask_rows(reference, "select viewer from embedding.query_cache") == [("lee",)]


def test_those_of_a_set_that_is_not_active_now_stay_for_its_return(
    reference: psycopg.Connection,
) -> None:
    _remember(reference, "kim")
    reference.execute("select embedding.activate('openai-3-large')")
    assert ask(reference, "select embedding.purge_queries()") == 0
