"""What HTTP costs on top of the SQL call: the same questions both ways, in one loop."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import quote

import numpy as np
from psycopg.conninfo import conninfo_to_dict

from bench.database import connect
from bench.queries import Question, answerable

MOST_QUESTIONS = 120
_WARM_UP = 10
_STARTED_WITHIN = 60.0
# what the app tells the cache of vectors about a caller without an account
_VIEWER = "anonymous"
_SQL = (
    "select * from public.search_text(question => %(text)s, la => %(la)s, home_la => %(home_la)s,"
    " urn => %(urn)s, tags => %(tags)s, viewer => %(viewer)s)"
)
_NO_LIMIT = "update config.setting set installed_value = '0' where name = 'kb.asks_per_address'"
_REMEMBER = (
    "select embedding.remember_query(viewer => %(viewer)s, question => %(text)s,"
    " given => %(vector)s, set_name => (select s.name from embedding.set as s where s.active))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCost:
    """Milliseconds at one client; `overhead` is the median of the differences, question by
    question. The vectors are cached, so no model is asked on either side.
    """

    questions: int
    sql_p50: float
    http_p50: float
    http_p95: float
    overhead_p50: float


def measure_http(url: str, questions: Sequence[Question]) -> HttpCost:
    """`POST /api/search` of a real server beside `search_text` on one connection."""
    asked = [q for _, q in answerable(questions)][:MOST_QUESTIONS]
    sql, http = [], []
    with connect(url) as db, _server(url) as client:
        db.autocommit = True
        db.execute(_NO_LIMIT)
        for question in asked:
            db.execute(_REMEMBER, _named(question))
        for question in asked[:_WARM_UP]:
            _ask(client, question)
            db.execute(_SQL, _named(question)).fetchall()
        for question in asked:
            started = time.perf_counter()
            db.execute(_SQL, _named(question)).fetchall()
            between = time.perf_counter()
            _ask(client, question)
            ended = time.perf_counter()
            sql.append((between - started) * 1000)
            http.append((ended - between) * 1000)
    return HttpCost(
        questions=len(asked),
        sql_p50=float(np.percentile(sql, 50)),
        http_p50=float(np.percentile(http, 50)),
        http_p95=float(np.percentile(http, 95)),
        overhead_p50=float(np.percentile(np.subtract(http, sql), 50)),
    )


def _named(question: Question) -> dict[str, object]:
    return question.arguments() | {"text": question.text, "viewer": _VIEWER}


def _ask(client: HTTPConnection, question: Question) -> None:
    body = {
        "question": question.text,
        "la": question.la,
        "home_la": question.home_la,
        "urn": question.urn,
        "tags": question.tags,
    }
    client.request("POST", "/api/search", json.dumps(body), {"Content-Type": "application/json"})
    answer = client.getresponse()
    said = answer.read()
    if answer.status != 200 or json.loads(said)["retrieval"]["query_vector"] != "cached":
        raise RuntimeError(f"the app answered {answer.status}: {said[:300]!r}")


@contextmanager
def _server(url: str) -> Iterator[HTTPConnection]:
    """The app in a process of its own, and one connection to it that stays open."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [
        sys.executable, "-m", "uvicorn", "--factory", "app.asgi:create_app", "--port", str(port),
        "--no-access-log", "--log-level", "error",
    ]  # fmt: skip
    environ = os.environ | {"PGKB_DATABASE_URL": _as_url(url), "PGKB_ANONYMOUS": "on"}
    with subprocess.Popen(command, env=environ) as server:
        try:
            with closing(_connected(port, server)) as client:
                yield client
        finally:
            server.terminate()


def _as_url(where: str) -> str:
    """A URL, which is all the app reads, of whatever libpq reads."""
    found = {name: quote(str(value), safe="") for name, value in conninfo_to_dict(where).items()}
    user, password = found.get("user", ""), found.get("password", "")
    place = f"{found.get('host', '127.0.0.1')}:{found.get('port', '5432')}"
    return f"postgresql://{user}:{password}@{place}/{found.get('dbname', '')}"


def _connected(port: int, server: "subprocess.Popen[bytes]") -> HTTPConnection:
    ends = time.monotonic() + _STARTED_WITHIN
    while time.monotonic() < ends and server.poll() is None:
        client = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            client.connect()
        except OSError:
            time.sleep(0.1)
        else:
            return client
    raise RuntimeError("the app did not start")
