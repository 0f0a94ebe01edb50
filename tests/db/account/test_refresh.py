"""`account.refresh`: every token once; one that comes back late ends its session."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.app.people import HASH, add_person
from tests.rows import value_of


def _session(db: psycopg.Connection[Any]) -> tuple[UUID, bytes]:
    person_id, _ = add_person(db)
    token = secrets.token_bytes(32)
    assert db.execute(
        "select session_id from account.finish_sign_in(%s, %s, %s)", [person_id, HASH, token]
    ).fetchone()
    return person_id, token


def _refresh(db: psycopg.Connection[Any], token: bytes) -> tuple[str, bytes]:
    following = secrets.token_bytes(32)
    outcome = value_of(db, "select outcome from account.refresh(%s, %s)", [token, following])
    return str(outcome), following


def _later(db: psycopg.Connection[Any]) -> None:
    db.execute("update account.refresh_token set used_at = used_at - interval '1 minute'")


def test_each_token_gives_the_next_one(kb: psycopg.Connection[Any]) -> None:
    _, token = _session(kb)
    for _ in range(3):
        outcome, token = _refresh(kb, token)
        assert outcome == "refreshed"


def test_a_token_that_comes_back_ends_the_session_for_both(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, stolen = _session(kb)
    _, current = _refresh(kb, stolen)
    _later(kb)
    assert _refresh(kb, stolen)[0] == "reused"
    assert _refresh(kb, current)[0] == "refused"
    assert value_of(
        kb,
        "select count(*) from audit.event where kind = 'refresh_token_reused' and subject = %s",
        [f"person {person_id}"],
    )


def test_a_token_used_twice_at_once_ends_nothing(kb: psycopg.Connection[Any]) -> None:
    _, token = _session(kb)
    _, current = _refresh(kb, token)
    assert _refresh(kb, token)[0] == "raced"
    assert _refresh(kb, current)[0] == "refreshed"


@pytest.mark.parametrize(
    "change",
    [
        "update account.session set expires_at = now()",
        "select account.sign_out_everywhere(person_id) from account.person",
        "select account.set_disabled(person_id, true) from account.person",
        "select account.set_password(person_id, (select hash from account.password limit 1))"
        " from account.person",
        "delete from account.person",
    ],
)
def test_nothing_goes_on_after_the_session_or_the_person_ended(
    kb: psycopg.Connection[Any], change: str
) -> None:
    person_id, token = _session(kb)
    session_id = value_of(
        kb, "select session_id from account.refresh_token where token_hash = %s", [token]
    )
    role = "select account.session_role(%s, %s)"
    assert value_of(kb, role, [person_id, session_id]) == "parent"
    kb.execute(change.encode())
    assert _refresh(kb, token)[0] == "refused"
    assert value_of(kb, role, [person_id, session_id]) is None


def test_an_unknown_token_is_refused(kb: psycopg.Connection[Any]) -> None:
    assert _refresh(kb, secrets.token_bytes(32))[0] == "refused"


def test_signing_out_needs_only_a_token_of_the_session(kb: psycopg.Connection[Any]) -> None:
    _, token = _session(kb)
    _, current = _refresh(kb, token)
    assert value_of(kb, "select account.sign_out(%s)", [token])
    assert not value_of(kb, "select account.sign_out(%s)", [token])
    assert _refresh(kb, current)[0] == "refused"


@pytest.fixture
def committed(db_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(db_url, autocommit=True) as db:
        yield db
        db.execute("delete from account.person")


def test_of_many_at_once_one_gets_the_next_token(
    db_url: str, committed: psycopg.Connection[Any]
) -> None:
    _, token = _session(committed)

    def refresh(_: int) -> str:
        with psycopg.connect(db_url, autocommit=True) as db:
            return _refresh(db, token)[0]

    with ThreadPoolExecutor(4) as pool:
        outcomes = sorted(pool.map(refresh, range(4)))
    assert outcomes == ["raced", "raced", "raced", "refreshed"]
