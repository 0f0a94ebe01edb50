"""The large corpus, and a superuser's connection to it that leaves nothing behind."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.db.shared_databases import large_url
from tests.sandbox import held

__all__ = ["large", "large_url"]


@pytest.fixture
def large(large_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A new connection to it, with no plans yet; what the test did is undone afterwards."""
    with held(large_url, fresh=True) as db:
        yield db
