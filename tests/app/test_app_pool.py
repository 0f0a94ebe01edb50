"""Connections are lent for moments: never while a model works, and always given back."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import psycopg
import pytest
from litestar import Litestar

from app.admin.calls import act_as_admin
from app.asgi import create_app
from app.embedders import Embedders
from app.pool import lend
from app.settings import from_environ
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.app.library import KENT, OPEN, asking


@dataclass
class WatchedEmbedder:
    """The offline model, with a look at the pool while it works."""

    real: Embedder
    look: Callable[[], int]
    lent: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.real.name

    @property
    def model(self) -> str:
        return self.real.model

    @property
    def width(self) -> int:
        return self.real.width

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.lent.append(self.look())
        return self.real.embed(texts)

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        self.lent.append(self.look())
        return await self.real.aembed(texts)

    def close(self) -> None:
        self.real.close()

    async def aclose(self) -> None:
        await self.real.aclose()


def _lent(app: Litestar) -> int:
    pool = app.state.pool
    return int(pool.get_size() - pool.get_idle_size())


async def test_no_connection_is_held_while_a_model_works(library_url: str) -> None:
    built: list[WatchedEmbedder] = []

    def build(provider: str, model: str, width: int, environ: Mapping[str, str]) -> WatchedEmbedder:
        built.append(
            WatchedEmbedder(embedder_for(provider, model, width, environ), lambda: _lent(app))
        )
        return built[-1]

    settings = from_environ(OPEN, database_url=library_url)
    app = create_app(settings, embedders=Embedders(timeout=60, build=build))
    async with asking(app) as client:
        answer = await client.post(
            "/api/chat", json={"question": "how does Kent help an excluded child?", "la": KENT}
        )
    assert answer.json()["found"]
    assert answer.json()["retrieval"]["query_vector"] == "provider"
    (watched,) = built
    assert watched.lent == [0, 0]


async def test_many_questions_at_once_share_two_connections(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # they wait their turn, however slow the machine is
    monkeypatch.setattr("app.pool._LEND_WITHIN", 60)
    monkeypatch.setattr("app.routes.health._LEND_WITHIN", 60)
    settings = replace(from_environ(OPEN, database_url=library_url), pool_size=2)
    app = create_app(settings)
    async with asking(app) as client:
        answers = await asyncio.gather(
            *(
                client.post("/api/search", json={"question": f"excluded child {n}", "la": KENT})
                for n in range(20)
            ),
            client.get("/health/ready"),
        )
        assert _lent(app) == 0
        assert app.state.pool.get_size() <= 2
    assert {answer.status_code for answer in answers} == {200}


async def test_a_provider_that_hangs_costs_its_time_limit_and_not_the_answer(
    library_url: str,
) -> None:
    let_go = threading.Event()

    class Hanging(WatchedEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            # a thread cannot be ended from outside: it waits until the test lets it go
            let_go.wait(60)
            return self.real.embed(texts)

    def build(provider: str, model: str, width: int, environ: Mapping[str, str]) -> Hanging:
        return Hanging(embedder_for(provider, model, width, environ), lambda: 0)

    settings = from_environ(OPEN, database_url=library_url)
    app = create_app(settings, embedders=Embedders(timeout=0.5, build=build))
    async with asking(app) as client:
        answer = await client.post(
            "/api/search", json={"question": "excluded from a Kent school at noon", "la": KENT}
        )
        let_go.set()
    assert answer.status_code == 200
    assert answer.json()["retrieval"]["mode"] == "keyword_only"
    assert "did not answer in time" in " ".join(answer.json()["retrieval"]["notes"])


async def test_a_pool_with_nothing_left_says_busy_instead_of_waiting_for_ever(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.pool._LEND_WITHIN", 0.2)
    monkeypatch.setattr("app.routes.health._LEND_WITHIN", 0.2)
    settings = replace(from_environ(OPEN, database_url=library_url), pool_size=1)
    app = create_app(settings)
    async with asking(app) as client, lend(app.state.pool):
        search = await client.post("/api/search", json={"question": "who can help?"})
        health = await client.get("/health/ready")
    assert (search.status_code, search.json()["code"]) == (503, "busy")
    assert search.headers["retry-after"]
    assert (health.status_code, health.json()["checks"][0]["finding"]) == (503, "busy")


@pytest.mark.parametrize("kept", [True, False])
async def test_a_switch_of_the_embedding_set_meanwhile_is_not_the_askers_problem(
    db: psycopg.Connection, db_url: str, kept: bool
) -> None:
    db.autocommit = True

    class Switching(WatchedEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            db.execute("select embedding.activate('openai-3-large')")
            if not kept:
                db.execute("select embedding.stop_fill('local-minilm')")
            return self.real.embed(texts)

    def build(provider: str, model: str, width: int, environ: Mapping[str, str]) -> Switching:
        return Switching(embedder_for(provider, model, width, environ), lambda: 0)

    app = create_app(
        from_environ(OPEN, database_url=db_url),
        embedders=Embedders(timeout=60, build=build, environ={}),
    )
    async with asking(app) as client:
        answer = await client.post("/api/search", json={"question": "who can help?"})
    assert answer.status_code == 200, answer.text
    retrieval = answer.json()["retrieval"]
    if kept:
        # the set the question was embedded for is whole, so it answers
        assert (retrieval["embedding_set"], retrieval["query_vector"]) == (
            "local-minilm",
            "provider",
        )
    else:
        assert retrieval["embedding_set"] == "openai-3-large"
        # the new set has no key here, so the second try goes by keyword and says why
        assert "OPENAI_API_KEY" in " ".join(retrieval["notes"])


async def test_a_connection_is_given_back_as_it_was_lent_without_being_asked_to(
    library_url: str,
) -> None:
    """Nothing is cleaned up between loans, so nothing may be left: rights, names, locks, state."""
    app = create_app(replace(from_environ(OPEN, database_url=library_url), pool_size=1))
    left = (
        "select current_user::text, current_setting('audit.actor', true) as actor,"
        " (select count(*) from pg_locks as l where l.pid = pg_backend_pid()"
        " and l.locktype = 'advisory') as locks,"
        " (select count(*) from pg_stat_activity as a where a.pid = pg_backend_pid()"
        " and a.state = 'idle in transaction') as unfinished"
    )
    async with asking(app) as client:
        async with lend(app.state.pool) as lent:
            before = await lent.fetchrow(left)
        with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the loan ends by the error
            async with lend(app.state.pool) as lent, lent.transaction():
                await act_as_admin(lent, actor="person:nobody", reason="to see")
                await lent.execute("select pg_advisory_xact_lock(1)")
                raise ZeroDivisionError
        answer = await client.post("/api/search", json={"question": "who can help?"})
        assert answer.status_code == 200
        async with lend(app.state.pool) as lent:
            after = await lent.fetchrow(left)
    assert before is not None
    assert after is not None
    assert (after["current_user"], after["locks"], after["unfinished"]) == ("pgkb_app", 0, 0)
    assert (after["actor"] or None) == (before["actor"] or None)
