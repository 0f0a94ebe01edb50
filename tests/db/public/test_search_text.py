"""search_text: from the words of a question to the answer, for a person at psql."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import psycopg
import pytest

from tests.corpus import add, axis, near, search
from tests.registers import merge_postcodes
from tests.rows import rows_of, value_of
from tests.sandbox import notices_of, refused
from tests.work import ServerWork

CLOSED = "http://127.0.0.1:1/v1"


class Endpoint(BaseHTTPRequestHandler):
    """Answers every text with one vector, as an OpenAI-compatible server would."""

    vector: ClassVar[str] = "[]"
    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.extend(body["input"])
        answer = f'{{"data": [{{"index": 0, "embedding": {self.vector}}}]}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def endpoint(db: psycopg.Connection[Any], vector: str) -> Iterator[list[str]]:
    """An endpoint of the active set that gives this vector; yields the texts it was sent."""
    if value_of(db, "select to_regprocedure('embedding.embed_text(text, text)') is null"):
        pytest.skip("the server has no plpython3u")
    handler = type("Handler", (Endpoint,), {"vector": vector, "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        set_endpoint(db, f"http://127.0.0.1:{server.server_port}/v1")
        try:
            yield handler.asked  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def set_endpoint(db: psycopg.Connection[Any], address: str | None) -> None:
    db.execute("update embedding.set set endpoint_url = %s where active", [address])


def ask(db: psycopg.Connection[Any], question: str, more: str = "") -> list[dict[str, Any]]:
    return rows_of(db, f"search_text(%s{more})", [question])


def found(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


@pytest.fixture
def notices(kb: psycopg.Connection[Any]) -> Iterator[list[str]]:
    with notices_of(kb) as said:
        yield said


@pytest.fixture
def answers(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Texts, and no endpoint to embed a question."""
    set_endpoint(kb, CLOSED)
    add(
        kb,
        "A permanent exclusion must be reviewed.",
        source="national",
        tags=["exclusion"],
        vector=near(3, 0.9),
    )
    add(kb, "Exclusion in Kent.", source="kent", la_code="E10000016", vector=near(3, 0.6))
    add(kb, "School buses.", source="buses", vector=near(3, 0.8))
    return kb


def test_a_person_at_psql_gets_an_answer_from_words_alone(
    answers: psycopg.Connection[Any], notices: list[str]
) -> None:
    rows = ask(answers, "my son was kicked out")
    assert found(rows) == ["national"], "by synonym, though no word of it is in the text"
    assert {r["matched_by"] for r in rows} == {"keyword"}
    assert rows[0]["boost"] > 1, "the topic of the question raises it"
    assert len(notices) == 1
    assert "keyword search only" in notices[0]
    assert "kicked" not in notices[0]


def test_every_argument_reaches_the_search(answers: psycopg.Connection[Any]) -> None:
    assert found(ask(answers, "exclusion", ", la => 'E10000016'")) == ["kent", "national"]
    assert found(ask(answers, "exclusion", ", home_la => 'E10000016'")) == ["kent", "national"]
    assert found(ask(answers, "exclusion", ", tags => '{exclusion}', la => 'E10000016'")) == [
        "national"
    ]
    assert len(ask(answers, "exclusion", ", la => 'E10000016', top_k => 1")) == 1
    assert ask(answers, "exclusion", ", as_of => '2001-01-01'") == []
    add(answers, "Exclusion note.", source="ann", owner="ann")
    assert "ann" in found(ask(answers, "exclusion", ", principals => '{ann}'"))
    assert "ann" not in found(ask(answers, "exclusion"))
    add(answers, "Exclusion at school.", source="school", school_urn="990001")
    assert "school" in found(ask(answers, "exclusion", ", urn => '990001'"))


