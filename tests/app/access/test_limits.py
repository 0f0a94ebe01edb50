"""Who may ask, and how often."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest
from httpx import AsyncClient
from litestar import Litestar

from app.access.addresses import address_of
from app.access.authentication import Caller
from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import asking
from tests.app.people import sign_in

ASK = "/api/chat"


@contextmanager
def _setting(house: Litestar, name: str, value: str) -> Iterator[None]:
    call = "select config.install_setting(%s, %s)"
    with psycopg.connect(house.state.settings.database_url, autocommit=True) as db:
        (before,) = db.execute(
            "select installed_value from config.setting where name = %s", [name]
        ).fetchone() or (None,)
        db.execute(call, [name, value])
        try:
            yield
        finally:
            db.execute(call, [name, before])


async def _ask(door: AsyncClient, **headers: str) -> int:
    """The status; a body without a question is refused only after the guards let it in."""
    return (await door.post(ASK, json={}, headers=headers)).status_code


async def test_asking_needs_an_account_unless_it_is_opened(
    door: AsyncClient, house: Litestar, library_url: str
) -> None:
    assert await _ask(door) == 401
    assert await _ask(door, **sign_in(house).headers) == 400
    opened = from_environ({"PGKB_ANONYMOUS": "on"}, database_url=library_url)
    async with asking(create_app(opened)) as anybody:
        assert await _ask(anybody) == 400
        # who brings a token believes to be signed in
        assert await _ask(anybody, Authorization="Bearer of.bad.news") == 401


async def test_a_person_may_ask_so_often_and_others_are_not_counted_in(
    door: AsyncClient, house: Litestar
) -> None:
    one, other = sign_in(house), sign_in(house)
    with _setting(house, "kb.asks_per_person", "2"):
        assert [await _ask(door, **one.headers) for _ in range(4)] == [400, 400, 429, 429]
        assert await _ask(door, **other.headers) == 400
        refused = await door.post(ASK, json={}, headers=one.headers)
    assert refused.json()["code"] == "too_many_requests"
    assert 0 < int(refused.headers["retry-after"]) <= 30


async def test_an_address_may_ask_so_often_whoever_sits_there(
    door: AsyncClient, house: Litestar
) -> None:
    with _setting(house, "kb.asks_per_address", "2"):
        assert [await _ask(door, **sign_in(house).headers) for _ in range(3)] == [400, 400, 429]


@pytest.mark.parametrize("path", ["/api/citations/4711", "/api/documents/4711"])
async def test_what_was_cited_is_not_opened_without_end(
    door: AsyncClient, house: Litestar, path: str
) -> None:
    one, other = sign_in(house), sign_in(house)
    with _setting(house, "kb.reads_per_person", "2"):
        said = [(await door.get(path, headers=one.headers)).status_code for _ in range(3)]
        assert said == [404, 404, 429]
        assert (await door.get(path, headers=other.headers)).status_code == 404
        # whoever opened many passages may still ask
        assert await _ask(door, **one.headers) == 400


async def test_an_address_opens_only_so_much_of_what_was_cited(
    house: Litestar, library_url: str
) -> None:
    opened = from_environ({"PGKB_ANONYMOUS": "on"}, database_url=library_url)
    async with asking(create_app(opened)) as anybody:
        with _setting(house, "kb.reads_per_address", "2"):
            said = [(await anybody.get("/api/citations/4711")).status_code for _ in range(3)]
    assert said == [404, 404, 429]


@pytest.mark.parametrize(
    ("peer", "said", "counted"),
    [
        ("203.0.113.9", "192.0.2.1", "203.0.113.9"),
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.7, 192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "192.0.2.1, 10.0.0.2", "192.0.2.1"),
        ("10.0.0.1", "' or 1=1", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        (None, "192.0.2.1", "unknown"),
    ],
)
def test_only_a_trusted_proxy_says_where_a_request_comes_from(
    peer: str | None, said: str, counted: str
) -> None:
    settings = from_environ(
        {"PGKB_TRUSTED_PROXIES": "10.0.0.0/8"}, database_url="postgresql://db.example/pgkb"
    )
    caller: Any = SimpleNamespace(
        client=SimpleNamespace(host=peer) if peer else None,
        headers={"x-forwarded-for": said},
        app=SimpleNamespace(state=SimpleNamespace(settings=settings)),
    )
    assert address_of(cast(Caller, caller)) == counted
