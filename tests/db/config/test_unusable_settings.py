"""config.unusable_settings: which setting makes requests fail, and who gave it the value."""

from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.db.corpus_fixtures import ask_rows


def _found(db: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    return ask_rows(
        db, "select name, value, given_by, is_ours from config.unusable_settings() order by 1, 2"
    )


def test_what_can_be_used_is_not_named(reference: psycopg.Connection) -> None:
    reference.execute("select config.install_setting('kb.top_k', '7')")
    reference.execute("select set_config('kb.rrf_k', '50', true)")
    assert _found(reference) == []


def test_the_value_of_this_session_is_named_with_what_it_can_be(
    reference: psycopg.Connection,
) -> None:
    reference.execute("select set_config('kb.top_k', '-1', true)")
    assert _found(reference) == [("kb.top_k", "-1", "this session", True)]
    assert ask_rows(reference, "select legal from config.unusable_settings()") == [
        ("Give an integer from 1 to 100.",)
    ]


@pytest.mark.parametrize(
    ("given_to", "given_by", "is_ours"),
    [
        ("database {database}", "database {database}", True),
        ("role pgkb_reader", "role pgkb_reader", False),
        ("role {login} in database {database}", "role {login} database {database}", True),
        ("role all", "all roles", True),
    ],
)
def test_a_value_for_the_next_connection_is_named_before_it_comes(
    reference: psycopg.Connection, given_to: str, given_by: str, is_ours: bool
) -> None:
    names = {"database": reference.info.dbname, "login": reference.info.user}
    quoted = {name: sql.Identifier(value) for name, value in names.items()}
    reference.execute(sql.SQL(f"alter {given_to} set kb.rrf_k = 'many'").format(**quoted))
    assert _found(reference) == [("kb.rrf_k", "many", given_by.format(**names), is_ours)]


def test_settings_of_other_programs_are_not_ours(reference: psycopg.Connection) -> None:
    reference.execute("alter role pgkb_reader set work_mem = '64MB'")
    reference.execute("alter role pgkb_reader set kb.no_such_setting = 'x'")
    assert _found(reference) == []