def test_with_an_endpoint_both_legs_answer_and_the_vector_is_kept(
    answers: psycopg.Connection[Any], notices: list[str]
) -> None:
    with endpoint(answers, str(axis(3))) as asked:
        rows = ask(answers, "a permanent exclusion")
        assert {r["source"]: r["matched_by"] for r in rows} == {
            "national": "hybrid",
            "buses": "vector",
        }
        assert asked == ["a permanent exclusion"]
        # folded alike is asked once
        assert ask(answers, "A  Permanent EXCLUSION") == rows
        assert len(asked) == 1
    # and the cache answers when the endpoint is gone
    assert ask(answers, "a permanent exclusion") == rows
    assert notices == []
    assert rows == search(
        answers, words="a permanent exclusion", vector=axis(3), topics=["exclusion"]
    )


def test_one_viewers_cache_answers_nobody_else(answers: psycopg.Connection[Any]) -> None:
    # fault A-03
    with endpoint(answers, str(axis(3))) as asked:
        ask(answers, "exclusion", ", viewer => 'ann'")
        ask(answers, "exclusion", ", viewer => 'bob'")
        ask(answers, "exclusion", ", viewer => 'ann'")
        assert len(asked) == 2
    stored = value_of(
        answers, "select string_agg(to_jsonb(q)::text, ' ') from embedding.query_cache as q"
    )
    assert "exclusion" not in stored


def test_a_cached_question_does_not_bring_back_what_was_rejected(
    answers: psycopg.Connection[Any],
) -> None:
    # fault A-03
    with endpoint(answers, str(axis(3))):
        assert "national" in found(ask(answers, "exclusion"))
        answers.execute(
            "select corpus.set_status(array_agg(c.chunk_id), 'rejected') from corpus.chunk as c "
            "join corpus.document as d using (document_id) where d.source = 'national'"
        )
        assert "national" not in found(ask(answers, "exclusion"))


@pytest.mark.parametrize(
    "vector",
    [
        "[]",
        "[1, 2, 3]",
        str([0.0] * 384),
        "[" + "NaN, " * 383 + "NaN]",
        "[" + "Infinity, " * 383 + "1]",
        '"text"',
        '["a"]',
        "null",
    ],
    ids=["empty", "width", "zero", "nan", "infinite", "text", "words", "null"],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_an_endpoint_that_gives_no_usable_vector_leaves_the_keyword_search(
    answers: psycopg.Connection[Any], notices: list[str], vector: str, read_only: bool
) -> None:
    with endpoint(answers, vector):
        if read_only:
            answers.execute("set transaction read only")
        rows = ask(answers, "exclusion")
    assert {r["matched_by"] for r in rows} == {"keyword"}
    assert len(notices) == 1
    assert "keyword search only" in notices[0]
    assert "\n" not in notices[0]


def test_in_a_read_only_transaction_it_answers_and_keeps_nothing(
    answers: psycopg.Connection[Any],
) -> None:
    with endpoint(answers, str(axis(3))):
        answers.execute("set transaction read only")
        assert {r["matched_by"] for r in ask(answers, "exclusion")} == {"hybrid", "vector"}
        assert value_of(answers, "select count(*) from embedding.query_cache") == 0


def test_a_set_without_endpoint_searches_by_words(
    answers: psycopg.Connection[Any], notices: list[str]
) -> None:
    set_endpoint(answers, None)
    assert found(ask(answers, "exclusion")) == ["national"]
    assert len(notices) == 1


def test_a_server_without_plpython_searches_by_words(
    answers: psycopg.Connection[Any], notices: list[str]
) -> None:
    answers.execute("drop function if exists embedding.embed_text(text, text)")
    assert found(ask(answers, "exclusion")) == ["national"]
    assert "plpython3u" in notices[0]


@pytest.mark.parametrize("question", ["", "   ", "\t\n", None])
def test_an_empty_question_is_refused(
    answers: psycopg.Connection[Any], question: str | None
) -> None:
    # fault F-04
    with refused(answers, "SE003") as caught:
        answers.execute("select * from search_text(%s)", [question])
    assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    "question", ["what is the of", "???", "😀", "((", "a:*", "it's 'quoted", "\\", "%s", "-"]
)
def test_a_question_without_words_is_no_error(
    answers: psycopg.Connection[Any], question: str
) -> None:
    assert ask(answers, question) == []


