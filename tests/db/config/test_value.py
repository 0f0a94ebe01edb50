"""config.value: session over installed over default, checked whenever it is read."""

import secrets

import psycopg
import pytest
from psycopg import sql

from tests.corpus import load_reference, stage
from tests.db.corpus_fixtures import ask, refused


def _value(db: psycopg.Connection, name: str = "kb.rrf_k") -> str | None:
    found: str | None = ask(db, "select config.value(%s)", name)
    return found


def test_the_default_holds_when_nobody_set_anything(reference: psycopg.Connection) -> None:
    assert _value(reference) == "60"


def test_a_setting_of_the_embedding_set_has_no_value_of_its_own(
    reference: psycopg.Connection,
) -> None:
    assert _value(reference, "kb.relevance_threshold") is None


def test_an_installed_value_beats_the_default(reference: psycopg.Connection) -> None:
    reference.execute("select config.install_setting('kb.rrf_k', '40')")
    assert _value(reference) == "40"


def test_a_session_value_beats_the_installed_one(reference: psycopg.Connection) -> None:
    reference.execute("select config.install_setting('kb.rrf_k', '40')")
    reference.execute("set kb.rrf_k = 20")
    assert _value(reference) == "20"
    reference.execute("reset kb.rrf_k")
    assert _value(reference) == "40"


def test_an_empty_session_value_counts_as_none(reference: psycopg.Connection) -> None:
    reference.execute("set kb.rrf_k = ''")
    assert _value(reference) == "60"


def test_set_local_holds_in_its_transaction_only(filled_url: str) -> None:
    with psycopg.connect(filled_url, autocommit=True) as own:
        with own.transaction():
            own.execute("set local kb.rrf_k = 7")
            assert _value(own) == "7"
        assert _value(own) == "60"


def test_a_session_value_does_not_reach_other_sessions(
    reference: psycopg.Connection, filled_url: str
) -> None:
    with psycopg.connect(filled_url) as other:
        other.execute("set kb.rrf_k = 7")
        assert _value(reference) == "60"


def test_a_value_of_the_role_holds_for_its_sessions(db: psycopg.Connection, db_url: str) -> None:
    login = f"tuned_{secrets.token_hex(4)}"
    name = sql.Identifier(login)
    db.execute(sql.SQL("create role {} superuser login password 'tuned'").format(name))
    try:
        db.execute(sql.SQL("alter role {} set kb.rrf_k = 33").format(name))
        db.execute("select config.install_setting('kb.rrf_k', '40')")
        db.commit()
        with psycopg.connect(db_url, user=login, password="tuned") as session:
            assert _value(session) == "33"
            assert ask(session, "select source from config.settings where name = 'kb.rrf_k'") == (
                "session or role"
            )
        with psycopg.connect(db_url) as session:
            assert _value(session) == "40"
    finally:
        db.rollback()
        db.execute(sql.SQL("drop role {}").format(name))
        db.commit()


def test_a_bad_session_value_is_refused_where_it_is_read(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.rrf_k = 'many'")
    with refused(reference, "ST002", "kb.rrf_k", "many"):
        _value(reference)


def test_an_unknown_setting_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "ST001", "kb.nothing"):
        _value(reference, "kb.nothing")


@pytest.mark.parametrize(("size", "overlap"), [("500", "500"), ("100", "7999")])
def test_chunk_settings_that_cannot_work_refuse_the_document_and_store_nothing(
    reference: psycopg.Connection, size: str, overlap: str
) -> None:
    reference.execute("select set_config('kb.chunk_size', %s, true)", [size])
    reference.execute("select set_config('kb.chunk_overlap', %s, true)", [overlap])
    with refused(reference, "KB005", size, overlap):
        stage(reference, "A text that is fine.", source="fine.txt")
    assert ask(reference, "select count(*) from corpus.document") == 0


def test_an_unusable_text_configuration_is_refused_by_name(db: psycopg.Connection) -> None:
    load_reference(db)
    db.execute("set kb.text_config = 'klingon'")
    with refused(db, "ST002", "kb.text_config", "klingon"):
        db.execute("select terms.build_tsquery('appeal')")
