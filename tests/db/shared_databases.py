"""Databases these tests share, and connections to them that leave nothing behind."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests import bulk_corpus, scoped_corpus
from tests.sandbox import held, shared_database


@pytest.fixture(scope="session")
def kb_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    """The URL of a database with reference data and no document."""
    with shared_database(server_url, template) as url:
        yield url


@pytest.fixture
def kb(kb_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to it; what the test did is undone afterwards."""
    with held(kb_url) as db:
        yield db


@pytest.fixture(scope="session")
def scoped_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    """The URL of the database with a document of every scope, see tests/scoped_corpus.py."""
    with shared_database(server_url, template, scoped_corpus.fill) as url:
        yield url


@pytest.fixture
def scoped(scoped_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to it; what the test did is undone afterwards."""
    with held(scoped_url) as db:
        yield db


@pytest.fixture(scope="session")
def large_url(server_url: str, template: NoopExecutor) -> Iterator[str]:
    """The URL of the database with the large corpus, see tests/bulk_corpus.py."""
    with shared_database(server_url, template, bulk_corpus.fill) as url:
        yield url


@pytest.fixture
def large(large_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to it; what the test did is undone afterwards."""
    with held(large_url) as db:
        yield db
