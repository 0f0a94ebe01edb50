"""`pgkb search`, `ask`, `status`, `doctor`, `serve` on a filled database."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import psycopg
import pytest

from tests.app.library import BIRMINGHAM, CANTERBURY, KENT, SCHOOL
from tests.cli.command import REPOSITORY, environment, pgkb, pgkb_here

QUESTION = "My child was excluded from school. Who advises families?"


def test_search_prints_one_document_of_json(library_url: str) -> None:
    ended = pgkb("search", QUESTION, "--la", KENT, "--json", PGKB_DATABASE_URL=library_url)
    assert ended.code == 0, ended.err
    found = ended.json
    assert set(found) == {"scope", "topics", "expansions", "results", "retrieval"}
    assert found["scope"]["la_code"] == KENT
    assert "kent/exclusion.txt" in {hit["source"] for hit in found["results"]}
    assert ended.err == ""


def test_ask_prints_scope_topics_sources_and_a_cited_answer(library_url: str) -> None:
    ended = pgkb_here("ask", QUESTION, "--la", CANTERBURY, PGKB_DATABASE_URL=library_url)
    assert ended.code == 0, ended.err
    assert "Kent (E10000016)" in ended.out
    assert "topics   exclusion" in ended.out
    assert re.search(r"source   \[1\] .+ · score \d\.\d+ · (hybrid|vector|keyword)", ended.out)
    cited = set(re.findall(r"” \[(\d+)\]", ended.out))
    listed = set(re.findall(r"source   \[(\d+)\]", ended.out))
    assert cited
    assert cited <= listed


def test_ask_as_json_is_the_answer_of_the_http_api(library_url: str) -> None:
    ended = pgkb_here("ask", QUESTION, "--la", BIRMINGHAM, "--json", PGKB_DATABASE_URL=library_url)
    said = ended.json
    assert said["found"]
    assert set(said["citations"]) <= {source["number"] for source in said["sources"]}
    assert said["retrieval"]["mode"] == "hybrid"


def test_a_school_and_a_postcode_say_where_the_question_is_asked_from(library_url: str) -> None:
    searched = pgkb_here(
        "search", QUESTION, "--urn", SCHOOL, "--postcode", "ct12eh", "--json",
        PGKB_DATABASE_URL=library_url,
    )  # fmt: skip
    scope = searched.json["scope"]
    assert (scope["la_code"], scope["home_la_code"]) == (BIRMINGHAM, KENT)
    asked = pgkb_here("ask", QUESTION, "--urn", SCHOOL, PGKB_DATABASE_URL=library_url)
    assert "Birmingham (E08000025), school Hawthorn School (990001)" in asked.out
    refused = pgkb_here("ask", QUESTION, "--postcode", "ZZ1 1ZZ", PGKB_DATABASE_URL=library_url)
    assert refused.code == 2
    assert "the postcode is not known (PL005)" in refused.line()


def test_ask_finds_nothing_honestly_and_still_succeeds(library_url: str) -> None:
    ended = pgkb_here("ask", "zorblax tyre pressure", "--la", KENT, PGKB_DATABASE_URL=library_url)
    assert ended.code == 0
    assert "couldn't find" in ended.out
    assert "source   [" not in ended.out


def test_status_reports_the_database(library_url: str) -> None:
    ended = pgkb_here("status", "--json", PGKB_DATABASE_URL=library_url)
    assert ended.code == 0, ended.err
    assert ended.json["deployed"]["deployed"] is True
    assert ended.json["embedding"]["name"] == "local-minilm"
    plain = pgkb_here("status", PGKB_DATABASE_URL=library_url)
    secret = re.search(r"://[^:]+:([^@]+)@", library_url)
    assert secret is None or secret.group(1) not in plain.out + ended.out


def test_doctor_checks_a_good_database_without_a_failure(library_url: str) -> None:
    ended = pgkb_here("doctor", "--json", PGKB_DATABASE_URL=library_url)
    checks = {check["name"]: check for check in ended.json["checks"]}
    assert ended.code == 0, ended.out
    assert not [check for check in checks.values() if check["state"] == "fail"]
    assert set(checks) >= {
        "home", "settings", "server", "pgvector", "schema", "plpython3u", "roles", "pack",
        "indexes", "vectors", "statistics", "records", "queue", "provider", "endpoint",
    }  # fmt: skip
    assert "equal to a recount" in checks["statistics"]["finding"]


def test_doctor_names_statistics_that_are_wrong_and_their_repair(library_url: str) -> None:
    with psycopg.connect(library_url, autocommit=True) as db:
        db.execute("insert into search.lexeme_delta values ('ghost', 3)")
        try:
            ended = pgkb_here("doctor", PGKB_DATABASE_URL=library_url)
        finally:
            db.execute("select search.rebuild_statistics()")
    assert ended.code == 1
    assert (
        "1 numbers are wrong, the first is lexeme chunks of ghost: 3 kept, 0 counted" in ended.out
    )
    assert "rebuild_statistics" in ended.out
    ended = pgkb_here("doctor", "--statistics", "--json", PGKB_DATABASE_URL=library_url)
    assert ended.code == 0, ended.out


def test_doctor_names_a_setting_that_makes_requests_fail_and_checks_the_rest(
    library_url: str,
) -> None:
    database = psycopg.conninfo.conninfo_to_dict(library_url)["dbname"]
    with psycopg.connect(library_url, autocommit=True) as db:
        alter = f'alter database "{database}" '
        db.execute((alter + "set kb.bm25_k1 = 'many'").encode())
        try:
            ended = pgkb_here("doctor", "--json", PGKB_DATABASE_URL=library_url)
        finally:
            db.execute((alter + "reset kb.bm25_k1").encode())
    checks = {check["name"]: check for check in ended.json["checks"]}
    assert ended.code == 1
    assert checks["kb settings"]["state"] == "fail"
    assert checks["kb settings"]["finding"] == (
        f'kb.bm25_k1 cannot be "many" (database {database})'
    )
    assert "Give a number from" in checks["kb settings"]["todo"]
    assert {name for name, check in checks.items() if check["state"] == "fail"} == {"kb settings"}


def test_doctor_names_a_pack_that_an_older_version_loaded(library_url: str) -> None:
    with psycopg.connect(library_url, autocommit=True) as db:
        db.execute("insert into terms.pack (pack) values ('older')")
        try:
            ended = pgkb_here("doctor", "--json", PGKB_DATABASE_URL=library_url)
        finally:
            db.execute("delete from terms.pack where pack = 'older'")
    (pack,) = [check for check in ended.json["checks"] if check["name"] == "pack"]
    assert pack["state"] == "warn"
    assert "older" in pack["finding"]
    assert "pgkb pack load" in pack["todo"]


def test_doctor_says_what_to_do_when_nothing_is_deployed(blank_url: str) -> None:
    ended = pgkb_here("doctor", PGKB_DATABASE_URL=blank_url)
    assert ended.code == 1
    assert "fail schema" in ended.out
    assert "pgkb up" in ended.out
    assert "Traceback" not in ended.out + ended.err


def test_doctor_names_a_missing_provider_key_but_never_a_value(
    library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = pgkb_here(
        "doctor", "--json", PGKB_DATABASE_URL=library_url, PGKB_LOCAL_MODEL="/nowhere/model.onnx"
    )
    checks = {check["name"]: check for check in ended.json["checks"]}
    assert checks["provider"]["state"] == "fail"
    assert "PGKB_LOCAL_MODEL" in checks["provider"]["finding"]


def test_serve_answers_until_it_is_interrupted(library_url: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.main", "serve", "--anonymous", "--port", "0"],
        env=environment(PGKB_DATABASE_URL=library_url),
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None
        body = json.dumps({"question": QUESTION, "la": KENT}).encode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{address.group()}/api/chat", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            assert json.load(answer)["found"]
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(timeout=30) == 130
        (line,) = [json.loads(line) for line in rest.splitlines()]
        assert (line["event"], line["route"], line["status"]) == ("answered", "/api/chat", 200)
        assert QUESTION not in rest
    finally:
        process.kill()
        process.stderr.close()
        process.wait()
