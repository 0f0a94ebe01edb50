"""`GET /api/citations/{id}` and `GET /api/documents/{id}`: the search's scope, once more."""

from typing import Any

import psycopg
import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import BIRMINGHAM, KENT, OPEN, SCHOOL, Page, asking, fill_library, publish
from tests.app.people import sign_in

QUESTION = "who helps when a pupil is excluded from school?"


async def _hits(client: AsyncClient, **where: str) -> list[dict[str, Any]]:
    answer = await client.post("/api/search", json={"question": QUESTION} | where)
    assert answer.status_code == 200, answer.text
    hits: list[dict[str, Any]] = answer.json()["results"]
    return hits


async def test_every_result_can_be_cited_and_read_from_where_it_was_found(
    client: AsyncClient,
) -> None:
    where = {"la": BIRMINGHAM, "urn": SCHOOL}
    for hit in await _hits(client, **where):
        citation = await client.get(f"/api/citations/{hit['chunk_id']}", params=where)
        assert citation.status_code == 200, citation.text
        for name in ("content", "title", "source", "version", "scope", "document_id"):
            assert citation.json()[name] == hit[name]
        document = await client.get(f"/api/documents/{hit['document_id']}", params=where)
        assert document.status_code == 200, document.text
        assert hit["content"] in [p["content"] for p in document.json()["passages"]]


async def test_foreign_unknown_and_hidden_are_one_answer(
    db: psycopg.Connection, db_url: str
) -> None:
    fill_library(db)
    async with asking(create_app(from_environ(OPEN, database_url=db_url))) as client:
        kent = next(hit for hit in await _hits(client, la=KENT) if hit["la_code"] == KENT)
        law = next(hit for hit in await _hits(client, la=KENT) if hit["scope"] == "national")
        db.execute("select corpus.set_status(array[%s]::bigint[], 'rejected')", [law["chunk_id"]])
        bodies = set()
        for path in (
            f"/api/citations/{kent['chunk_id']}",
            f"/api/citations/{law['chunk_id']}",
            "/api/citations/999999999",
            f"/api/documents/{kent['document_id']}",
            f"/api/documents/{law['document_id']}",
            "/api/documents/999999999",
        ):
            answer = await client.get(path, params={"la": BIRMINGHAM})
            assert answer.status_code == 404, path
            problem = answer.json()
            problem.pop("request_id")
            bodies.add(str(problem))
    assert len(bodies) == 1


async def test_a_private_document_is_found_cited_and_read_by_its_people_only(
    db: psycopg.Connection, db_url: str
) -> None:
    fill_library(db)
    app = create_app(from_environ(OPEN, database_url=db_url))
    async with asking(app) as client:
        ann, bob = sign_in(app), sign_in(app)
        publish(
            db,
            Page(
                "report.txt",
                "Report on Wilhelmina",
                "The educational psychologist found that Wilhelmina needs a quiet room in school.",
                owner=ann.user.principals[0],
            ),
        )
        ask = {"question": "who needs a quiet room in school?", "la": KENT}
        seen = {}
        for name, headers in (("ann", ann.headers), ("bob", bob.headers), ("nobody", {})):
            answer = await client.post("/api/search", json=ask, headers=headers)
            seen[name] = [h for h in answer.json()["results"] if h["source"] == "report.txt"]
        assert (len(seen["ann"]), seen["bob"], seen["nobody"]) == (1, [], [])
        (hit,) = seen["ann"]
        for path in (f"/api/citations/{hit['chunk_id']}", f"/api/documents/{hit['document_id']}"):
            statuses = [
                (await client.get(path, headers=headers)).status_code
                for headers in (ann.headers, bob.headers, {})
            ]
            assert statuses == [200, 404, 404], path


@pytest.mark.parametrize("noun", ["citations", "documents"])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("0", 400), ("-1", 400), ("9223372036854775807", 404), ("9223372036854775808", 400),
        ("1" * 5000, 400), ("abc", 404), ("1.5", 404), ("1?la=E9", 422), ("1?la=%00", 400),
        ("1?everywhere=perhaps", 400), ("%FF", 404), ("1?la=%FF%FE", 422), ("1e3", 404),
        ("1?la=" + "x" * 21, 400),
    ],
)  # fmt: skip
async def test_an_id_that_cannot_be_one_is_refused_and_breaks_nothing(
    client: AsyncClient, noun: str, path: str, status: int
) -> None:
    answer = await client.get(f"/api/{noun}/{path}")
    assert answer.status_code in {status, 404}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_document_is_read_a_page_at_a_time(client: AsyncClient) -> None:
    (hit, *_) = await _hits(client, la=KENT)
    path = f"/api/documents/{hit['document_id']}"
    page = await client.get(path, params={"la": KENT, "page_size": 1})
    assert len(page.json()["passages"]) == 1
    after = page.json()["passages"][0]["chunk_index"]
    rest = await client.get(path, params={"la": KENT, "after_index": after})
    assert len(rest.json()["passages"]) == page.json()["passage_count"] - 1
    for bad in ({"page_size": 0}, {"page_size": 501}, {"after_index": -2}):
        assert (await client.get(path, params=bad)).status_code == 400
