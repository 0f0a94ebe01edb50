"""What fails is replaced by something honest, and said."""

import asyncio
import logging

import psycopg
import pytest

from tests.app.chat.model_server import Script
from tests.app.chat.service import QUESTION, Service, ask, listen, service, text_of
from tests.app.library import BIRMINGHAM, KENT
from tests.cli.command import pgkb_here


@pytest.mark.parametrize(
    "script",
    [
        Script(status=500),
        Script(status=429),
        Script(not_events=True),
        Script([{"tool_calls": []}], finish="tool_calls"),
    ],
)
async def test_a_model_that_says_nothing_is_replaced_by_quotations(
    chat: Service, script: Script
) -> None:
    chat.speaks(script)
    events = await listen(chat, la=BIRMINGHAM)
    done = events[-1][1]
    assert (done["answered_by"], done["model"]) == ("extractive", None)
    assert done["degraded"] == ["model_failed"]
    assert any("language model" in note for note in done["notes"])
    assert "“" in done["answer"]
    assert "discard" not in [name for name, _ in events]


@pytest.mark.parametrize("how", ["die_after", "end_after", "garble_after"])
async def test_a_model_that_breaks_off_is_taken_back(chat: Service, how: str) -> None:
    chat.speaks(Script("Half a truth [1] is told here", **{how: 4}))  # type: ignore[arg-type]
    events = await listen(chat, la=BIRMINGHAM)
    names = [name for name, _ in events]
    assert names.index("discard") > names.index("token")
    done = events[-1][1]
    assert done["degraded"] == ["model_stopped"]
    assert done["answered_by"] == "extractive"
    assert text_of(events) == done["answer"]
    assert "Half" not in done["answer"]


async def test_quotations_keep_the_contract_of_citations(chat: Service) -> None:
    chat.speaks(Script(status=500))
    said = await ask(chat, la=BIRMINGHAM)
    sources = {source["number"]: source for source in said["sources"]}
    assert said["citations"]
    assert len(said["sentences"]) == said["answer"].count("“")
    for sentence in said["sentences"]:
        quoted = said["answer"][sentence["start"] : sentence["end"]]
        (number,) = sentence["citations"]
        assert quoted.startswith("“")
        assert quoted.endswith(f"” [{number}]")
        assert sentence["supported"] is True
        places = [
            sources[number]["text"][place["start"] : place["end"]]
            for place in sources[number]["highlights"]
        ]
        assert quoted.removesuffix(f"” [{number}]").removeprefix("“") in places


async def test_a_model_that_takes_too_long_is_replaced(library_url: str, chat: Service) -> None:
    chat.speaks(Script("a b c d e f g h i j k l m n", wait=0.5))
    with service(library_url, chat.model, chat_timeout=2.0) as hasty:
        said = await ask(hasty, la=BIRMINGHAM)
    assert said["answered_by"] == "extractive"
    assert said["degraded"] in (["model_stopped"], ["model_failed"])


async def test_without_embeddings_the_words_alone_are_searched_and_it_is_said(
    library_url: str, chat: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGKB_LOCAL_MODEL", "/nowhere/model.onnx")
    with service(library_url, chat.model) as blind:
        chat.speaks(Script("Write to the adviser [1]."))
        said = await ask(blind, "Medway House adviser, excluded from a Kent school", la=KENT)
        assert said["degraded"] == ["embedding_failed"]
        assert said["retrieval"]["mode"] == "keyword_only"
        assert said["answered_by"] == "model"
        # and without a model on top, nothing can be compared with the question
        chat.speaks(Script(status=500))
        said = await ask(blind, "Medway House adviser, excluded from a Kent school", la=KENT)
    assert said["answered_by"] == "sources_only"
    assert said["degraded"] == ["embedding_failed", "model_failed"]
    assert said["sources"]
    assert said["citations"] == []


async def test_no_log_line_repeats_a_question_or_an_answer(
    chat: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    secret = "my daughter Xanthippe was excluded from school"
    chat.speaks(Script(status=400, error=f"I dislike: {secret}"))
    said = await ask(chat, secret, la=BIRMINGHAM)
    chat.speaks(Script("Xanthippe should call [1] and", die_after=3))
    await ask(chat, "and Xanthippe?", conversation_id=said["conversation_id"])
    assert "chat model" in caplog.text
    assert "Xanthippe" not in caplog.text


async def test_a_search_that_finds_nothing_is_tried_in_other_words(
    library_url: str, chat: Service
) -> None:
    chat.speaks(Script("How are families of excluded children advised?"), Script("Call [1]."))
    with service(library_url, chat.model, max_retries=1) as patient:
        said = await ask(patient, "zorblax quantum tyre pressure", la=BIRMINGHAM)
    assert said["found"]
    assert "found nothing" in chat.model.prompt(0)
    assert said["sources"][0]["title"] == "Birmingham exclusions team"


async def test_retries_end(library_url: str, chat: Service) -> None:
    chat.speaks(Script("zorblax one"), Script("zorblax two"), Script("zorblax three"))
    with service(library_url, chat.model, max_retries=2) as patient:
        said = await ask(patient, "zorblax quantum tyre", la=BIRMINGHAM)
    assert not said["found"]
    assert len(chat.model.asked) == 2
    assert "“zorblax quantum tyre”; “zorblax one”; “zorblax two”" in said["answer"]


async def test_the_next_question_does_not_see_what_was_rejected_since(
    chat: Service, library_url: str
) -> None:
    """A-03: nothing of an answer is shared or kept for the next one."""
    before = await ask(chat, la=KENT)
    title = before["sources"][0]["title"]
    with psycopg.connect(library_url, autocommit=True) as db:
        undo = "update corpus.chunk_fact set status = %s where chunk_id = %s"
        ids = [s["chunk_id"] for s in before["sources"] if s["title"] == title]
        try:
            for chunk_id in ids:
                db.execute(undo, ["rejected", chunk_id])
            after = await ask(chat, la=KENT)
        finally:
            for chunk_id in ids:
                db.execute(undo, ["pending", chunk_id])
    assert title not in [source["title"] for source in after["sources"]]
    birmingham = await ask(chat, la=BIRMINGHAM)
    assert KENT not in [source["la_code"] for source in birmingham["sources"]]


async def test_the_same_words_go_through_the_command_and_the_api(
    chat: Service, library_url: str
) -> None:
    chat.speaks(Script("Call the team [1]."))
    said = await ask(chat, la=BIRMINGHAM)
    environ = {
        "PGKB_CHAT_MODEL": "talker",
        "PGKB_CHAT_BASE_URL": chat.model.url,
        "PGKB_DATABASE_URL": library_url,
    }
    ended = await asyncio.to_thread(
        pgkb_here, "ask", QUESTION, "--la", BIRMINGHAM, "--json", **environ
    )
    assert ended.code == 0, ended.err
    different = {"conversation_id", "turn_id", "timings_ms", "retrieval"}
    assert {key: value for key, value in ended.json.items() if key not in different} == {
        key: value for key, value in said.items() if key not in different
    }
    assert ended.json["conversation_id"] is None
