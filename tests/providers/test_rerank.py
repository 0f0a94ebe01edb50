"""A reranker behind HTTP, as a real server on loopback plays it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from providers.protocols import ProviderError
from providers.rerank import HttpReranker, reranker_for

SCORED = {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}


class Server(ThreadingHTTPServer):
    """Answers what it is told to, and remembers what it was asked."""

    status = 200
    answer: Any = SCORED
    asked: dict[str, Any]
    key: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/rerank"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.key = self.headers.get("Authorization")
        said = self.server.answer
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        del format, arguments


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), _Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=[0.05])
        thread.start()
        yield running
        running.shutdown()
        thread.join()


async def _scores(url: str, **facts: Any) -> list[float]:
    reranker = HttpReranker(url=url, **facts)
    try:
        return await reranker.scores("who can help?", ["one", "two"])
    finally:
        await reranker.aclose()


async def test_scores_come_in_the_order_of_the_texts(server: Server) -> None:
    assert await _scores(server.url, model="ranker", key="secret-of-ours") == [0.2, 0.9]
    assert server.asked == {
        "query": "who can help?", "documents": ["one", "two"], "model": "ranker",
    }  # fmt: skip
    assert server.key == "Bearer secret-of-ours"


@pytest.mark.parametrize(
    "answer",
    [
        b"not json",
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 0.5}] * 2},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 2, "relevance_score": 0.5}]},
        b'{"results":[{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":1}]}',
        {"scores": [1, 2]},
    ],
)
async def test_an_answer_that_scores_not_every_text_once_is_none(
    server: Server, answer: Any
) -> None:
    server.answer = answer
    with pytest.raises(ProviderError) as refused:
        await _scores(server.url)
    assert refused.value.code == "service_failed"


@pytest.mark.parametrize(
    ("status", "code"), [(401, "unauthorised"), (500, "service_failed"), (302, "service_failed")]
)
async def test_a_status_that_is_no_answer_is_an_error(
    server: Server, status: int, code: str
) -> None:
    server.status = status
    with pytest.raises(ProviderError) as refused:
        await _scores(server.url)
    assert refused.value.code == code


async def test_a_reranker_that_is_not_there_is_an_error_without_its_address(
    server: Server,
) -> None:
    url = server.url
    server.server_close()
    with pytest.raises(ProviderError) as refused:
        await _scores(url)
    assert refused.value.code == "unreachable"
    assert "127.0.0.1" not in str(refused.value)


async def test_nothing_to_score_asks_nobody() -> None:
    reranker = HttpReranker(url="http://127.0.0.1:9/rerank")
    assert await reranker.scores("who?", []) == []
    await reranker.aclose()


def test_without_an_address_there_is_none_and_a_bad_one_is_named() -> None:
    assert reranker_for({}) is None
    assert reranker_for({"PGKB_RERANK_URL": "http://127.0.0.1:9/rerank"}) is not None
    for environ in (
        {"PGKB_RERANK_URL": "ranker"},
        {"PGKB_RERANK_URL": "http://ranker.example/", "PGKB_RERANK_API_KEY": "k"},
        {"PGKB_RERANK_URL": "https://ranker.example/", "PGKB_RERANK_TIMEOUT": "soon"},
    ):
        with pytest.raises(ProviderError, match="PGKB_RERANK"):
            reranker_for(environ)
