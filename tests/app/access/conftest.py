"""The app with passwords that cost next to nothing, on the filled database."""

from collections.abc import AsyncIterator

import psycopg
import pytest
from argon2 import PasswordHasher
from httpx import AsyncClient
from litestar import Litestar

from app.access.passwords import Passwords
from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import asking


@pytest.fixture
def house(library_url: str) -> Litestar:
    """The app itself."""
    with psycopg.connect(library_url) as db:
        db.execute("delete from limits.bucket")
    return create_app(
        from_environ({}, database_url=library_url),
        passwords=Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
    )


@pytest.fixture
async def door(house: Litestar) -> AsyncIterator[AsyncClient]:
    """A client of it."""
    async with asking(house) as client:
        yield client
