"""embedding.index_statements: the indexes of a set can be made again from its row."""

import re
from typing import Any

import psycopg
import pytest

from tests.rows import rows_of, value_of
from tests.sandbox import refused


def definition(db: psycopg.Connection[Any], name: str) -> str:
    return str(value_of(db, "select pg_get_indexdef(('embedding.' || %s)::regclass)", [name]))


@pytest.mark.parametrize("name", ["local-minilm", "openai-3-large"])
def test_they_make_the_indexes_that_are_there(
    reference: psycopg.Connection[Any], name: str
) -> None:
    rows = rows_of(reference, "embedding.index_statements(%s, false)", [name])
    assert len(rows) == 2
    before = [definition(reference, row["index_name"]) for row in rows]
    for row in rows:
        reference.execute(f"drop index embedding.{row['index_name']}".encode())
        reference.execute(row["statement"].encode())
    assert [definition(reference, row["index_name"]) for row in rows] == before


def test_kind_and_build_settings_are_those_of_the_row(reference: psycopg.Connection[Any]) -> None:
    reference.execute(
        "update embedding.set set index_kind = 'binary', index_m = 8, index_ef_construction = 40 "
        "where name = 'local-minilm'"
    )
    for row in rows_of(reference, "embedding.index_statements('local-minilm')"):
        assert "concurrently" in row["statement"]
        assert "bit(384)" in row["statement"]
        assert re.search(r"m = 8, ef_construction = 40", row["statement"])


def test_an_unknown_set_is_refused(reference: psycopg.Connection[Any]) -> None:
    with refused(reference, "VE005"):
        reference.execute("select embedding.index_statements('nobody')")
