"""`POST /api/chat` without a model: an answer quotes its sources or says there is none."""

import re
from typing import Any

import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import BIRMINGHAM, KENT, OPEN, asking

QUESTION = "My child was excluded from school. Who advises families?"


async def _ask(client: AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await client.post("/api/chat", json={"question": QUESTION} | body)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


async def test_every_citation_mark_points_at_a_numbered_source(client: AsyncClient) -> None:
    said = await _ask(client, la=BIRMINGHAM)
    assert said["found"]
    marks = {int(mark) for mark in re.findall(r"\[(\d+)\]", said["answer"])}
    assert marks == set(said["citations"])
    assert marks <= {source["number"] for source in said["sources"]}
    assert [source["number"] for source in said["sources"]] == list(
        range(1, len(said["sources"]) + 1)
    )


async def test_what_is_quoted_stands_in_the_source_it_names(client: AsyncClient) -> None:
    said = await _ask(client, la=BIRMINGHAM)
    texts = {source["number"]: source["text"] for source in said["sources"]}
    quotes = re.findall(r"“(.+?)” \[(\d+)\]", said["answer"])
    assert quotes
    for quote, number in quotes:
        assert quote in texts[int(number)]


async def test_two_areas_get_different_answers(client: AsyncClient) -> None:
    birmingham = await _ask(client, la=BIRMINGHAM)
    kent = await _ask(client, la=KENT)
    assert "Birmingham" in birmingham["answer"]
    assert "Kent" in kent["answer"]
    assert "Kent" not in birmingham["answer"]


async def test_nonsense_is_answered_with_not_found(client: AsyncClient) -> None:
    said = await _ask(client, question="zorblax quantum tyre pressure", la=KENT)
    assert not said["found"]
    assert said["citations"] == []
    assert said["sources"] == []


async def test_without_an_authority_a_broad_answer_says_so_first(client: AsyncClient) -> None:
    said = await _ask(client, question="taxi under policy POL-2041")
    if not said["retrieval"]["no_la_broad_fallback_used"]:
        pytest.fail("national pages hold nothing about it, so all areas should be searched")
    assert said["answer"].startswith("No local authority is known")


async def test_without_the_offline_model_the_sources_are_still_listed(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGKB_LOCAL_MODEL", "/nowhere/model.onnx")
    async with asking(create_app(from_environ(OPEN, database_url=library_url))) as client:
        said = await _ask(client, question="excluded from a Kent school", la=KENT)
    assert said["answered_by"] == "sources_only"
    assert said["sources"]
    assert said["citations"] == []
