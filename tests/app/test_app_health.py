"""`GET /health/live`, `GET /health/ready`, and what happens while the database is not there."""

import logging
import socket
from dataclasses import replace
from secrets import token_hex
from urllib.parse import urlsplit

import psycopg
import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.pool import lend, pool_of
from app.settings import from_environ
from tests.app.library import OPEN, asking

ASK = {"question": "who can help?"}


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_readiness_names_what_it_looked_at(client: AsyncClient) -> None:
    answer = await client.get("/health/ready")
    assert answer.status_code == 200, answer.text
    report = answer.json()
    assert report["status"] == "ready"
    checks = {check["name"]: check for check in report["checks"]}
    assert list(checks) == [
        "database", "migrations", "pgvector", "embedding set", "indexes", "queue", "settings",
    ]  # fmt: skip
    assert {check["state"] for check in checks.values()} == {"ok"}
    assert "local-minilm" in checks["embedding set"]["finding"]
    # one that waited would be too old a quarter of an hour after the library was filled
    assert checks["queue"]["finding"] == "0 waiting"
    assert "http" not in answer.text


async def test_a_load_balancer_may_ask_for_the_status_alone(
    client: AsyncClient, blank_url: str
) -> None:
    for path in ("/health/live", "/health/ready", "/metrics"):
        answer = await client.head(path)
        assert (answer.status_code, answer.content) == (200, b""), path
    assert (await client.head("/metrics", headers={"Via": "a proxy"})).status_code == 403
    async with asking(create_app(from_environ(OPEN, database_url=blank_url))) as unready:
        assert (await unready.head("/health/ready")).status_code == 503
        assert (await unready.head("/health/live")).status_code == 200


async def test_a_setting_out_of_its_range_is_503_and_named_to_those_who_run_the_service(
    library_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database = psycopg.conninfo.conninfo_to_dict(library_url)["dbname"]
    alter = f'alter database "{database}" '
    with psycopg.connect(library_url, autocommit=True) as db:
        db.execute((alter + "set kb.top_k = '0'").encode())
        try:
            async with asking(create_app(from_environ(OPEN, database_url=library_url))) as client:
                answer = await client.post(
                    "/api/search", json={"question": "where is Wilhelmina's plan?"}
                )
                ready = await client.get("/health/ready")
                seen = len(caplog.records)
                caplog.clear()
                again = await client.post("/api/chat", json={"question": "who is Wilhelmina?"})
        finally:
            db.execute((alter + "reset kb.top_k").encode())
    assert seen
    for refused in (answer, again):
        assert (refused.status_code, refused.json()["code"]) == (503, "ST002")
        assert "top_k" not in refused.text
    assert ready.status_code == 503
    checks = {check["name"]: check for check in ready.json()["checks"]}
    assert checks["settings"]["finding"] == "kb.top_k cannot be used as set; run pgkb doctor"
    (line,) = [record.getMessage() for record in caplog.records if record.name == "pgkb.app"]
    assert 'kb.top_k cannot be "0". Give an integer from 1 to ' in line
    assert "\n" not in line
    assert "Wilhelmina" not in caplog.text


async def test_a_program_newer_than_its_database_is_not_ready(library_url: str) -> None:
    settings = replace(from_environ(OPEN, database_url=library_url), migration="9999_later")
    async with asking(create_app(settings)) as client:
        answer = await client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert "this program needs 9999_later" in answer.text


async def test_a_database_without_pgkb_is_unavailable_not_broken(blank_url: str) -> None:
    async with asking(create_app(from_environ(OPEN, database_url=blank_url))) as client:
        health = await client.get("/health/ready")
        search = await client.post("/api/search", json={"question": "how do I appeal?"})
    assert health.status_code == 503
    assert health.json()["checks"][0]["finding"] == "not_deployed"
    assert search.status_code == 503
    assert search.json()["code"] == "not_deployed"
    assert "pgkb up" in search.json()["hint"]


async def test_the_app_starts_and_answers_503_while_the_database_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    url = f"postgresql://someone:hunter2@127.0.0.1:{_unused_port()}/pgkb"
    async with asking(create_app(from_environ(OPEN, database_url=url))) as client:
        health = await client.get("/health/ready")
        alive = await client.get("/health/live")
        answers = [
            await client.post(path, json={"question": "where is Wilhelmina's plan?"})
            for path in ("/api/search", "/api/chat")
        ]
    assert health.status_code == 503
    assert health.json()["checks"][0]["finding"] == "database_unavailable"
    assert alive.status_code == 200
    for answer in answers:
        assert answer.status_code == 503
        assert answer.json()["code"] == "database_unavailable"
        assert answer.headers["retry-after"]
        assert "127.0.0.1" not in answer.text
    assert "hunter2" not in caplog.text
    assert "Wilhelmina" not in caplog.text
    assert caplog.record_tuples
    assert all(
        level >= logging.WARNING
        for name, level, _ in caplog.record_tuples
        if name != "pgkb.request"
    )


async def test_the_app_recovers_when_its_connections_were_ended(
    db: psycopg.Connection, db_url: str
) -> None:
    db.autocommit = True
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        assert (await client.post("/api/search", json=ASK)).status_code == 200
        db.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'pgkb-app' and datname = current_database()"
        )
        statuses = [(await client.post("/api/search", json=ASK)).status_code for _ in range(3)]
    assert statuses[-1] == 200


async def test_the_app_works_with_the_rights_of_its_own_role(library_url: str) -> None:
    settings = from_environ(OPEN, database_url=library_url)
    async with pool_of(settings) as pool:
        for _ in range(2):  # given back and lent again, it still is
            async with lend(pool) as connection:
                assert await connection.fetchval("select current_user") == "pgkb_app"


async def test_a_login_needs_the_apps_role_and_nothing_more(
    db: psycopg.Connection, db_url: str
) -> None:
    db.autocommit = True
    login, secret = f"clerk_{token_hex(4)}", token_hex(8)
    db.execute(f"create role {login} login password '{secret}'".encode())
    place = urlsplit(db_url)
    url = place._replace(netloc=f"{login}:{secret}@{place.netloc.rpartition('@')[2]}").geturl()
    try:
        async with asking(create_app(from_environ(OPEN, database_url=url))) as client:
            shut = await client.post("/api/search", json={"question": "who can help?"})
        db.execute(f"grant pgkb_app to {login}".encode())
        async with asking(create_app(from_environ(OPEN, database_url=url))) as client:
            opened = await client.post("/api/search", json={"question": "who can help?"})
            healthy = await client.get("/health/ready")
    finally:
        db.execute(f"drop role {login}".encode())
    assert (shut.status_code, shut.json()["code"]) == (503, "not_permitted")
    assert "pgkb_app" in shut.json()["hint"]
    assert opened.status_code == 200, opened.text
    assert healthy.status_code == 200
    recorded = db.execute("select count(*) from search.record").fetchone()
    assert recorded == (1,)


async def test_openapi_describes_every_route_without_help_from_elsewhere(
    client: AsyncClient,
) -> None:
    answer = await client.get("/schema/openapi.json")
    assert answer.status_code == 200
    document = answer.json()
    assert {"/health/live", "/health/ready", "/api/search"} <= set(document["paths"])
    assert "https://cdn" not in answer.text
