"""embedding.cached_query: the vector of a question, for whom it was made and while it holds."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import SYNONYMS, axis, literal
from tests.db.corpus_fixtures import ask
from tests.roles import role

QUESTION = "Who pays for the taxi?"


def _remember(db: psycopg.Connection, viewer: str, question: str, width: int = 384) -> None:
    db.execute(
        "select embedding.remember_query(%s, %s, %s::public.vector)",
        [viewer, question, literal(axis(3, width))],
    )


def _cached(db: psycopg.Connection, viewer: str | None, question: str | None) -> str | None:
    found: str | None = ask(
        db, "select embedding.cached_query(%s::text, %s::text)::text", viewer, question
    )
    return found


def test_the_vector_comes_back_whole(reference: psycopg.Connection) -> None:
    _remember(reference, "kim", QUESTION)
    found = _cached(reference, "kim", QUESTION)
    assert found is not None
    assert [float(x) for x in found.strip("[]").split(",")] == axis(3)


def test_the_same_words_in_another_spelling_hit(reference: psycopg.Connection) -> None:
    _remember(reference, "kim", "They won't assess")
    assert _cached(reference, "kim", " they  WON’T assess ")


@pytest.mark.parametrize(
    ("viewer", "question"),
    [
        ("lee", QUESTION),
        ("Kim", QUESTION),
        (None, QUESTION),
        ("kim", "Who pays for the bus?"),
        ("kim", ""),
        ("kim", None),
    ],
)
def test_another_viewer_or_another_question_misses(
    reference: psycopg.Connection, viewer: str | None, question: str | None
) -> None:
    """A-03."""
    _remember(reference, "kim", QUESTION)
    assert _cached(reference, viewer, question) is None


def test_another_set_misses_and_both_widths_are_kept_side_by_side(
    reference: psycopg.Connection,
) -> None:
    """R-16."""
    _remember(reference, "kim", QUESTION)
    reference.execute("select embedding.activate('openai-3-large')")
    assert _cached(reference, "kim", QUESTION) is None
    _remember(reference, "kim", QUESTION, width=1536)
    found = _cached(reference, "kim", QUESTION)
    assert found is not None
    assert found.count(",") == 1535
    reference.execute("select embedding.activate('local-minilm')")
    found = _cached(reference, "kim", QUESTION)
    assert found is not None
    assert found.count(",") == 383


def test_another_model_in_the_same_set_misses(reference: psycopg.Connection) -> None:
    """R-16."""
    _remember(reference, "kim", QUESTION)
    reference.execute("update embedding.set set model = 'a newer one' where active")
    assert _cached(reference, "kim", QUESTION) is None
    _remember(reference, "kim", QUESTION)
    assert _cached(reference, "kim", QUESTION)


def test_another_width_of_the_same_set_misses(reference: psycopg.Connection) -> None:
    """R-16."""
    _remember(reference, "kim", QUESTION)
    reference.execute("update embedding.set set width = 256 where active")
    assert _cached(reference, "kim", QUESTION) is None


def test_the_viewers_of_two_logins_never_share(reference: psycopg.Connection) -> None:
    """A-03: also where a login is named as a viewer of another is, or is one with its viewer."""
    for login in ("ann", "bob"):
        reference.execute(f"create role {login} in role pgkb_app".encode())
    reference.execute("set session authorization ann")
    for viewer in ("", "kim", "bob", "bob kim"):
        _remember(reference, viewer, QUESTION)
    reference.execute("set session authorization bob")
    for viewer in ("", "kim", "ann", "ann kim", "bob"):
        assert _cached(reference, viewer, QUESTION) is None
    reference.execute("set session authorization ann")
    assert _cached(reference, "kim", QUESTION)
    reference.execute("reset session authorization")


def test_a_read_only_transaction_reads_the_cache(reference: psycopg.Connection) -> None:
    _remember(reference, "kim", QUESTION)
    reference.execute("set transaction read only")
    assert _cached(reference, "kim", QUESTION)


@pytest.mark.parametrize(
    "load", ["terms.load_synonyms", "terms.load_topics", "corpus.load_ranks", "corpus.load_domains"]
)
def test_after_a_pack_was_loaded_again_nothing_older_is_used(
    reference: psycopg.Connection, load: str
) -> None:
    _remember(reference, "kim", QUESTION)
    rows = SYNONYMS if load == "terms.load_synonyms" else []
    reference.execute(f"select {load}('send', %s)".encode(), [Jsonb(rows)])
    assert _cached(reference, "kim", QUESTION) is None


def test_an_expired_vector_is_not_used(reference: psycopg.Connection) -> None:
    _remember(reference, "kim", QUESTION)
    reference.execute("update embedding.query_cache set expires_at = now()")
    assert _cached(reference, "kim", QUESTION) is None


def test_the_app_may_keep_and_read_query_vectors(reference: psycopg.Connection) -> None:
    with role(reference, "pgkb_app"):
        _remember(reference, "kim", QUESTION)
        assert _cached(reference, "kim", QUESTION)
