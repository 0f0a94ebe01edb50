"""config.check_value: what a setting can be, and what the refusal says."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused


def _check(db: psycopg.Connection, name: str, value: str | None) -> None:
    db.execute("select config.check_value(%s, %s)", [name, value])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kb.rrf_k", "60"),
        ("kb.rrf_k", "1"),
        ("kb.rrf_k", "1000"),
        ("kb.rrf_k", "+60.5"),
        ("kb.retrieval_floor", "-1"),
        ("kb.retrieval_floor", ".15"),
        ("kb.top_k", "10"),
        ("kb.chunk_expansion_enabled", "OFF"),
        ("kb.chunk_expansion_enabled", "yes"),
        ("kb.visible_statuses", "approved"),
        ("kb.visible_statuses", "approved, pending"),
        ("kb.keyword_mode", "vector_first"),
        ("kb.text_config", "simple"),
        ("kb.text_config", "pg_catalog.English"),
        ("kb.rrf_k", None),
    ],
)
def test_a_legal_value_is_taken(
    reference: psycopg.Connection, name: str, value: str | None
) -> None:
    _check(reference, name, value)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("kb.rrf_k", "0", "from 1 to 1000"),
        ("kb.rrf_k", "1000.1", "from 1 to 1000"),
        ("kb.rrf_k", "sixty", "number"),
        ("kb.rrf_k", "NaN", "number"),
        ("kb.rrf_k", "Infinity", "number"),
        ("kb.rrf_k", "6e1", "number"),
        ("kb.rrf_k", "6;0", "number"),
        ("kb.rrf_k", "60\n", "number"),
        ("kb.rrf_k", "9" * 400, "number"),
        ("kb.candidates", "5000", "from 1 to 1000"),
        ("kb.candidates", "50.5", "integer"),
        ("kb.top_k", "", "integer"),
        ("kb.chunk_expansion_enabled", "perhaps", "on or off"),
        ("kb.visible_statuses", "approved,superseded", "approved, pending"),
        ("kb.visible_statuses", "", "approved, pending"),
        ("kb.visible_statuses", "approved,,pending", "approved, pending"),
        ("kb.keyword_mode", "fast", "corpus, vector_first"),
        ("kb.keyword_mode", "CORPUS", "corpus, vector_first"),
        ("kb.text_config", "klingon", "text search configuration"),
        ("kb.text_config", "   ", "text search configuration"),
        ("kb.text_config", 'a"b', "text search configuration"),
        ("kb.text_config", "-", "text search configuration"),
    ],
)
def test_an_illegal_value_is_refused_and_the_hint_says_what_is_legal(
    reference: psycopg.Connection, name: str, value: str, told: str
) -> None:
    with refused(reference, "ST002", name, told):
        _check(reference, name, value)


def test_a_long_bad_value_is_quoted_only_in_part(reference: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as caught, reference.transaction():
        _check(reference, "kb.keyword_mode", "x" * 5000)
    assert len(caught.value.diag.message_primary or "") < 120


@pytest.mark.parametrize("name", ["kb.rrf_kk", "rrf_k", "", "work_mem"])
def test_a_setting_that_does_not_exist_is_refused(reference: psycopg.Connection, name: str) -> None:
    with refused(reference, "ST001", name, "config.settings"):
        _check(reference, name, "1")


def test_every_default_is_a_legal_value(reference: psycopg.Connection) -> None:
    for name, default in ask_rows(reference, "select name, default_value from config.setting"):
        _check(reference, name, default)
    assert ask(reference, "select count(*) from config.setting") > 25
