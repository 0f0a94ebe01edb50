"""`POST /api/search/explain`: the same search, told step by step."""

from typing import Any

from httpx import AsyncClient

from tests.app.library import BIRMINGHAM, KENT

ASK: dict[str, Any] = {"question": "who helps when a pupil is excluded from school?", "la": KENT}


async def test_the_chunks_said_to_be_in_the_answer_are_the_search_results(
    client: AsyncClient,
) -> None:
    found = (await client.post("/api/search", json=ASK)).json()["results"]
    told = (await client.post("/api/search/explain", json=ASK)).json()
    answer = [s["chunk_id"] for s in told["steps"] if s["stage"] == "answer" and s["kept"]]
    assert answer == [hit["chunk_id"] for hit in found]
    stages = list(dict.fromkeys(step["stage"] for step in told["steps"]))
    assert stages[0] == "request"
    assert {"scope", "vector", "keyword", "fusion", "floor"} <= set(stages)
    assert all(step["reason"] for step in told["steps"])
    assert told["verdict"] is None


async def test_one_chunk_is_asked_for_and_a_foreign_one_looks_like_none(
    client: AsyncClient,
) -> None:
    found = (await client.post("/api/search", json=ASK)).json()["results"]
    here = (
        await client.post("/api/search/explain", json=ASK | {"chunk_id": found[0]["chunk_id"]})
    ).json()["verdict"]
    assert here["place"] == 1
    other = ASK | {"la": BIRMINGHAM}
    kent = next(hit for hit in found if hit["la_code"] == KENT)["chunk_id"]
    verdicts = [
        (await client.post("/api/search/explain", json=other | {"chunk_id": chunk_id})).json()
        for chunk_id in (kent, 999_999_999)
    ]
    foreign, unknown = (str(v["verdict"]).replace(str(kent), "999999999") for v in verdicts)
    assert foreign == unknown
    assert kent not in {step["chunk_id"] for step in verdicts[0]["steps"]}


async def test_a_chunk_id_that_is_none_is_refused(client: AsyncClient) -> None:
    for chunk_id in (0, -1, 2**63, "twelve", 1.5, None, [1]):
        answer = await client.post("/api/search/explain", json=ASK | {"chunk_id": chunk_id})
        assert answer.status_code == (200 if chunk_id is None else 400), chunk_id
