"""embedding.embed_text: a vector from inside the server, through a real endpoint."""

import math
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import KeptConnection, ask, ask_rows, refused
from tests.providers.fake_openai import FakeServer, fake_openai, fake_vector

KEY = "sk-very-secret-0123456789"
QUESTION = "Who pays for the taxi of Finley?"


@pytest.fixture
def asker(filled_url: str) -> Iterator[psycopg.Connection]:
    """A server process of the test's own, whose environment the test may change."""
    with closing(KeptConnection.connect(filled_url)) as own:
        if ask(own, "select to_regprocedure('embedding.embed_text(text, text)') is null"):
            pytest.skip("this server has no plpython3u, so embed_text is not installed")
        _set_key(own, PGKB_EMBED_API_KEY=None, OPENAI_API_KEY=None)
        yield own


def _set_key(db: psycopg.Connection, **variables: str | None) -> None:
    """Change the environment of this connection's server process."""
    for name, value in variables.items():
        change = f"os.environ[{name!r}] = {value!r}" if value else f"os.environ.pop({name!r}, None)"
        db.execute(f"do language plpython3u $$import os; {change}$$".encode())


@contextmanager
def _endpoint(
    db: psycopg.Connection, set_name: str = "local-minilm", **faults: Any
) -> Iterator[FakeServer]:
    """The fake server, with the set active and its address there."""
    faults = {"width": 384} | faults if set_name == "local-minilm" else faults
    with fake_openai(**faults) as server:
        db.execute("select embedding.activate(%s)", [set_name])
        db.execute("update embedding.set set endpoint_url = %s where active", [server.url])
        yield server


def _embed(db: psycopg.Connection, question: str | None = QUESTION) -> list[float]:
    found = ask(db, "select embedding.embed_text(%s::text)::text", question)
    return [float(x) for x in found.strip("[]").split(",")]


def test_the_endpoint_of_the_active_set_gives_the_vector(asker: psycopg.Connection) -> None:
    with _endpoint(asker) as server:
        assert _embed(asker) == pytest.approx(fake_vector(QUESTION, 384), abs=1e-6)
    (call,) = server.calls
    assert call.path == "/v1/embeddings"
    assert call.texts == [QUESTION]
    assert call.body["model"] == "all-MiniLM-L6-v2-int8"
    assert "dimensions" not in call.body
    assert "authorization" not in call.headers


def test_a_remote_model_is_asked_for_the_width_of_its_set(asker: psycopg.Connection) -> None:
    with _endpoint(asker, "openai-3-large") as server:
        assert len(_embed(asker)) == 1536
    assert server.calls[0].body["dimensions"] == 1536
    assert server.calls[0].body["model"] == "text-embedding-3-large"


def test_an_address_that_ends_with_a_slash_is_the_same(asker: psycopg.Connection) -> None:
    with _endpoint(asker) as server:
        asker.execute("update embedding.set set endpoint_url = endpoint_url || '/' where active")
        _embed(asker)
    assert server.calls[0].path == "/v1/embeddings"


@pytest.mark.parametrize("question", ["'; drop table x; --", "“ḱüŕly” 👩‍👩‍👧\n\\", "x" * 100_000])
def test_any_text_reaches_the_endpoint_as_it_is(asker: psycopg.Connection, question: str) -> None:
    with _endpoint(asker) as server:
        _embed(asker, question)
    assert server.texts == [question]


@pytest.mark.parametrize(
    ("variables", "header"),
    [
        ({"OPENAI_API_KEY": KEY}, f"Bearer {KEY}"),
        ({"PGKB_EMBED_API_KEY": KEY}, f"Bearer {KEY}"),
        ({"PGKB_EMBED_API_KEY": KEY, "OPENAI_API_KEY": "sk-other"}, f"Bearer {KEY}"),
    ],
)
def test_the_key_comes_from_the_servers_environment(
    asker: psycopg.Connection, variables: dict[str, str], header: str
) -> None:
    _set_key(asker, **variables)
    with _endpoint(asker) as server:
        _embed(asker)
    assert server.calls[0].headers["authorization"] == header


