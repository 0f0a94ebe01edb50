"""The real openai client against a real server that misbehaves on demand."""

import asyncio
import logging
import math
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from providers.openai_clients import Connection
from providers.openai_embed import Limits, OpenAIEmbedder
from providers.pacing import Clock
from providers.protocols import ProviderError
from tests.providers.fake_openai import FakeServer, fake_openai, fake_vector

KEY = "sk-test-0123456789abcdef"
MODEL = "text-embedding-3-large"
WIDTH = 32
TEXTS = [f"text number {n}" for n in range(20)]


class FakeTime:
    """A clock on which waiting takes no time; ``waits`` is what was waited."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []
        self.clock = Clock(now=lambda: self.time, sleep=self._sleep, asleep=self._asleep)

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    async def _asleep(self, seconds: float) -> None:
        self._sleep(seconds)


def connection(server: FakeServer, **changes: Any) -> Connection:
    plain = Connection(
        provider="openai",
        base_url=server.url,
        key=KEY,
        key_name="OPENAI_API_KEY",
        send_dimensions=True,
        direct=True,
    )
    return replace(plain, **changes)


def embedder(
    server: FakeServer, *, limits: Limits | None = None, time: FakeTime | None = None
) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        connection=connection(server),
        model=MODEL,
        width=WIDTH,
        limits=limits,
        clock=(time or FakeTime()).clock,
    )


def _blocking(client: OpenAIEmbedder, texts: list[str]) -> list[list[float]]:
    return client.embed(texts)


def _on_a_loop(client: OpenAIEmbedder, texts: list[str]) -> list[list[float]]:
    async def run() -> list[list[float]]:
        try:
            return await client.aembed(texts)
        finally:
            await client.aclose()

    return asyncio.run(run())


Way = Callable[[OpenAIEmbedder, list[str]], list[list[float]]]
both_ways = pytest.mark.parametrize("way", [_blocking, _on_a_loop])


def refusal(way: Way, server: FakeServer, texts: list[str] = TEXTS, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        way(embedder(server, **more), texts)
    return caught.value


@both_ways
def test_shuffled_answers_are_put_back_in_order(way: Way) -> None:
    with fake_openai() as server:
        vectors = way(embedder(server), TEXTS)
    assert np.allclose(vectors, [fake_vector(text, WIDTH) for text in TEXTS])
    (call,) = server.calls
    assert call.path == "/v1/embeddings"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body["dimensions"] == WIDTH
    assert call.body["encoding_format"] == "float"
    assert call.body["model"] == MODEL


def test_azure_is_asked_by_deployment_with_its_own_header() -> None:
    with fake_openai() as server:
        azure = connection(
            server,
            provider="azure",
            base_url=server.azure_endpoint,
            deployment="our-large",
            api_version="2024-10-21",
        )
        client = OpenAIEmbedder(connection=azure, model=MODEL, width=1536)
        assert len(client.embed(["one"])[0]) == 1536
        _on_a_loop(client, ["two"])
    for call in server.calls:
        assert call.path == "/openai/deployments/our-large/embeddings"
        assert call.query == "api-version=2024-10-21"
        assert call.headers["api-key"] == KEY
        assert "authorization" not in call.headers
        assert call.body["dimensions"] == 1536


def test_a_server_that_knows_no_dimensions_is_not_sent_any() -> None:
    with fake_openai(width=8) as server:
        plain = connection(server, send_dimensions=False)
        OpenAIEmbedder(connection=plain, model="own", width=8).embed(["one"])
    assert "dimensions" not in server.calls[0].body


def test_no_texts_need_no_request() -> None:
    with fake_openai() as server:
        assert embedder(server).embed([]) == []
    assert server.calls == []


def test_one_embedder_serves_several_event_loops() -> None:
    with fake_openai() as server:
        client = embedder(server)
        for text in TEXTS[:3]:
            assert np.allclose(_on_a_loop(client, [text]), [fake_vector(text, WIDTH)])


# -- vectors that must not be stored -------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    ("faults", "says"),
    [
        ({"width": 3072}, f"{MODEL} returned a vector of width 3072, but .* width {WIDTH}"),
        ({"nan": True}, "not finite"),
        ({"zero": True}, "zero vector"),
        ({"duplicate_index": True}, "two vectors for one text"),
        ({"missing_item": True}, "19 of 20 came back"),
        ({"index_beyond": True}, "not sent"),
    ],
)
def test_an_unusable_answer_is_refused_and_not_asked_for_again(
    way: Way, faults: dict[str, Any], says: str
) -> None:
    """E-05."""
    with fake_openai(**faults) as server, pytest.raises(ProviderError, match=says) as caught:
        way(embedder(server), TEXTS)
    assert caught.value.code == "bad_vector"
    assert not caught.value.retryable
    assert len(server.calls) == 1


def test_a_vector_of_length_five_is_scaled_to_one() -> None:
    """E-05."""
    with fake_openai(length=5.0) as server:
        vectors = embedder(server).embed(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)))


def test_a_web_page_in_place_of_an_answer_is_told_as_such() -> None:
    with fake_openai(not_json=True) as server:
        error = refusal(_blocking, server)
    assert "not a list of embeddings" in str(error)


# -- limits --------------------------------------------------------------------------------------


@both_ways
def test_a_blank_text_is_never_sent(way: Way) -> None:
    """E-01."""
    with fake_openai() as server:
        error = refusal(way, server, ["fine", " \u200b\n"])
    assert error.item == 1
    assert server.calls == []


def test_requests_stay_under_the_item_limit() -> None:
    """E-02."""
    with fake_openai(max_items=16) as server:
        embedder(server, limits=Limits(max_items=16)).embed(TEXTS * 2)
    assert [len(call.texts) for call in server.calls] == [16, 16, 8]


def test_requests_stay_under_the_token_limit() -> None:
    """E-02."""
    texts = [f"{n} " + "special educational needs " * 150 for n in range(400)]
    with fake_openai(max_characters=1_000_000) as server:
        vectors = embedder(server).embed(texts)
    assert len(vectors) == 400
    assert len(server.calls) > 1
    assert server.texts == texts


def test_a_text_above_the_input_limit_is_split_and_nothing_is_cut() -> None:
    """E-02."""
    long = "特別支援教育" * 2000
    with fake_openai() as server:
        vectors = embedder(server).embed(["short", long, "last"])
    assert "".join(server.texts) == f"short{long}last"
    assert max(map(len, server.texts)) * 2 < Limits().max_input_tokens
    assert np.allclose(vectors[2], fake_vector("last", WIDTH))
    assert math.isclose(float(np.linalg.norm(vectors[1])), 1.0)


def test_a_service_with_a_smaller_limit_than_ours_is_served_by_halving() -> None:
    with fake_openai(max_items=6) as server:
        vectors = embedder(server).embed(TEXTS)
    assert np.allclose(vectors, [fake_vector(text, WIDTH) for text in TEXTS])


# -- one bad text --------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("at", [0, 7, 19])
def test_a_refused_batch_is_narrowed_to_the_guilty_text(way: Way, at: int) -> None:
    """E-02."""
    texts = [*TEXTS[:at], "poison", *TEXTS[at + 1 :]]
    with fake_openai(bad_item="poison") as server:
        error = refusal(way, server, texts)
    assert error.item == at
    assert f"text {at} of 20" in str(error)
    assert "poison" not in str(error)
    assert error.code == "refused"
    assert len(server.calls) <= 11


def test_a_request_that_is_wrong_as_a_whole_blames_no_text() -> None:
    with fake_openai(bad_item="text") as server:
        error = refusal(_blocking, server)
    assert error.item is None
    assert len(server.calls) <= 7


def test_a_refused_parameter_is_not_narrowed() -> None:
    with fake_openai(bad_param="dimensions") as server:
        error = refusal(_blocking, server)
    assert error.item is None
    assert len(server.calls) == 1
    assert "dimensions" in (error.detail or "")


def test_a_single_refused_text_fails_at_once() -> None:
    with fake_openai(bad_item="poison") as server:
        error = refusal(_blocking, server, ["poison"])
    assert error.item == 0
    assert len(server.calls) == 1


# -- waiting -------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "2500", "retry_after": "9"}, 2.5),
        ({"retry_after": "date:20"}, 20.0),
    ],
)
def test_the_wait_is_as_long_as_the_service_asks(
    way: Way, told: dict[str, str], seconds: float
) -> None:
    """E-03."""
    time = FakeTime()
    with fake_openai(rate_limit_calls=frozenset({1}), **told) as server:
        way(embedder(server, time=time), TEXTS)
    assert len(server.calls) == 2
    assert sum(time.waits) == pytest.approx(seconds, abs=1.5 if seconds > 10 else seconds / 10)


@both_ways
@pytest.mark.parametrize("told", ["86400", "date:86400"])
def test_an_absurd_wait_is_not_honoured_but_reported(way: Way, told: str) -> None:
    """E-03."""
    time = FakeTime()
    with fake_openai(rate_limit_calls=frozenset({1}), retry_after=told) as server:
        error = refusal(way, server, time=time)
    assert error.code == "rate_limited"
    assert error.retryable
    assert error.retry_after == Limits().longest_wait
    assert time.waits == []
    assert len(server.calls) == 1


def test_a_wait_is_shared_by_every_client_of_the_deployment() -> None:
    """E-03."""
    time = FakeTime()
    with fake_openai(rate_limit_calls=frozenset({1}), retry_after="7") as server:
        first = embedder(server, time=time, limits=Limits(attempts=1))
        with pytest.raises(ProviderError) as caught:
            first.embed(["one"])
        embedder(server, time=time).embed(["two"])
    assert caught.value.retry_after == 7.0
    assert time.waits == [pytest.approx(7.0, rel=0.06)]


def test_without_a_named_wait_each_one_is_longer_than_the_last() -> None:
    time = FakeTime()
    with fake_openai(rate_limit_calls=frozenset(range(1, 9))) as server:
        error = refusal(_blocking, server, time=time)
    assert error.retryable
    assert error.retry_after is None
    assert len(server.calls) == Limits().attempts
    assert time.waits == sorted(time.waits)


def test_a_real_wait_takes_its_time() -> None:
    with fake_openai(rate_limit_calls=frozenset({1}), retry_after_ms="300") as server:
        client = OpenAIEmbedder(connection=connection(server), model=MODEL, width=WIDTH)
        started = asyncio.run(_timed(client))
    assert 0.3 <= started < 5


async def _timed(client: OpenAIEmbedder) -> float:
    loop = asyncio.get_running_loop()
    start = loop.time()
    await client.aembed(["one"])
    await client.aclose()
    return loop.time() - start


@both_ways
def test_a_used_up_quota_fails_at_once(way: Way) -> None:
    """E-03."""
    time = FakeTime()
    with fake_openai(quota=True, retry_after="1") as server:
        error = refusal(way, server, time=time)
    assert error.code == "quota_exhausted"
    assert not error.retryable
    assert "billing" in str(error)
    assert (len(server.calls), time.waits) == (1, [])


@both_ways
@pytest.mark.parametrize("status", [408, 409, 500, 502, 503])
def test_a_passing_failure_is_tried_again(way: Way, status: int) -> None:
    with fake_openai(fail_calls=frozenset({1, 2}), fail_status=status) as server:
        assert len(way(embedder(server), TEXTS)) == 20
    assert len(server.calls) == 3


def test_a_failure_in_the_second_batch_repeats_that_batch_only() -> None:
    """E-04."""
    with fake_openai(fail_calls=frozenset({2})) as server:
        vectors = embedder(server, limits=Limits(max_items=8)).embed(TEXTS)
    assert np.allclose(vectors, [fake_vector(text, WIDTH) for text in TEXTS])
    assert [len(call.texts) for call in server.calls] == [8, 8, 8, 4]


@both_ways
def test_what_was_answered_before_a_failure_comes_with_the_error(way: Way) -> None:
    """E-04."""
    with fake_openai(fail_calls=frozenset({3})) as server:
        error = refusal(way, server, limits=Limits(max_items=8, attempts=1))
    assert np.allclose(error.finished, [fake_vector(text, WIDTH) for text in TEXTS[:16]])


def test_a_text_whose_last_part_failed_is_not_finished() -> None:
    """E-04."""
    long = "special educational needs " * 40
    limits = Limits(max_items=2, max_input_tokens=200, attempts=1)
    with fake_openai(fail_calls=frozenset({2})) as server:
        error = refusal(_blocking, server, ["first", long, "last"], limits=limits)
    assert np.allclose(error.finished, [fake_vector("first", WIDTH)])


@both_ways
@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "refused"), (401, "unauthorised"), (403, "unauthorised"), (404, "refused")],
)
def test_what_cannot_get_better_is_not_tried_again(way: Way, status: int, code: str) -> None:
    """E-03."""
    with fake_openai(fail_calls=frozenset({1}), fail_status=status) as server:
        error = refusal(way, server, ["one"])
    assert (error.code, error.retryable) == (code, False)
    assert len(server.calls) == 1


@both_ways
def test_a_silent_service_is_given_up_after_the_timeout(way: Way) -> None:
    with fake_openai(delay=1.0) as server:
        error = refusal(way, server, ["one"], limits=Limits(timeout=0.1, attempts=2))
    assert (error.code, error.retryable) == ("timeout", True)


@both_ways
def test_a_service_that_is_not_there_is_told_as_unreachable(way: Way) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = FakeServer(unused.getsockname()[1], faults=None)  # type: ignore[arg-type]
        error = refusal(way, nobody, ["one"], limits=Limits(attempts=2))
    assert (error.code, error.retryable) == ("unreachable", True)
    assert "127.0.0.1" not in str(error)
    assert "127.0.0.1" in (error.detail or "")


# -- secrets -------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    "faults",
    [
        {"echo_key": True},
        {"echo_input": True},
        {"quota": True},
        {"fail_calls": frozenset(range(9))},
        {"nan": True},
        {},
    ],
)
def test_neither_key_nor_text_reaches_an_error_or_a_log(
    way: Way, faults: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    question = "why was my son Zebedee sent home from school"
    shown = [repr(connection(FakeServer(1, faults=None)))]  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG), fake_openai(**faults) as server:
        client = embedder(server)
        shown += [repr(client), str(vars(client))]
        try:
            way(client, [question])
        except ProviderError as error:
            shown += [str(error), repr(error), error.detail or "", str(error.args)]
            # whoever prints the chain of exceptions prints nothing more
            shown += [repr(error.__cause__), repr(error.__context__)]
    assert caplog.records
    everything = caplog.text + "".join(shown)
    assert KEY not in everything
    assert KEY[3:] not in everything
    assert "Zebedee" not in everything
