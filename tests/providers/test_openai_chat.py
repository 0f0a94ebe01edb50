"""A chat model over HTTP: what comes in pieces, what goes wrong, and that leaving is noticed."""

import asyncio
import time
from contextlib import aclosing

import pytest

from providers.chat_models import chat_model_for
from providers.protocols import ChatMessage, ChatModel, ChatPart, ProviderError
from tests.app.chat.model_server import ModelServer, Script, model_server

ASKED = [ChatMessage("user", "May I have a secret word with you about my son?")]
KEY = "sk-secret-key-1234567890"


def chat(server: ModelServer, **environ: str) -> ChatModel:
    """The model at that server, as an operator would configure it."""
    model = chat_model_for(
        {"PGKB_CHAT_MODEL": "m-1", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY} | environ
    )
    assert model is not None
    return model


async def said_by(model: ChatModel) -> list[ChatPart]:
    """Everything it says."""
    try:
        return [part async for part in model.stream(ASKED, most_tokens=50)]
    finally:
        await model.aclose()


async def text_of(script: Script) -> str:
    with model_server(script) as server:
        return "".join(part.text for part in await said_by(chat(server)))


async def test_an_answer_comes_in_pieces_and_says_what_it_cost() -> None:
    with model_server(Script("one two three")) as server:
        parts = await said_by(chat(server))
    assert [part.text for part in parts if part.text] == ["one ", "two ", "three"]
    assert (parts[-1].prompt_tokens, parts[-1].completion_tokens) == (11, 7)
    assert server.asked[0]["model"] == "m-1"
    assert server.asked[0]["stream"] is True
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_azure_is_asked_by_deployment_with_its_own_header() -> None:
    with model_server(Script("yes")) as server:
        model = chat_model_for(
            {
                "AZURE_OPENAI_ENDPOINT": f"http://127.0.0.1:{server.port}",
                "AZURE_OPENAI_API_KEY": KEY,
                "AZURE_OPENAI_CHAT_DEPLOYMENT": "our-gpt",
            }
        )
        assert model is not None
        assert model.name == "azure"
        assert "".join(part.text for part in await said_by(model)) == "yes"
    assert server.paths == ["/openai/deployments/our-gpt/chat/completions"]
    assert server.headers[0]["api-key"] == KEY
    assert "max_completion_tokens" in server.asked[0]


async def test_deltas_that_hold_no_text_are_passed_over() -> None:
    odd = [
        {"content": None},
        {"tool_calls": [{"index": 0, "function": {"name": "rm", "arguments": "{}"}}]},
        {"content": ["a", "list"]},
        {},
        "fine",
    ]
    assert await text_of(Script(odd)) == "fine"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (Script(status=500), "service_failed"),
        (Script(status=429), "rate_limited"),
        (Script(status=401), "unauthorised"),
        (Script(status=404), "refused"),
        (Script(not_events=True), "service_failed"),
        (Script("a b c", die_after=2), "unreachable"),
        (Script("a b c", end_after=2), "service_failed"),
        (Script("a b c", garble_after=1), "service_failed"),
        (Script("a b c", finish="length"), "service_failed"),
        (Script("a b c", finish="content_filter"), "service_failed"),
        (Script([{"tool_calls": []}], finish="tool_calls"), "service_failed"),
        (Script(" "), "service_failed"),
        (Script("a b c", stall_after=1), "timeout"),
    ],
)
async def test_whatever_goes_wrong_is_one_kind_of_error(script: Script, code: str) -> None:
    with model_server(script) as server, pytest.raises(ProviderError) as caught:
        await said_by(chat(server, PGKB_CHAT_SILENCE="1"))
    assert caught.value.code == code
    assert "m-1" in str(caught.value)


async def test_no_error_repeats_the_key_or_the_question() -> None:
    script = Script(status=400, error=f"{KEY} may not ask: {ASKED[0].content}")
    with model_server(script) as server, pytest.raises(ProviderError) as caught:
        await said_by(chat(server))
    told = f"{caught.value} {caught.value.detail}"
    assert KEY not in told
    assert "secret word" not in told


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    with model_server() as server:
        pass
    with pytest.raises(ProviderError) as caught:
        await said_by(chat(server))
    assert caught.value.code == "unreachable"


async def test_who_stops_listening_is_noticed_by_the_service_at_once() -> None:
    with model_server(Script("a b c", stall_after=1)) as server:
        model = chat(server)
        async with aclosing(model.stream(ASKED, most_tokens=5)) as parts:
            async for part in parts:
                if part.text:
                    break
        assert server.open == 1 or server.left == 1
        started = time.monotonic()
        while not server.left:
            assert time.monotonic() < started + 2
            await asyncio.sleep(0.01)
        await model.aclose()


def test_a_key_for_embeddings_alone_asks_no_chat_model() -> None:
    assert chat_model_for({"OPENAI_API_KEY": KEY}) is None


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({"PGKB_CHAT_MODEL": "m"}, "OPENAI_API_KEY"),
        ({"AZURE_OPENAI_CHAT_DEPLOYMENT": "m"}, "AZURE_OPENAI_ENDPOINT"),
        (
            {"PGKB_CHAT_MODEL": "m", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://far/v1"},
            "OPENAI_BASE_URL",
        ),
        ({"PGKB_CHAT_MODEL": "m", "PGKB_CHAT_BASE_URL": "nonsense"}, "PGKB_CHAT_BASE_URL"),
    ],
)
def test_what_is_missing_is_named(environ: dict[str, str], names: str) -> None:
    with pytest.raises(ProviderError, match=names) as caught:
        chat_model_for(environ)
    assert caught.value.code == "misconfigured"
    assert KEY not in str(caught.value)


def test_a_key_of_openai_does_not_go_to_a_server_of_ones_own() -> None:
    with model_server(Script("yes")) as server:
        model = chat_model_for(
            {
                "PGKB_CHAT_MODEL": "m",
                "PGKB_CHAT_BASE_URL": server.url,
                "OPENAI_API_KEY": KEY,
            }
        )
        assert model is not None
        asyncio.run(said_by(model))
    assert server.headers[0]["authorization"] == "Bearer none"
