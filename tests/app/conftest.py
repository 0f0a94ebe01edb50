"""The app on a filled database, as its tests use it."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import OPEN, asking, fill_library
from tests.sandbox import shared_database


@pytest.fixture(scope="session")
def library_url(server_url: str, template: Any) -> Iterator[str]:
    """One filled database for every test that only asks."""
    with shared_database(server_url, template, fill_library) as url:
        yield url


@pytest.fixture
async def client(library_url: str) -> AsyncIterator[AsyncClient]:
    """The app on the filled database."""
    async with asking(create_app(from_environ(OPEN, database_url=library_url))) as one:
        yield one
