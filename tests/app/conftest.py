"""The app on a filled database, as its tests use it."""

import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from httpx import AsyncClient
from psycopg import sql

from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import OPEN, asking, fill_library


@pytest.fixture(scope="session")
def library_url(server_url: str, template: Any) -> Iterator[str]:
    """One filled database for every test that only asks."""
    name = f"{template.template_dbname}_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL("create database {} template {}").format(
                sql.Identifier(name), sql.Identifier(template.template_dbname)
            )
        )
    url = urlsplit(server_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(url) as db:
        fill_library(db)
    yield url
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
async def client(library_url: str) -> AsyncIterator[AsyncClient]:
    """The app on the filled database."""
    async with asking(create_app(from_environ(OPEN, database_url=library_url))) as one:
        yield one