def test_a_question_of_eighty_thousand_words_is_answered_at_once(
    answers: psycopg.Connection[Any],
) -> None:
    set_endpoint(answers, None)
    question = "the permanent exclusion must be reviewed and then " * 10_000
    took = []
    for _ in range(5):
        with ServerWork(answers) as work:
            rows = ask(answers, question)
        took.append(work.seconds)
    assert found(rows) == ["national"]
    assert min(took) < 0.2


def test_an_unknown_place_is_refused(answers: psycopg.Connection[Any]) -> None:
    with refused(answers, "PL001"):
        ask(answers, "exclusion", ", la => 'E99999999'")
    with refused(answers, "PL002"):
        ask(answers, "exclusion", ", urn => '123456'")


def test_another_logins_viewers_cannot_be_probed(answers: psycopg.Connection[Any]) -> None:
    # the time or the notice of a cached question must not tell what somebody asked elsewhere
    answers.execute("create role alice in role pgkb_reader")
    with endpoint(answers, str(axis(3))) as asked:
        for login in ("postgres", "alice", "postgres"):
            answers.execute(f"set session authorization {login}".encode())
            for more in ("", ", viewer => 'alice'", ", viewer => 'postgres'"):
                ask(answers, "exclusion", more)
            answers.execute("reset session authorization")
        assert len(asked) == 6


def test_a_school_alone_brings_the_pages_of_its_authority_and_of_no_other(
    scoped: psycopg.Connection[Any],
) -> None:
    set_endpoint(scoped, None)
    rows = ask(scoped, "school transport", ", urn => '990001'")
    assert {r["source"]: r["scope"] for r in rows} == {
        "national": "national",
        "birmingham": "la",
        "hollybrook": "school",
    }


def test_a_pupil_across_the_border_gets_home_pages_as_such_and_only_by_home(
    scoped: psycopg.Connection[Any],
) -> None:
    """At school in Birmingham, at home in Kent: whose rule it is must be told apart."""
    set_endpoint(scoped, None)
    merge_postcodes(scoped, {"CT1 2EH": "E07000106", "B1 1AA": "E08000025"})
    at_school = {"national": "national", "birmingham": "la", "hollybrook": "school"}
    across = at_school | {"kent": "home_la"}
    for home, seen in (
        ("postcode => 'CT1 2EH'", across),
        ("home_la => 'E10000016'", across),
        ("home_la => 'E07000106'", across),
        ("postcode => 'B1 1AA'", at_school),
        ("postcode => ''", at_school),
    ):
        rows = ask(scoped, "school transport", f", urn => '990001', {home}")
        assert {r["source"]: r["scope"] for r in rows} == seen, home


def test_a_postcode_alone_brings_the_pages_of_its_authority(
    scoped: psycopg.Connection[Any],
) -> None:
    set_endpoint(scoped, None)
    merge_postcodes(scoped, {"CT1 2EH": "E07000106", "S75 1AA": "E08000016"})
    for postcode, page in (("ct12eh", "kent"), ("S75", "barnsley")):
        rows = ask(scoped, "school transport", f", postcode => '{postcode}'")
        assert {r["source"]: r["scope"] for r in rows} == {"national": "national", page: "la"}
    with refused(scoped, "PL005"):
        ask(scoped, "school transport", ", postcode => 'ZZ1 1ZZ'")


def test_search_kb_takes_a_school_literally(scoped: psycopg.Connection[Any]) -> None:
    """Its la is what it is given: none means national text and the school's own."""
    rows = search(scoped, words="transport", vector=axis(3), urn="990001")
    assert {r["scope"] for r in rows} == {"national", "school"}
