"""Fixtures for the tests of SQL functions: one filled database, a transaction per test.

- `reference`: a connection to a database with the places, words and publishers of
  `tests/corpus.py`; all a test does is rolled back after it, commits included. For one connection.
- `filled_url`: the URL of that database, for a connection of the test's own, never committed.

Tests of what two connections do to each other take `db`, a database of their own.
`tests/db/<schema>/conftest.py` imports the fixtures.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, LiteralString
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from psycopg.abc import Params
from pytest_postgresql.executors import NoopExecutor

from tests.corpus import load_reference

Row = tuple[Any, ...]


class KeptConnection(psycopg.Connection[Row]):
    """A connection whose commits stay inside the one transaction that a fixture rolls back."""

    def commit(self) -> None:
        """Nothing: what helpers commit goes with the rest of the test."""


@pytest.fixture(scope="session")
def filled_url(template: NoopExecutor, server_url: str) -> Iterator[str]:
    """The URL of a database with the reference rows; the first folder that asks makes it."""
    name = f"{template.dbname}_filled"
    url = urlsplit(server_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(server_url, autocommit=True) as admin:
        there = admin.execute("select from pg_database where datname = %s", [name]).fetchone()
        if there is None:
            admin.execute(
                sql.SQL("create database {} template {}").format(
                    sql.Identifier(name), sql.Identifier(template.template_dbname)
                )
            )
            with psycopg.connect(url) as filled:
                load_reference(filled)
    yield url
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
        )


@pytest.fixture(scope="session")
def kept(filled_url: str) -> Iterator[KeptConnection]:
    """The connection behind `reference`; one for all tests, so that plans stay compiled."""
    connection = KeptConnection.connect(filled_url)
    yield connection
    connection.close()


@pytest.fixture
def reference(kept: KeptConnection) -> Iterator[psycopg.Connection]:
    """A superuser's connection inside a transaction that ends with the test."""
    kept.execute("select")
    yield kept
    kept.rollback()


def ask(db: psycopg.Connection[Any], query: LiteralString, *values: Any) -> Any:
    """The first column of the only row; `values` fill the %s in order."""
    rows = ask_rows(db, query, *values)
    assert len(rows) == 1, f"one row was expected, {len(rows)} came"
    return rows[0][0]


def ask_rows(db: psycopg.Connection[Any], query: LiteralString, *values: Any) -> list[Row]:
    """All rows; `values` fill the %s in order."""
    given: Params | None = values or None
    return db.execute(query, given).fetchall()


@contextmanager
def refused(db: psycopg.Connection[Any], code: str, *words: str) -> Iterator[None]:
    """The block must be refused with this SQLSTATE, a hint, and these words in what is told.

    What the block did is undone, and the test goes on in its transaction.
    """
    with pytest.raises(psycopg.Error) as caught, db.transaction():
        yield
    told = caught.value.diag
    assert told.sqlstate == code, f"{told.sqlstate}: {told.message_primary}"
    assert told.message_hint, "a refusal says what to do"
    whole = " ".join(
        part for part in (told.message_primary, told.message_detail, told.message_hint) if part
    )
    for word in words:
        assert word in whole
