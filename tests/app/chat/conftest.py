"""One running app for the tests of the chat, and a model that each of them tells what to say."""

from collections.abc import Iterator

import pytest

from tests.app.chat.model_server import ModelServer, Script, model_server
from tests.app.chat.service import Service, service


@pytest.fixture(scope="session")
def talker() -> Iterator[ModelServer]:
    """The model's server."""
    with model_server() as server:
        yield server


@pytest.fixture(scope="session")
def running_service(library_url: str, talker: ModelServer) -> Iterator[Service]:
    """The app on the filled database."""
    with service(library_url, talker) as one:
        yield one


@pytest.fixture
def chat(running_service: Service) -> Service:
    """The app, its model back to saying little."""
    running_service.speaks(Script("It depends [1]."))
    return running_service
