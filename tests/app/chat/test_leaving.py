"""Whoever leaves ends everything that was done for them (A-06); many at once starve nobody."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from secrets import token_hex
from typing import Any, cast

import httpx2
import psycopg
import pytest

from app.asgi import create_app
from app.settings import from_environ
from tests.app.chat.model_server import Script
from tests.app.chat.service import QUESTION, Service, client, events_of, talker
from tests.app.library import BIRMINGHAM, OPEN, asking
from tests.app.running import running

Message = dict[str, Any]
_STREAM = {"Accept": "text/event-stream"}
_LEFT, _MANY = 20, 200


async def _until(what: Callable[[], bool], within: float) -> float:
    """Seconds until it is so."""
    started = time.monotonic()
    while not what():
        assert time.monotonic() < started + within, "it did not become so in time"
        await asyncio.sleep(0.01)
    return time.monotonic() - started


async def _seconds_of(http: httpx2.AsyncClient, path: str) -> float:
    started = time.monotonic()
    assert (await http.get(path)).status_code == 200
    return time.monotonic() - started


async def test_who_leaves_a_stream_ends_the_models_call(chat: Service, library_url: str) -> None:
    chat.speaks(Script("Call the team [1] " * 50, stall_after=5))
    body = {"question": QUESTION, "la": BIRMINGHAM}
    turns, listening = [], []
    async with AsyncExitStack() as streams:
        http = await streams.enter_async_context(client(chat))
        for _ in range(_LEFT):
            answer = await streams.enter_async_context(
                http.stream("POST", "/api/chat", json=body, headers=_STREAM)
            )
            events = events_of(answer)
            # a generator that is forgotten would close the connection
            listening.append(events)
            name, data = await anext(events)
            turns.append(data["turn_id"])
            while name != "token":
                name, data = await anext(events)
        assert chat.model.open == _LEFT
    # everybody has left
    await _until(lambda: chat.model.open == 0, within=2)
    assert chat.model.left == _LEFT
    pool = chat.app.state.pool
    await _until(lambda: pool.get_idle_size() == pool.get_size(), within=20)

    def interrupted() -> bool:
        with psycopg.connect(library_url) as db:
            rows = db.execute(
                "select answer from chat.turn where turn_id = any(%s) and state = 'interrupted'",
                [turns],
            ).fetchall()
        return len(rows) == _LEFT and all(answer.startswith("Call the team") for (answer,) in rows)

    await _until(interrupted, within=20)


@pytest.mark.parametrize("how", ["reset", "cancelled", "gone"])
async def test_who_leaves_a_stream_before_its_first_byte_leaves_no_turn_running(
    chat: Service, library_url: str, how: str
) -> None:
    chat.speaks(Script("Call the team [1] " * 50, stall_after=5))
    app = create_app(from_environ(OPEN, database_url=library_url), model=talker(chat.model))
    question = f"who can help, {token_hex(8)}?"
    body = json.dumps({"question": question, "la": BIRMINGHAM}).encode()
    reached = asyncio.Event()
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": "/api/chat", "raw_path": b"/api/chat", "root_path": "", "query_string": b"",
        "headers": [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"accept", b"text/event-stream"),
        ],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "extensions": {}, "state": {},
    }  # fmt: skip
    sent: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return sent.pop() if sent else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        reached.set()
        if how == "reset":
            raise ConnectionResetError
        if how == "cancelled":
            await asyncio.Event().wait()

    async with asking(app):
        asked = asyncio.create_task(app(cast(Any, scope), cast(Any, receive), cast(Any, send)))
        await asyncio.wait_for(reached.wait(), 20)
        if how == "cancelled":
            asked.cancel()
        await asyncio.wait({asked}, timeout=20)
        assert asked.done()
        await app.state.desk.keeper.drain()
    with psycopg.connect(library_url) as db:
        states = db.execute("select state from chat.turn where question = %s", [question])
        assert states.fetchall() == [("interrupted",)]


async def test_who_leaves_before_a_whole_answer_ends_the_models_call(chat: Service) -> None:
    chat.speaks(Script("Call the team [1] " * 50, stall_after=5))
    async with client(chat) as http:
        asking = asyncio.create_task(
            http.post("/api/chat", json={"question": QUESTION, "la": BIRMINGHAM})
        )
        await _until(lambda: chat.model.open == 1, within=20)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
    await _until(lambda: chat.model.left == 1, within=2)


async def test_an_answer_that_a_stop_cuts_off_is_kept(chat: Service, library_url: str) -> None:
    chat.speaks(Script("Call the team [1] " * 50, stall_after=5))
    settings = replace(from_environ(OPEN, database_url=library_url), shutdown_seconds=1)
    with running(create_app(settings, model=talker(chat.model)), settings) as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=60, trust_env=False) as http:
            body = {"question": QUESTION, "la": BIRMINGHAM}
            async with http.stream("POST", "/api/chat", json=body, headers=_STREAM) as answer:
                events = events_of(answer)
                name, started = await anext(events)
                while name != "token":
                    name, _ = await anext(events)
                server.stop()
                await asyncio.to_thread(server.thread.join, 30)
    with psycopg.connect(library_url) as db:
        row = db.execute(
            "select state, answer from chat.turn where turn_id = %s", [started["turn_id"]]
        ).fetchone()
    assert row is not None
    assert row[0] == "interrupted"
    assert row[1].startswith("Call the team")


async def test_many_chats_at_once_leave_the_pool_and_the_health_alone(chat: Service) -> None:
    """A model that takes its time holds no connection of the database."""
    chat.speaks(Script("Call the team [1] now", stall_after=3))
    body = {"question": QUESTION, "la": BIRMINGHAM}
    pool = chat.app.state.pool
    listening = []

    async with AsyncExitStack() as streams:
        http = await streams.enter_async_context(client(chat))

        async def begin() -> None:
            answer = await streams.enter_async_context(
                http.stream("POST", "/api/chat", json=body, headers=_STREAM)
            )
            assert answer.status_code == 200
            events = events_of(answer)
            listening.append(events)
            name = ""
            while name != "token":
                name, data = await anext(events)
                assert name != "error", data

        await asyncio.gather(*(begin() for _ in range(_MANY)))
        assert chat.model.open == _MANY
        # all of them wait for the model, and nothing of the database is lent
        assert pool.get_idle_size() == pool.get_size()
        for path in ("/health/live", "/health/ready"):
            # the best of a few: this machine may be busy with something else
            assert min([await _seconds_of(http, path) for _ in range(5)]) < 0.1
    await _until(lambda: chat.model.open == 0, within=10)