def test_azure_gets_the_key_in_its_own_header(asker: psycopg.Connection) -> None:
    _set_key(asker, PGKB_EMBED_API_KEY=KEY)
    with _endpoint(asker, "openai-3-large") as server:
        asker.execute("update embedding.set set provider = 'azure' where active")
        _embed(asker)
    assert server.calls[0].headers["api-key"] == KEY
    assert "authorization" not in server.calls[0].headers


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ({"echo_key": True}, "answered 401"),
        ({"echo_input": True}, "answered 400"),
        ({"quota": True}, "answered 429"),
        ({"fail_calls": frozenset({1})}, "answered 500"),
        ({"not_json": True}, "gave no vector"),
        ({"missing_item": True}, "gave no vector"),
        ({"nan": True}, "gave no vector"),
    ],
)
def test_an_endpoint_that_fails_is_refused_with_a_hint_and_without_key_or_question(
    asker: psycopg.Connection, faults: dict[str, Any], told: str
) -> None:
    """A-09."""
    _set_key(asker, PGKB_EMBED_API_KEY=KEY)
    with (
        _endpoint(asker, **faults) as server,
        pytest.raises(psycopg.Error) as caught,
        asker.transaction(),
    ):
        _embed(asker)
    diag = caught.value.diag
    assert diag.sqlstate == "VE008"
    assert told in (diag.message_primary or "")
    assert server.url in (diag.message_primary or "")
    assert diag.message_hint
    for part in (diag.message_primary, diag.message_detail, diag.message_hint, diag.context):
        assert KEY not in (part or "")
        assert "Finley" not in (part or "")


def test_a_vector_of_another_width_is_refused_with_both_widths(
    asker: psycopg.Connection,
) -> None:
    with (
        _endpoint(asker, width=768),
        refused(asker, "VE002", "768 dimensions", "all-MiniLM-L6-v2-int8", "384"),
    ):
        _embed(asker)


def test_a_broken_key_is_refused_and_not_told(asker: psycopg.Connection) -> None:
    _set_key(asker, PGKB_EMBED_API_KEY=f"{KEY}\n")
    with (
        _endpoint(asker),
        pytest.raises(psycopg.Error) as caught,
        asker.transaction(),
    ):
        _embed(asker)
    assert caught.value.sqlstate == "VE008"
    assert KEY not in str(caught.value)


def test_when_nobody_listens_the_hint_says_how_to_start_it(asker: psycopg.Connection) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        asker.execute(
            "update embedding.set set endpoint_url = %s where active",
            [f"http://127.0.0.1:{bound.getsockname()[1]}/v1"],
        )
        with refused(asker, "VE008", "gave no vector", "Is it running?"):
            _embed(asker)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (None, "has no endpoint"),
        ("", "has no endpoint"),
        ("file:///etc/passwd", "not a web address"),
        ("ftp://127.0.0.1/x", "not a web address"),
        ("127.0.0.1:8089", "not a web address"),
        ("http://", "not a web address"),
        ("http://127.0.0.1:99999", "gave no vector"),
        ("http://a b/", "gave no vector"),
        ("http://127.0.0.1:port/", "gave no vector"),
    ],
)
def test_an_address_that_cannot_be_called_is_refused(
    asker: psycopg.Connection, address: str | None, told: str
) -> None:
    asker.execute("update embedding.set set endpoint_url = %s where active", [address])
    with refused(asker, "VE008", told):
        _embed(asker)


@pytest.mark.parametrize("question", ["", "  \n", None])
def test_no_text_is_refused_before_anything_is_called(
    asker: psycopg.Connection, question: str | None
) -> None:
    with _endpoint(asker) as server, refused(asker, "VE008", "no text"):
        _embed(asker, question)
    assert server.calls == []


def test_search_text_asks_once_and_keeps_the_vector(asker: psycopg.Connection) -> None:
    vector = fake_vector("Who pays for the taxi?", 384)
    with _endpoint(asker) as server:
        add(asker, "The council pays.", source="a.txt", vector=vector)
        for _ in range(2):
            ((similarity,),) = ask_rows(
                asker, "select similarity from search_text('Who pays for the taxi?')"
            )
            assert math.isclose(similarity, 1, abs_tol=1e-3)
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    "faults", [{"nan": True}, {"zero": True}, {"width": 3}, {"fail_calls": frozenset({1})}]
)
def test_search_text_goes_on_with_words_alone_when_the_endpoint_fails(
    asker: psycopg.Connection, faults: dict[str, Any]
) -> None:
    notices: list[str | None] = []
    asker.add_notice_handler(lambda message: notices.append(message.message_primary))
    with _endpoint(asker, **faults):
        add(asker, "The council pays for the taxi.", source="a.txt")
        assert ask_rows(
            asker, "select matched_by, similarity from search_text('Who pays for the taxi?')"
        ) == [("keyword", None)]
    assert len(notices) == 1
    assert (notices[0] or "").startswith("keyword search only: ")
