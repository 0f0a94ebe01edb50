"""Behind PgBouncer in transaction mode: no state of a session, no statement gone astray."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.pool import lend, pool_of
from app.settings import Settings, from_environ
from tests.app.library import BIRMINGHAM, KENT, OPEN, asking, fill_library
from tests.app.people import sign_in
from tests.app.pgbouncer import pooling
from tests.callers import Caller


@pytest.fixture
def settings(library_url: str, plain_user: Caller) -> Iterator[Settings]:
    """The filled database behind a pooler, with a setting of its own."""
    with pooling(library_url, plain_user) as url:
        yield from_environ(
            OPEN | {"PGKB_POOLER": "transaction", "RAG_TOP_K": "2"}, database_url=url
        )


async def _search(client: AsyncClient, number: int) -> list[str]:
    la = KENT if number % 2 else BIRMINGHAM
    answer = await client.post(
        "/api/search", json={"question": f"who helps excluded child {number}?", "la": la}
    )
    assert answer.status_code == 200, answer.text
    return [hit["la_code"] for hit in answer.json()["results"]]


async def test_forty_questions_share_three_server_connections(settings: Settings) -> None:
    async with asking(create_app(replace(settings, pool_size=12))) as client:
        found = await asyncio.gather(*(_search(client, number) for number in range(40)))
        ready = await client.get("/health/ready")
    assert ready.status_code == 200, ready.text
    # the setting of the environment holds in every transaction
    assert {len(codes) for codes in found} == {2}
    for number, codes in enumerate(found):
        assert (BIRMINGHAM if number % 2 else KENT) not in codes


async def test_every_statement_has_the_apps_rights_and_leaves_none_behind(
    settings: Settings,
) -> None:
    async with pool_of(settings) as pool:

        async def who() -> list[object]:
            async with lend(pool) as db:
                return [
                    await db.fetchval("select current_user"),
                    await db.fetchval("select current_setting('kb.top_k', true)"),
                ]

        seen = await asyncio.gather(*(who() for _ in range(30)))
        assert {tuple(one) for one in seen} == {("pgkb_app", "2")}
        async with lend(pool) as db, db.transaction():
            first = await db.fetchrow("select current_user, pg_backend_pid() as pid")
            second = await db.fetchrow("select current_user, pg_backend_pid() as pid")
            assert first == second
    with psycopg.connect(settings.database_url) as session:
        # somebody else on the same server connections finds nothing of it
        assert session.execute("select current_user").fetchone() != ("pgkb_app",)


async def test_a_statement_that_fails_does_not_take_the_ones_before_with_it(
    settings: Settings,
) -> None:
    async with pool_of(settings) as pool, lend(pool) as db:
        with pytest.raises(Exception, match="not known"):
            await db.fetchrow("select * from search.scope_of(la => 'E9')")
        assert await db.fetchval("select 1") == 1


async def test_signing_in_and_out_works_behind_it(
    db: psycopg.Connection, db_url: str, plain_user: Caller
) -> None:
    fill_library(db)
    with pooling(db_url, plain_user) as url:
        app = create_app(from_environ({"PGKB_POOLER": "transaction"}, database_url=url))
        async with asking(app) as client:
            ann = sign_in(app)
            me = await client.get("/api/auth/me", headers=ann.headers)
            child = await client.post(
                "/api/me/children", json={"name": "Sam", "postcode": "CT1 2EH"}, headers=ann.headers
            )
            out = await client.post("/api/auth/logout-everywhere", headers=ann.headers)
            after = await client.get("/api/auth/me", headers=ann.headers)
    assert [a.status_code for a in (me, child, out, after)] == [200, 201, 200, 401]
