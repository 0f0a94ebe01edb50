"""One table says which status an SQLSTATE becomes, and nothing internal gets through."""

import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from litestar import get
from litestar.params import FromPath

from app.asgi import create_app
from app.errors import STATUS_BY_SQLSTATE, AnyRequest, detail_for_log, trouble_of
from app.pool import lend
from app.settings import from_environ
from tests.app.library import asking

REPOSITORY = Path(__file__).resolve().parents[2]
# as an error is raised, and as the register lists it; the standard's own begin with A to H or 0
_OURS = re.compile(r"'([I-Z][A-Z]\d{3})'")
_LISTED = re.compile(r"^\| `([A-Z]{2}\d{3})` \|", re.MULTILINE)


def _registered() -> set[str]:
    return set(_LISTED.findall((REPOSITORY / "db" / "README.md").read_text()))


def _raised() -> Iterator[str]:
    for folder in ("functions", "triggers", "migrations"):
        for file in (REPOSITORY / "db" / folder).rglob("*.sql"):
            for line in file.read_text().splitlines():
                if re.search(r"errcode|sqlstate", line):
                    yield from _OURS.findall(line)


def test_every_registered_sqlstate_has_a_status_and_no_other() -> None:
    assert set(STATUS_BY_SQLSTATE) == _registered()


def test_every_sqlstate_our_functions_raise_has_a_status() -> None:
    assert not set(_raised()) - set(STATUS_BY_SQLSTATE)


async def test_every_registered_sqlstate_raised_in_the_database_becomes_its_answer(
    library_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    @get("/raise/{sqlstate:str}")
    async def refuse(sqlstate: FromPath[str], request: AnyRequest) -> None:
        async with lend(request.app.state.pool) as db:
            await db.execute(
                "do $$ begin raise exception 'told to people' using errcode = "
                f"'{sqlstate}', hint = 'Do this.', detail = 'a row, inside', "
                "schema = 'inside', table = 'inside', constraint = 'inside'; end $$"
            )

    app = create_app(from_environ({}, database_url=library_url))
    app.register(refuse)
    async with asking(app) as client:
        for sqlstate, status in STATUS_BY_SQLSTATE.items():
            answer = await client.get(f"/raise/{sqlstate}")
            assert answer.status_code == status, sqlstate
            assert answer.headers["content-type"] == "application/problem+json"
            problem = answer.json()
            assert (problem["code"], problem["status"]) == (sqlstate, status)
            assert problem["request_id"] == answer.headers["x-request-id"]
            told = (problem["title"], problem.get("hint"))
            if status < 500:
                assert told == ("told to people", "Do this."), sqlstate
            else:
                assert "told to people" not in answer.text
                assert told[1]
            assert "inside" not in answer.text.replace("on our side", "")
    # the detail repeats whole rows, so no log has it either
    assert "a row, inside" not in caplog.text


def _postgres(sqlstate: str, message: str, hint: str | None = None) -> asyncpg.PostgresError:
    fields = {"C": sqlstate, "M": message, "S": "ERROR"} | ({"H": hint} if hint else {})
    error: asyncpg.PostgresError = asyncpg.PostgresError.new(fields)
    return error


def test_what_our_functions_say_to_people_is_passed_on() -> None:
    trouble = trouble_of(_postgres("PL001", 'authority "X" is not known', "Look it up."))
    assert (trouble.status, trouble.code) == (422, "PL001")
    assert trouble.title == 'authority "X" is not known'
    assert trouble.hint == "Look it up."


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (_postgres("57014", "canceling statement due to timeout"), 504, "timeout"),
        (_postgres("42883", "function search_kb does not exist"), 503, "not_deployed"),
        (_postgres("53300", "sorry, too many clients already"), 503, "busy"),
        (_postgres("40001", "could not serialize access"), 503, "busy"),
        (_postgres("25006", "cannot execute INSERT"), 503, "read_only"),
        (_postgres("28P01", 'password authentication failed for "pgkb"'), 503, None),
        (_postgres("08006", "server closed the connection"), 503, "database_unavailable"),
        (_postgres("23505", 'duplicate key value violates "secret_idx"'), 500, "internal_error"),
        (_postgres("ST001", "there is no setting kb.secret"), 500, "ST001"),
        (_postgres("ST002", 'kb.top_k cannot be "secret"'), 503, "ST002"),
        (_postgres("22021", "invalid byte sequence for encoding"), 400, "invalid_request"),
        (asyncpg.DataError("invalid input for query argument: 'secret'"), 400, "invalid_request"),
        (ConnectionRefusedError(111, "secret host"), 503, "database_unavailable"),
        (TimeoutError(), 504, "timeout"),
        (ValueError("secret"), 500, "internal_error"),
    ],
)
def test_every_other_error_is_told_in_a_fixed_sentence(
    error: Exception, status: int, code: str | None
) -> None:
    trouble = trouble_of(error)
    assert trouble.status == status
    assert code is None or trouble.code == code
    told = f"{trouble.title} {trouble.hint}"
    for internal in ("secret", "search_kb", "canceling", 'pgkb"', "clients already"):
        assert internal not in told


def test_the_log_has_the_detail_without_the_secrets() -> None:
    question = "where does Wilhelmina go to school?"
    try:
        raise RuntimeError(f"no answer to {question} from postgresql://u:hunter2@db/pgkb")
    except RuntimeError as error:
        line = detail_for_log(error, private=(question,))
    assert "RuntimeError" in line
    assert "test_app_errors.py" in line
    assert "Wilhelmina" not in line
    assert "hunter2" not in line
