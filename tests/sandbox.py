"""Databases that many tests share, and connections that leave nothing behind in them.

Cloning the template takes most of a second and filling a clone takes many; a transaction takes
nothing. Tests that need no second connection work inside one that is never committed.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import Diagnostic
from pytest_postgresql.executors import NoopExecutor

from tests.corpus import load_reference

Fill = Callable[[psycopg.Connection[Any]], None]
# the databases of this session, by what they were filled with: folders share them
_made: dict[tuple[str, Fill], str] = {}


class Held(psycopg.Connection[Any]):
    """A connection whose `commit` does nothing: what a test adds goes when it is rolled back."""

    def commit(self) -> None:
        """Nothing; the helpers of tests/corpus.py commit after every document."""


# connections that no test uses just now, by URL
_idle: dict[str, list[Held]] = {}


@contextmanager
def shared_database(
    server_url: str, template: NoopExecutor, fill: Fill = load_reference
) -> Iterator[str]:
    """The URL of a clone of the deployed product, filled once for the whole session.

    For session fixtures: whoever asks first makes it, and drops it at the session's end.
    """
    key = (server_url, fill)
    if key in _made:
        yield _made[key]
        return
    name = f"shared_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL("create database {} template {}").format(
                sql.Identifier(name), sql.Identifier(template.template_dbname)
            )
        )
    url = urlsplit(server_url)._replace(path=f"/{name}").geturl()
    try:
        with psycopg.connect(url) as db:
            fill(db)
        _made[key] = url
        yield url
    finally:
        _made.pop(key, None)
        for idle in _idle.pop(url, []):
            idle.close()
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def held(url: str, *, fresh: bool = False) -> Iterator[psycopg.Connection[Any]]:
    """A connection to a shared database; everything it did is undone at the end.

    The next test gets the same one, unless it wants a fresh one: a session that has called the
    functions before calls them several times faster, as it has their plans.
    """
    idle = _idle.setdefault(url, [])
    db = idle.pop() if idle and not fresh else Held.connect(url)
    try:
        yield db
    finally:
        if fresh or db.broken:
            db.close()
        else:
            db.rollback()
            idle.append(db)


@contextmanager
def notices_of(db: psycopg.Connection[Any]) -> Iterator[list[str]]:
    """What the server has to say while the block runs."""
    said: list[str] = []

    def note(notice: Diagnostic) -> None:
        said.append(str(notice.message_primary))

    db.add_notice_handler(note)
    try:
        yield said
    finally:
        db.remove_notice_handler(note)


@contextmanager
def refused(
    db: psycopg.Connection[Any], sqlstate: str
) -> Iterator[pytest.ExceptionInfo[psycopg.Error]]:
    """The block must fail with this SQLSTATE; the transaction around it stays usable."""
    with pytest.raises(psycopg.Error) as caught, db.transaction():
        yield caught
    assert caught.value.sqlstate == sqlstate, caught.value
