"""Fixtures of the deploy engine's tests: a small tree of files, and a login without powers."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo, sql

from db.preflight import ROLES
from tests.sql_tree import SqlTree


@pytest.fixture
def tree(tmp_path: Path) -> SqlTree:
    """Files that deploy: a schema, a table, a function, a trigger and a grant."""
    made = SqlTree(tmp_path)
    made.function("count_books", "select count(*) from shelf.book")
    made.trigger()
    made.grants("grant usage on schema shelf to pgkb_reader;\n")
    return made


@pytest.fixture
def plain_url(blank_url: str, server_url: str) -> Iterator[str]:
    """The blank database, owned by a new login that is no superuser but may act as pgkb_owner.

    The roles and the extension are there, as a superuser would have left them.
    """
    login = f"plain_{secrets.token_hex(4)}"
    name = conninfo.conninfo_to_dict(blank_url)["dbname"]
    with psycopg.connect(server_url, autocommit=True) as admin:
        there = {row[0] for row in admin.execute("select rolname from pg_roles")}
        for role in ROLES:
            if role not in there:
                admin.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        admin.execute(
            sql.SQL("create role {} login password 'plain' in role pgkb_owner").format(
                sql.Identifier(login)
            )
        )
        admin.execute(
            sql.SQL("alter database {} owner to {}").format(
                sql.Identifier(str(name)), sql.Identifier(login)
            )
        )
    with psycopg.connect(blank_url, autocommit=True) as admin:
        admin.execute("create extension vector with schema public")
    yield conninfo.make_conninfo(blank_url, user=login, password="plain")
    with psycopg.connect(blank_url, autocommit=True) as admin:
        admin.execute(sql.SQL("reassign owned by {} to current_user").format(sql.Identifier(login)))
        admin.execute(sql.SQL("drop owned by {}").format(sql.Identifier(login)))
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL("alter database {} owner to current_user").format(sql.Identifier(str(name)))
        )
        admin.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))
