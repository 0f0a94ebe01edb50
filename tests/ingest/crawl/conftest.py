"""The small web of the tests."""

from collections.abc import Iterator

import pytest

from tests.ingest.crawl.site_server import Web, web


@pytest.fixture
def net() -> Iterator[Web]:
    """A web without hosts."""
    with web() as made:
        yield made
