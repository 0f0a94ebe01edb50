"""The large corpus, and a superuser's connection to it that leaves nothing behind."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests import bulk_corpus
from tests.sandbox import held, shared_database


@pytest.fixture(scope="session")
def large_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    """The URL of the database with the large corpus, see tests/bulk_corpus.py."""
    with shared_database(server_url, template, bulk_corpus.fill) as url:
        yield url


@pytest.fixture
def large(large_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A new connection to it, with no plans yet; what the test did is undone afterwards."""
    with held(large_url, fresh=True) as db:
        yield db
