"""The app under a real server, with a model that says what a test wants, and a client of it."""

import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx2
from litestar import Litestar

from app.asgi import create_app
from app.settings import from_environ
from providers.chat_models import chat_model_for
from providers.protocols import ChatModel
from tests.app.chat.model_server import ModelServer, Script, running

QUESTION = "My child was excluded from school. Who advises families?"

# all of them ask from one address
_UNLIMITED = {"kb.asks_per_address": "0", "kb.asks_per_person": "0"}


@dataclass(slots=True)
class Service:
    """A running app; `model` is what it asks, where it has one."""

    app: Litestar
    url: str
    model: ModelServer

    def speaks(self, *scripts: Script) -> None:
        """What the model does from now on, the last script for every further call."""
        self.model.scripts = list(scripts)
        self.model.asked.clear()
        self.model.left = self.model.most_open = 0


def talker(model: ModelServer) -> ChatModel:
    """The app's client of that model."""
    found = chat_model_for(
        {
            "PGKB_CHAT_MODEL": "talker",
            "PGKB_CHAT_BASE_URL": model.url,
            "PGKB_CHAT_SILENCE": "30",
        }
    )
    assert found is not None
    return found


@contextmanager
def service(database_url: str, model: ModelServer, **settings: Any) -> Iterator[Service]:
    """The app on a free port, open to everybody."""
    facts: dict[str, Any] = {"anonymous": True, "database_settings": _UNLIMITED} | settings
    chosen = replace(from_environ({}, database_url=database_url), **facts)
    app = create_app(chosen, model=talker(model))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with running(app, bound, lifespan="on"):
            yield Service(app=app, url=f"http://127.0.0.1:{port}", model=model)


def client(service: Service, **facts: Any) -> httpx2.AsyncClient:
    """A client of the service."""
    return httpx2.AsyncClient(
        base_url=service.url,
        timeout=60,
        trust_env=False,
        limits=httpx2.Limits(max_connections=None),
        **facts,
    )


async def ask(service: Service, question: str = QUESTION, **body: Any) -> dict[str, Any]:
    """A whole answer."""
    headers = body.pop("headers", {})
    async with client(service) as http:
        answer = await http.post("/api/chat", json={"question": question} | body, headers=headers)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


async def listen(
    service: Service, question: str = QUESTION, **body: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Every event of an answer, by name."""
    headers = {"Accept": "text/event-stream"} | body.pop("headers", {})
    async with (
        client(service) as http,
        http.stream(
            "POST", "/api/chat", json={"question": question} | body, headers=headers
        ) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [event async for event in events_of(answer)]


async def events_of(answer: httpx2.Response) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """The events as they come in."""
    name = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def text_of(events: list[tuple[str, dict[str, Any]]]) -> str:
    """What stands on the screen after these events."""
    text = ""
    for name, data in events:
        if name == "token":
            text += data["text"]
        elif name == "discard":
            text = ""
    return text
