"""config.install_setting: a value for the whole database."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, ask_rows, refused


def _install(db: psycopg.Connection, name: str, value: str | None) -> None:
    db.execute("select config.install_setting(%s, %s)", [name, value])


def _installed(db: psycopg.Connection, name: str) -> str | None:
    found: str | None = ask(db, "select installed_value from config.setting where name = %s", name)
    return found


def test_null_goes_back_to_the_default(reference: psycopg.Connection) -> None:
    _install(reference, "kb.top_k", "5")
    assert ask(reference, "select config.value('kb.top_k')") == "5"
    _install(reference, "kb.top_k", None)
    assert ask(reference, "select config.value('kb.top_k')") == "10"


def test_a_bad_value_is_refused_and_the_old_one_stays(reference: psycopg.Connection) -> None:
    _install(reference, "kb.top_k", "5")
    with refused(reference, "ST002", "kb.top_k", "from 1 to 100"):
        _install(reference, "kb.top_k", "1000")
    assert _installed(reference, "kb.top_k") == "5"


def test_an_unknown_setting_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "ST001", "kb.topk"):
        _install(reference, "kb.topk", "5")


def test_a_change_is_audited_and_a_repeat_is_not(reference: psycopg.Connection) -> None:
    for _ in range(2):
        _install(reference, "kb.top_k", "5")
    assert ask_rows(
        reference,
        "select subject, detail from audit.event where kind = 'setting_changed'",
    ) == [("kb.top_k", {"value": "5"})]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kb.chunk_overlap", "1000"),
        ("kb.chunk_overlap", "1001"),
        ("kb.chunk_size", "200"),
        ("kb.chunk_minimum", "1001"),
    ],
)
def test_chunk_settings_that_cannot_work_together_are_refused_when_they_are_set(
    reference: psycopg.Connection, name: str, value: str
) -> None:
    """P-04."""
    with refused(reference, "ST002", name, value, "kb.chunk_overlap must be less"):
        _install(reference, name, value)
    assert _installed(reference, name) is None


def test_chunk_settings_that_work_together_are_taken_in_a_fitting_order(
    reference: psycopg.Connection,
) -> None:
    _install(reference, "kb.chunk_overlap", "100")
    _install(reference, "kb.chunk_size", "150")
    _install(reference, "kb.chunk_size", None)
    _install(reference, "kb.chunk_overlap", "999")
    assert _installed(reference, "kb.chunk_overlap") == "999"
