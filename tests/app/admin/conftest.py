"""An office to work in, with an embedder that costs nothing."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from app.access.user import Role
from app.asgi import create_app
from app.settings import from_environ
from ingest import worker
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.app.admin.office import Office, brisk
from tests.app.library import asking, load_places_and_words
from tests.app.people import sign_in
from tests.providers.fake_openai import fake_openai
from tests.sandbox import shared_database


@pytest.fixture(scope="session")
def embedder() -> Iterator[Embedder]:
    """An embedder made like the active set's, that asks a server of the test."""
    with fake_openai() as server:
        one = embedder_for(
            "compatible",
            "all-MiniLM-L6-v2-int8",
            384,
            {"PGKB_EMBED_BASE_URL": server.url, "PGKB_EMBED_SEND_DIMENSIONS": "1"},
        )
        yield one
        one.close()


@asynccontextmanager
async def _opened(url: str, spool: Path, embedder: Embedder) -> AsyncIterator[Office]:
    # a busy machine takes its time to start what parses
    environ = {"PGKB_UPLOAD_DIR": str(spool), "PGKB_UPLOAD_WAIT_SECONDS": "60"}
    app = create_app(from_environ(environ, database_url=url))
    async with asking(app) as client:
        yield Office(
            app=app,
            client=client,
            url=url,
            spool=spool,
            embedder=embedder,
            curator=sign_in(app, Role.CURATOR),
            admin=sign_in(app, Role.ADMIN),
        )


@pytest.fixture
async def office(
    db: psycopg.Connection, db_url: str, tmp_path: Path, embedder: Embedder
) -> AsyncIterator[Office]:
    """The app over a database with places and no documents."""
    load_places_and_words(db)
    db.commit()
    async with _opened(db_url, tmp_path / "uploads", embedder) as one:
        yield one


@dataclass(frozen=True, slots=True)
class Premises:
    """A database and a spool that a worker looks after."""

    url: str
    spool: Path


@pytest.fixture(scope="module")
def premises(
    server_url: str, template: Any, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Premises]:
    """Shared by the tests of a module, as the process that parses takes a second to start."""
    with shared_database(server_url, template, load_places_and_words) as url:
        spool = tmp_path_factory.mktemp("uploads")
        stop = threading.Event()
        hired = threading.Thread(
            target=worker.run,
            args=(url,),
            kwargs={"embedder": embedder, "stop": stop, "settings": brisk(spool)},
        )
        hired.start()
        yield Premises(url, spool)
        stop.set()
        hired.join()


@pytest.fixture
async def staffed(premises: Premises, embedder: Embedder) -> AsyncIterator[Office]:
    """The app over a database that a worker looks after; other tests have left documents there."""
    async with _opened(premises.url, premises.spool, embedder) as one:
        yield one
