"""The endpoint as a process of its own, called by the real openai client."""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest

from providers import background
from providers.embed import embedder_for
from providers.endpoint import MAX_BODY, MAX_ITEMS, bind
from providers.protocols import ProviderError

ROOT = Path(__file__).resolve().parents[2]
MODEL = "all-MiniLM-L6-v2-int8"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("endpoint") / "endpoint.log"


@pytest.fixture(scope="module")
def port(log: Path) -> Iterator[int]:
    port = free_port()
    background.start_background(port, log)
    yield port
    background.stop(log)


@pytest.fixture
def client(port: int) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0
    ) as client:
        yield client


def post(port: int, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """Status and parsed body of a plain request."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/embeddings",
        data=body,
        headers={"content-type": "application/json"} | headers,
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_the_real_client_gets_the_local_models_vectors(client: openai.OpenAI) -> None:
    texts = ["my son was kicked out of school", "a bus pass"] * 10
    expected = embedder_for("local", MODEL, 384, {}).embed(texts)
    # the client asks for base64 unless told otherwise
    for encoding in (openai.omit, "float", "base64"):
        answer = client.embeddings.create(model=MODEL, input=texts, encoding_format=encoding)
        assert [each.index for each in answer.data] == list(range(20))
        found = [
            np.frombuffer(base64.b64decode(each.embedding), "<f4")
            if isinstance(each.embedding, str)
            else each.embedding
            for each in answer.data
        ]
        assert np.abs(np.asarray(found) - np.asarray(expected)).max() < 1e-5
        assert answer.usage.total_tokens > 0


def test_one_text_needs_no_list(client: openai.OpenAI) -> None:
    answer = client.embeddings.create(model=MODEL, input="one text", dimensions=384)
    assert len(answer.data[0].embedding) == 384


def test_our_own_client_works_with_it(port: int) -> None:
    embedder = embedder_for(
        "compatible", MODEL, 384, {"PGKB_EMBED_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    )
    assert len(embedder.embed([f"text {n}" for n in range(70)])) == 70
    embedder.close()


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"model": MODEL, "input": "x", "dimensions": 1536}, "dimensions"),
        ({"model": "gpt-4", "input": "x"}, "model"),
        ({"model": MODEL, "input": []}, "input"),
        ({"model": MODEL, "input": ["fine"] * 9 + [" "]}, "input.9"),
        ({"model": MODEL, "input": ["x"] * (MAX_ITEMS + 1)}, "input"),
        ({"model": MODEL, "input": [1, 2, 3]}, None),
        ({"model": MODEL, "input": "x", "encoding_format": "hex"}, None),
        ({"model": MODEL}, None),
        ([], None),
    ],
)
def test_what_cannot_be_answered_is_refused_in_openais_shape(
    port: int, asked: object, param: str | None
) -> None:
    status, body = post(port, json.dumps(asked).encode())
    assert 400 <= status < 500
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["type"] == "invalid_request_error"
    assert body["error"]["param"] == param
    assert "\n" not in body["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"null"])
def test_a_body_that_is_no_json_object_is_refused(port: int, body: bytes) -> None:
    status, answer = post(port, body)
    assert status == 400
    assert answer["error"]["type"] == "invalid_request_error"


def test_a_huge_body_is_refused(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("POST", "/v1/embeddings")
    connection.putheader("content-type", "application/json")
    connection.putheader("content-length", str(MAX_BODY + 1))
    connection.endheaders(b"{")
    answer = connection.getresponse()
    assert answer.status == 413
    assert "message" in json.loads(answer.read())["error"]
    connection.close()


def test_a_web_page_in_a_browser_cannot_use_it(port: int) -> None:
    asked = json.dumps({"model": MODEL, "input": "x"}).encode()
    assert post(port, asked, **{"content-type": "text/plain"})[0] == 415
    assert post(port, asked, host=f"evil.example:{port}")[0] == 403
    assert post(port, asked, host=f"localhost:{port}")[0] == 200


def test_an_unknown_path_is_answered_in_the_same_shape(port: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=10)
    with caught.value as error:
        assert error.code == 404
        assert "error" in json.load(error)


def test_a_short_question_does_not_wait_for_a_long_batch(port: int) -> None:
    def ask(texts: list[str]) -> float:
        start = time.monotonic()
        assert post(port, json.dumps({"model": MODEL, "input": texts}).encode())[0] == 200
        return time.monotonic() - start

    with ThreadPoolExecutor() as pool:
        batch = pool.submit(ask, ["a sentence of some length, repeated. " * 20] * 48)
        time.sleep(0.2)
        question = ask(["short"])
        assert question < batch.result() / 2


def test_no_text_is_logged(port: int, log: Path) -> None:
    post(port, json.dumps({"model": MODEL, "input": "Zebedee was sent home"}).encode())
    post(port, json.dumps({"model": MODEL, "input": ["Zebedee", 4]}).encode())
    written = log.read_text()
    assert "Zebedee" not in written
    assert f"http://127.0.0.1:{port}/v1" in written
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::", ""])  # noqa: S104
def test_an_address_that_others_can_reach_is_refused(host: str) -> None:
    with pytest.raises(ProviderError, match=r"use 127\.0\.0\.1"):
        bind(host, 0)


def test_a_taken_port_gives_one_line_and_exit_code_2(port: int) -> None:
    done = run("--port", str(port))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert f"port {port}" in done.stderr


@pytest.mark.parametrize("port", ["-1", "70000"])
def test_what_is_no_port_gives_one_line_and_exit_code_2(port: str) -> None:
    done = run(f"--port={port}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "providers.endpoint", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# -- starting and stopping -----------------------------------------------------------------------


def test_starting_twice_gives_the_same_process(port: int, log: Path) -> None:
    assert background.is_up(port)
    first = background.health(port)
    assert first is not None
    assert background.start_background(port, log) == first.pid
    assert (first.model, first.width) == (MODEL, 384)


def test_two_that_start_at_once_get_one_process(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "new" / "endpoint.log"
    code = (
        "import sys, pathlib; from providers.background import start_background;"
        "print(start_background(int(sys.argv[1]), pathlib.Path(sys.argv[2])))"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(port), str(log)], cwd=ROOT, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    pids = {starter.communicate(timeout=90)[0] for starter in starters}
    assert len(pids) == 1
    assert int(pids.pop()) > 0
    # the process outlives those who started it
    assert background.is_up(port)
    assert background.stop(log)
    assert not background.is_up(port)
    assert not background.stop(log)


def test_stopping_what_never_started_is_harmless(tmp_path: Path) -> None:
    assert not background.stop(tmp_path / "nowhere" / "endpoint.log")
    assert not background.stop(tmp_path / "endpoint.log")


def test_a_killed_endpoint_is_started_again(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "endpoint.log"
    first = background.start_background(port, log)
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while background.is_up(port):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    second = background.start_background(port, log)
    assert second != first
    assert background.stop(log)


def test_a_recorded_id_that_now_belongs_to_another_process_is_left_alone(tmp_path: Path) -> None:
    record = {"pid": os.getpid(), "started": 1.0}
    (tmp_path / "endpoint.pid").write_text(json.dumps(record))
    assert not background.stop(tmp_path / "endpoint.log")


@pytest.fixture
def slow_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What every Python of this test does first, as on a machine that is busy."""

    def begins_with(code: str) -> None:
        (tmp_path / "sitecustomize.py").write_text(f"import time\n{code}\n")

    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return begins_with


def test_a_slow_start_is_waited_for_and_told_of(
    slow_start: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_start("while time.process_time() < 2.2: pass")
    monkeypatch.setattr(background, "STALLED_AFTER", 2.0)
    monkeypatch.setattr(background, "TELL_EVERY", 0.5)
    log, told = tmp_path / "endpoint.log", list[str]()
    assert background.start_background(free_port(), log, tell=told.append) > 0
    assert background.stop(log)
    assert "still loading its model" in told[0]


@pytest.mark.parametrize(
    ("code", "limit", "why"),
    [
        ("time.sleep(30)", "STALLED_AFTER", "did nothing for 1 s"),
        ("while True: pass", "LONGEST_START", "was not ready after 1 s"),
        ("raise SystemExit('no model here')", "LONGEST_START", "no model here"),
    ],
)
def test_a_start_that_never_ends_is_given_up_with_the_reason(
    slow_start: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    limit: str,
    why: str,
) -> None:
    slow_start(code)
    monkeypatch.setattr(background, limit, 1.0)
    with pytest.raises(ProviderError, match=why):
        background.start_background(free_port(), tmp_path / "endpoint.log")


def test_a_port_taken_by_another_program_is_told_with_the_logs_path(tmp_path: Path) -> None:
    log = tmp_path / "endpoint.log"
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken = other.getsockname()[1]
        with pytest.raises(ProviderError) as caught:
            background.start_background(taken, log)
    message = str(caught.value)
    assert f"port {taken}" in message
    assert str(log) in message
    assert "\n" not in message


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProviderError, match="cannot write"):
        background.start_background(free_port(), tmp_path / "file" / "endpoint.log")


def test_secrets_of_the_caller_are_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("PGKB_DATABASE_URL", "postgresql://u:p@h/d")
    monkeypatch.setenv("PGPASSWORD", "p")
    handed = background._environment()
    assert not {"OPENAI_API_KEY", "PGKB_DATABASE_URL", "PGPASSWORD"} & set(handed)
    assert handed["PYTHONPATH"].startswith(str(ROOT))
