"""embedding.remember_query: what is kept of a question, and for how long."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import psycopg
import pytest

from tests.corpus import axis, literal
from tests.db.corpus_fixtures import ask, ask_rows, refused

QUESTION = "Who pays for the taxi of my son Finley?"


def _remember(
    db: psycopg.Connection,
    viewer: str | None = "kim",
    question: str | None = QUESTION,
    vector: str | None = None,
) -> None:
    db.execute(
        "select embedding.remember_query(%s::text, %s::text, %s::public.vector)",
        [viewer, question, vector or literal(axis(3))],
    )


def test_the_question_itself_is_not_kept(reference: psycopg.Connection) -> None:
    _remember(reference)
    kept = ask(reference, "select to_jsonb(q)::text from embedding.query_cache as q")
    assert "finley" not in kept.lower()
    assert "taxi" not in kept.lower()


def test_a_question_asked_again_is_kept_once_and_longer(reference: psycopg.Connection) -> None:
    _remember(reference)
    reference.execute("update embedding.query_cache set expires_at = now() - interval '1 day'")
    _remember(reference, vector=literal(axis(4)))
    assert ask_rows(
        reference,
        "select expires_at > now() + interval '29 days', "
        "embedding operator(public.<=>) %s::public.halfvec < 0.01 from embedding.query_cache",
        literal(axis(4)),
    ) == [(True, True)]


def test_the_setting_says_how_long(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.query_cache_days = 2")
    _remember(reference)
    assert ask(
        reference, "select expires_at - now() = interval '2 days' from embedding.query_cache"
    )


def test_zero_days_keep_nothing(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.query_cache_days = 0")
    _remember(reference)
    assert ask(reference, "select count(*) from embedding.query_cache") == 0


NO_NAME = "".join(chr(0x4E00 + n) for n in range(3000))


@pytest.mark.parametrize(
    ("viewer", "question"), [(None, QUESTION), ("kim", None), (NO_NAME, QUESTION)]
)
def test_nobodys_question_is_not_kept(
    reference: psycopg.Connection, viewer: str | None, question: str | None
) -> None:
    _remember(reference, viewer, question)
    assert ask(reference, "select count(*) from embedding.query_cache") == 0


@pytest.mark.parametrize(
    ("vector", "code"),
    [(literal([0.0] * 384), "VE001"), (literal(axis(3, 1536)), "VE002"), ("[1]", "VE002")],
)
def test_what_is_no_vector_of_the_active_set_is_refused(
    reference: psycopg.Connection, vector: str, code: str
) -> None:
    with refused(reference, code, "all-MiniLM-L6-v2-int8", "384"):
        _remember(reference, vector=vector)
    assert ask(reference, "select count(*) from embedding.query_cache") == 0


def test_a_missing_vector_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "VE003", "missing"):
        reference.execute("select embedding.remember_query('kim', 'taxi', null)")


def test_a_read_only_transaction_keeps_nothing_and_says_so(reference: psycopg.Connection) -> None:
    reference.execute("savepoint writable")
    reference.execute("set transaction read only")
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        _remember(reference)
    reference.execute("rollback to savepoint writable")
    assert ask(reference, "select count(*) from embedding.query_cache") == 0


def test_one_question_remembered_by_six_at_once_is_kept_once(
    db: psycopg.Connection, db_url: str
) -> None:
    barrier = Barrier(6, timeout=30)

    def remember(number: int) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            own.execute("set lock_timeout = '10s'")
            barrier.wait()
            for _ in range(20):
                _remember(own, vector=literal(axis(number)))
                own.execute("select embedding.purge_queries()")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(remember, range(6)))
    assert ask_rows(db, "select count(*), count(distinct viewer) from embedding.query_cache") == [
        (1, 1)
    ]
