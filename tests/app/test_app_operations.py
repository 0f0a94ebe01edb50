"""Metrics, logs and headers: what those who run the service see, and never what people asked."""

import io
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from httpx import AsyncClient

from app.asgi import create_app
from app.logs import formatter
from app.operations import tracing
from app.settings import from_environ
from tests.app.library import KENT, OPEN, asking
from tests.app.people import sign_in

ASK = {"question": "where does Wilhelmina go when excluded?", "la": KENT}


def _figures(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_metrics_count_by_route_and_never_by_what_was_sent(client: AsyncClient) -> None:
    await client.post("/api/search", json=ASK)
    before = _figures((await client.get("/metrics")).text)
    await client.post("/api/search", json=ASK)
    await client.get("/api/citations/987123654?la=E08000025")
    await client.get("/nothing/here")
    text = (await client.get("/metrics")).text
    after = _figures(text)

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more('pgkb_http_requests_total{method="POST",route="/api/search",status="200"}') == 1
    cited = 'pgkb_http_requests_total{method="GET",route="/api/citations/{chunk_id}",status="404"}'
    assert more(cited) == 1
    assert more('pgkb_http_requests_total{method="GET",route="none",status="404"}') == 1
    assert more('pgkb_http_request_seconds_count{method="POST",route="/api/search"}') == 1
    searches = [name for name in after if name.startswith("pgkb_searches_total")]
    assert sum(map(more, searches)) == 1
    assert after["pgkb_database_up"] == 1
    assert after['pgkb_pool_connections{state="most"}'] == 10
    assert after['pgkb_queue_tasks{state="ready"}'] >= 0
    for private in ("Wilhelmina", "E08000025", "987123654", "nothing"):
        assert private not in text


async def test_metrics_are_for_this_machine_unless_a_token_opens_them(library_url: str) -> None:
    async with asking(create_app(from_environ(OPEN, database_url=library_url))) as client:
        assert (await client.get("/metrics")).status_code == 200
        for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            passed_on = await client.get("/metrics", headers={header: "203.0.113.9"})
            assert passed_on.status_code == 403, header
    token = "a-token-of-some-length"
    opened = OPEN | {"PGKB_METRICS_TOKEN": token}
    async with asking(create_app(from_environ(opened, database_url=library_url))) as client:
        assert (await client.get("/metrics")).status_code == 401
        for sent, status in ((f"Bearer {token}", 200), ("Bearer other", 401), (token, 401)):
            answer = await client.get("/metrics", headers={"Authorization": sent})
            assert answer.status_code == status, sent


async def test_metrics_answer_while_the_database_is_away() -> None:
    url = "postgresql://someone@127.0.0.1:1/pgkb"
    async with asking(create_app(from_environ(OPEN, database_url=url))) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert "pgkb_database_up 0.0" in answer.text
    assert 'pgkb_queue_tasks{state="ready"} NaN' in answer.text


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What `pgkb serve` would log, as JSON lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(readable=False))
    # the test's own client logs addresses, too
    ours = logging.getLogger("pgkb")
    level = ours.level
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    yield stream
    ours.removeHandler(handler)
    ours.setLevel(level)


async def test_a_request_is_one_line_of_json_without_anything_of_the_asker(
    library_url: str, log: io.StringIO
) -> None:
    app = create_app(from_environ(OPEN, database_url=library_url))
    async with asking(app) as client:
        ann = sign_in(app)
        sent = ann.headers | {"X-Request-ID": "probe-7"}
        await client.post("/api/search?note=Wilhelmina", json=ASK, headers=sent)
        await client.get("/api/documents/77?la=by%20the%20park&email=a%40example.org")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    asked = [line for line in lines if line["logger"] == "pgkb.request"]
    first = next(line for line in asked if line["route"] == "/api/search")
    assert first["request_id"] == "probe-7"
    assert (first["method"], first["status"], first["level"]) == ("POST", 200, "info")
    assert first["duration_ms"] > 0
    for private in ("Wilhelmina", "park", "example.org", "Bearer", str(ann.user.person_id)):
        assert private not in log.getvalue()


def test_secrets_are_masked_in_json_and_in_lines_for_people() -> None:
    for readable in (True, False):
        record = logging.makeLogRecord(
            {
                "name": "x", "levelno": 40, "levelname": "ERROR",
                "msg": "no answer of postgresql://u:hunter2@db/pgkb: %s",
                "args": ("Authorization: Bearer abcdef123456",),
                "detail": "api_key=sk-12345678",
            }
        )  # fmt: skip
        line = formatter(readable=readable).format(record)
        assert "no answer" in line
        for secret in ("hunter2", "abcdef123456", "sk-12345678"):
            assert secret not in line
        assert "\n" not in line


async def test_every_answer_has_the_headers_that_keep_browsers_from_guessing(
    client: AsyncClient,
) -> None:
    answers = [
        await client.post("/api/search", json=ASK),
        await client.get("/health/live"),
        await client.get("/nothing"),
        await client.get("/schema/openapi.json"),
        await client.delete("/api/search"),
    ]
    for answer in answers:
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "server" not in headers
        assert headers["x-request-id"]


@pytest.mark.parametrize("sent", ["ok-1", "", "x" * 65, "two words", "ü", "a\tb"])
async def test_a_request_id_is_kept_when_it_is_harmless(client: AsyncClient, sent: str) -> None:
    answer = await client.get("/nothing", headers={b"X-Request-ID": sent.encode()})
    given = answer.headers["x-request-id"]
    assert (given == sent) is (sent == "ok-1")
    assert answer.json()["request_id"] == given


async def test_pages_of_other_sites_may_call_only_where_the_operator_says_so(
    library_url: str,
) -> None:
    ours, other = "https://ask.example.org", "https://evil.example.net"
    preflight = {"Access-Control-Request-Method": "POST"}
    for cors, allowed in (("", set()), (ours, {ours})):
        settings = from_environ(OPEN | {"PGKB_CORS_ORIGINS": cors}, database_url=library_url)
        async with asking(create_app(settings)) as client:
            for origin in (ours, other):
                asked = await client.options("/api/search", headers=preflight | {"Origin": origin})
                real = await client.get("/health/live", headers={"Origin": origin})
                for answer in (asked, real):
                    told = answer.headers.get("access-control-allow-origin")
                    assert told == (origin if origin in allowed else None)
                    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/search", 405), ("PUT", "/health/live", 405), ("TRACE", "/api/search", 405),
        ("GET", "/health", 404), ("GET", "/search", 404), ("GET", "/../etc/passwd", 404),
        ("GET", "/%00", 404), ("GET", "/api/documents/", 404), ("BREW", "/api/search", 405),
    ],
)  # fmt: skip
async def test_what_no_route_answers_is_a_problem_with_a_request_id(
    client: AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


async def test_spans_of_a_request_and_its_statements_reach_a_collector(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            received.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    collector = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=collector.serve_forever, daemon=True)
    thread.start()
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
    try:
        async with asking(create_app(from_environ(OPEN, database_url=library_url))) as client:
            await client.post("/api/search", json=ASK)
    finally:
        collector.shutdown()
        collector.server_close()
    spans = [
        span
        for request in received
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    (asked,) = [span for span in spans if span.name == "POST /api/search"]
    statements = [span for span in spans if span.name == "statement"]
    assert any("search.find(" in str(span.attributes) for span in statements)
    assert {span.trace_id for span in statements} == {asked.trace_id}
    assert "Wilhelmina" not in str(received)


def test_without_being_asked_for_nothing_is_traced() -> None:
    assert tracing.start({}) is False
