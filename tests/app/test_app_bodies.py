"""Whatever arrives as a body is answered as a problem, never with a 500."""

import pytest
from httpx import AsyncClient

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 5_000,
        b"[" * 100_000,
        b'{"a":' * 20_000,
        b"[" * 5_000 + b"]" * 5_000,
        b'{"question": 1e400}',
        b'{"question": "x", "top_k": 1e400}',
        b'{"question": "x", "top_k": ' + b"9" * 6_000 + b"}",
        b'{"question": "x", "top_k": 99999999999999999999}',
        b'{"question": "x", "top_k": 3.5}',
        b'{"question": "x", "top_k": true}',
        b'{"question": "x", "as_of": "0000-00-00"}',
        b'{"question": "x", "as_of": "99999-01-01"}',
        b'{"question": "x", "la": "\\u0000"}',
        b'{"question": "x", "tags": ["\\u0000"]}',
        b'{"question": "\xc3\x28"}',
        b'{"question": "x"',
        b'\xef\xbb\xbf{"question": "x"}x',
        b"NaN",
        b'"x"',
        b"0",
        b"\x00",
    ],
    ids=lambda body: body[:24].decode("ascii", "replace"),
)
@pytest.mark.parametrize("path", ["/api/search", "/api/search/explain"])
async def test_bytes_that_are_no_request_are_refused(
    client: AsyncClient, path: str, body: bytes
) -> None:
    answer = await client.post(path, content=body, headers=JSON)
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "invalid_request"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain", "application/xml", "multipart/form-data; boundary=x", "", "json",
        "application/x-www-form-urlencoded", "application/jsonx", "text/json",
    ],
)  # fmt: skip
async def test_a_body_of_another_kind_is_415(client: AsyncClient, kind: str) -> None:
    answer = await client.post(
        "/api/search", content=b'{"question": "x"}', headers={"content-type": kind}
    )
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
async def test_json_may_say_so_in_many_ways(client: AsyncClient, kind: str) -> None:
    answer = await client.post(
        "/api/search", content=b'{"question": "who helps?"}', headers={"content-type": kind}
    )
    assert answer.status_code == 200, answer.text


async def test_a_date_before_and_after_everything_is_an_answer(client: AsyncClient) -> None:
    for day in ("0001-01-01", "9999-12-31"):
        answer = await client.post("/api/search", json={"question": "who helps?", "as_of": day})
        assert answer.status_code == 200, answer.text
