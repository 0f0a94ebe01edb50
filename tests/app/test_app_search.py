"""`POST /search`: who sees what, and how every unusable request is refused."""

import logging
from typing import Any

import psycopg
import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import (
    BARNSLEY,
    BIRMINGHAM,
    CANTERBURY,
    KENT,
    OLD_BARNSLEY,
    OPEN,
    SCHOOL,
    asking,
    fill_library,
)

QUESTION = "my child was kicked out: who helps when a pupil is excluded from school?"


async def _search(client: AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await client.post("/api/search", json={"question": QUESTION} | body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def _sources(found: dict[str, Any]) -> set[str]:
    return {hit["source"] for hit in found["results"]}


async def test_two_areas_get_their_own_page_for_the_same_question(client: AsyncClient) -> None:
    birmingham = _sources(await _search(client, la=BIRMINGHAM))
    kent = _sources(await _search(client, la=KENT))
    assert "birmingham/exclusion.txt" in birmingham
    assert "kent/exclusion.txt" in kent
    assert "law/exclusion.txt" in birmingham & kent
    assert "kent/exclusion.txt" not in birmingham
    assert "birmingham/exclusion.txt" not in kent


async def test_a_cross_border_child_sees_both_authorities(client: AsyncClient) -> None:
    found = await _search(client, la=BIRMINGHAM, home_la=KENT)
    assert {"birmingham/exclusion.txt", "kent/exclusion.txt"} <= _sources(found)
    assert {hit["scope"] for hit in found["results"]} >= {"la", "home_la"}


async def test_a_school_page_is_seen_only_with_its_school(client: AsyncClient) -> None:
    question = "support plan before a suspension"
    with_school = await _search(client, question=question, la=BIRMINGHAM, urn=SCHOOL)
    without = await _search(client, question=question, la=BIRMINGHAM)
    assert "school/behaviour.txt" in _sources(with_school)
    assert "school/behaviour.txt" not in _sources(without)


async def test_a_school_alone_is_asked_for_its_authority(client: AsyncClient) -> None:
    found = await _search(client, urn=SCHOOL)
    assert found["scope"]["la_code"] == BIRMINGHAM
    assert "birmingham/exclusion.txt" in _sources(found)
    assert "kent/exclusion.txt" not in _sources(found)


async def test_a_home_postcode_brings_the_home_authority_under_its_own_name(
    client: AsyncClient,
) -> None:
    across = await _search(client, urn=SCHOOL, postcode="ct1 2eh")
    assert (across["scope"]["la_code"], across["scope"]["home_la_code"]) == (BIRMINGHAM, KENT)
    assert {hit["scope"] for hit in across["results"] if hit["la_code"] == KENT} == {"home_la"}
    near = await _search(client, urn=SCHOOL, postcode="B1 1AA")
    assert near["scope"]["home_la_code"] is None
    alone = await _search(client, postcode="CT1 2EH")
    assert alone["scope"]["la_code"] == KENT
    assert alone["retrieval"]["no_la_broad_fallback_used"] is False


async def test_a_postcode_that_tells_nothing_is_refused_and_not_repeated(
    client: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for postcode in ("ZZ1 1ZZ", "by the park"):
        answer = await client.post(
            "/api/search", json={"question": QUESTION, "la": BIRMINGHAM, "postcode": postcode}
        )
        assert answer.status_code == 422
        assert answer.json()["code"] == "PL005"
        assert postcode not in answer.text
        assert postcode not in caplog.text
    blank = await client.post("/api/search", json={"question": QUESTION, "postcode": " "})
    assert blank.status_code == 400


async def test_a_result_carries_everything_that_decided_its_place(client: AsyncClient) -> None:
    found = await _search(client, la=KENT)
    assert found["scope"]["la_name"] == "Kent"
    assert found["topics"] == ["exclusion"]
    assert "excluded" in found["expansions"]
    assert found["retrieval"]["mode"] == "hybrid"
    first = found["results"][0]
    assert first["matched_by"] in {"vector", "keyword", "hybrid"}
    assert first["score"] > 0
    scores = [hit["score"] for hit in found["results"]]
    assert scores == sorted(scores, reverse=True)


async def test_a_district_code_and_an_old_code_are_resolved(client: AsyncClient) -> None:
    assert (await _search(client, la=CANTERBURY))["scope"]["la_code"] == KENT
    assert (await _search(client, la=OLD_BARNSLEY))["scope"]["la_code"] == BARNSLEY


async def test_an_identifier_is_found_exactly(client: AsyncClient) -> None:
    found = await _search(client, question="POL-2041", la=KENT)
    assert found["results"][0]["source"] == "kent/transport.txt"


async def test_nonsense_is_an_honest_nothing(client: AsyncClient) -> None:
    found = await _search(client, question="zorblax quantum tyre pressure", la=KENT)
    assert found["results"] == []


async def test_top_k_limits_the_results(client: AsyncClient) -> None:
    assert len((await _search(client, la=KENT, top_k=1))["results"]) == 1


async def test_tags_narrow_the_search(client: AsyncClient) -> None:
    found = await _search(
        client, question="help with transport to school", la=KENT, tags=["transport"]
    )
    assert _sources(found) <= {"kent/transport.txt"}


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [("la", "E99999999", "PL001"), ("home_la", "nowhere", "PL001"), ("urn", "123456", "PL002")],
)
async def test_an_unknown_place_is_refused_with_a_hint(
    client: AsyncClient, field: str, value: str, code: str
) -> None:
    answer = await client.post("/api/search", json={"question": QUESTION, field: value})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == code
    assert value in problem["title"]
    assert problem["hint"]
    assert problem["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "about"),
    [
        ({}, "question"),
        ({"question": ""}, "length >= 1"),
        ({"question": "   "}, "blank"),
        ({"question": "x" * 4001}, "length <= 4000"),
        ({"question": "a\x00b"}, "cannot be stored"),
        ({"question": QUESTION, "tags": "exclusion"}, "array"),
        ({"question": QUESTION, "tags": ["x"] * 21}, "length <= 20"),
        ({"question": QUESTION, "top_k": 0}, ">= 1"),
        ({"question": QUESTION, "top_k": "five"}, "int"),
        ({"question": QUESTION, "as_of": "yesterday"}, "date"),
        ({"question": QUESTION, 'sort"; drop table x --': "y"}, "unknown field"),
        ({"question": QUESTION, "principals": ["parent-7"]}, "unknown field"),
        ({"question": 7}, "str"),
    ],
)
async def test_a_request_that_is_not_one_is_refused_saying_why(
    client: AsyncClient, body: dict[str, Any], about: str
) -> None:
    answer = await client.post("/api/search", json=body)
    assert answer.status_code == 400, answer.text
    problem = answer.json()
    assert problem["code"] == "invalid_request"
    assert about in " ".join(error["message"] for error in problem["errors"])


@pytest.mark.parametrize(
    "body", [b"", b"not json", b'{"question": "\\ud800"}', b'{"question": "\xff"}', b"[]", b"null"]
)
async def test_bytes_that_are_not_a_request_are_refused(client: AsyncClient, body: bytes) -> None:
    answer = await client.post(
        "/api/search", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "invalid_request"


async def test_a_body_larger_than_any_question_is_cut_off(client: AsyncClient) -> None:
    answer = await client.post("/api/search", json={"question": "x" * 400_000})
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/api/search", 405), ("GET", "/nothing", 404)]
)
async def test_a_wrong_address_or_method_is_a_problem_too(
    client: AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == answer.json()["request_id"]


async def test_the_callers_request_id_is_kept_when_harmless(client: AsyncClient) -> None:
    kept = await client.get("/nothing", headers={"X-Request-ID": "trace-42"})
    made = await client.get("/nothing", headers={"X-Request-ID": 'x"; drop'})
    assert kept.headers["x-request-id"] == "trace-42"
    assert made.headers["x-request-id"] not in {"", 'x"; drop'}


async def test_a_search_is_recorded_without_its_question(
    db: psycopg.Connection, db_url: str
) -> None:
    fill_library(db)
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        await _search(client, la=KENT)
        await _search(client, la=KENT)
    rows = db.execute("select row_to_json(r) from search.record as r").fetchall()
    assert len(rows) == 2
    assert all(row[0]["result_count"] > 0 and row[0]["topics"] == ["exclusion"] for row in rows)
    assert "kicked" not in str(rows)
    assert {(row[0]["mode"], row[0]["embedding_set"]) for row in rows} == {
        ("hybrid", "local-minilm")
    }
    assert len({row[0]["question_hash"] for row in rows}) == 1
    assert all(row[0]["total_ms"] >= row[0]["timings"]["search"] > 0 for row in rows)


async def test_a_record_says_which_legs_had_something_to_go_by(
    db: psycopg.Connection, db_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_library(db)
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        await _search(client, question="what is the of")
    monkeypatch.setenv("PGKB_LOCAL_MODEL", "/nowhere/model.onnx")
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        await _search(client, question="who helps in Kent?")
        await _search(client, question="what was the of")
    rows = db.execute("select mode from search.record order by record_id").fetchall()
    assert rows == [("vector_only",), ("keyword_only",), ("none",)]


async def test_the_second_asking_uses_the_cached_vector(
    db: psycopg.Connection, db_url: str
) -> None:
    fill_library(db)
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        first = await _search(client, la=KENT)
        second = await _search(client, la=KENT)
    assert first["retrieval"]["query_vector"] == "provider"
    assert second["retrieval"]["query_vector"] == "cached"
    assert [hit["chunk_id"] for hit in first["results"]] == [
        hit["chunk_id"] for hit in second["results"]
    ]


async def test_a_provider_that_fails_leaves_the_keyword_results_and_says_so(
    db: psycopg.Connection, db_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_library(db)
    monkeypatch.setenv("PGKB_LOCAL_MODEL", "/nowhere/model.onnx")
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        found = await _search(client, question="excluded from a Kent school", la=KENT)
    assert found["retrieval"]["mode"] == "keyword_only"
    assert found["retrieval"]["query_vector"] == "unavailable"
    assert any("keyword only" in note for note in found["retrieval"]["notes"])
    assert "kent/exclusion.txt" in _sources(found)
    assert {hit["matched_by"] for hit in found["results"]} == {"keyword"}


async def test_a_setting_of_the_environment_reaches_the_search(library_url: str) -> None:
    settings = from_environ(OPEN | {"RAG_TOP_K": "1"}, database_url=library_url)
    async with asking(create_app(settings)) as client:
        assert len((await _search(client, la=KENT))["results"]) == 1


async def test_no_question_reaches_a_log(
    client: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await _search(client, question="does Wilhelmina qualify for a taxi?", la=KENT)
    await client.post(
        "/api/search", json={"question": "is Wilhelmina excluded?", "la": "E99999999"}
    )
    assert "Wilhelmina" not in caplog.text
