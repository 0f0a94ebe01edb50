"""`account.start_sign_in`, `finish_sign_in`: a password, its limits, and a session."""

import secrets
from typing import Any

import psycopg

from tests.app.people import HASH, add_person
from tests.rows import value_of

OTHER = HASH.replace("AAAA", "BBBB")


def _finish(db: psycopg.Connection[Any], person_id: Any, verified: str | None) -> Any:
    return db.execute(
        "select role from account.finish_sign_in(%s, %s, %s)",
        [person_id, verified, secrets.token_bytes(32)],
    ).fetchone()


def _start(db: psycopg.Connection[Any], email: str) -> Any:
    return db.execute(
        "select wait, person_id, password_hash from account.start_sign_in(%s, '192.0.2.1')",
        [email],
    ).fetchone()


def test_a_known_and_an_unknown_address_are_counted_alike(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb, email="kim@example.org")
    assert _start(kb, "KIM@example.org") == (None, person_id, HASH)
    assert _start(kb, "nobody@example.org") == (None, None, None)
    assert _start(kb, "no address\x01") == (None, None, None)
    for email in ("kim@example.org", "nobody@example.org"):
        for _ in range(10):
            wait, *found = _start(kb, email)
        assert wait is not None
        assert found == [None, None]


def test_a_right_password_gives_the_tries_back(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb, email="kim@example.org")
    for _ in range(10):
        _start(kb, "kim@example.org")
    assert _finish(kb, person_id, HASH) == ("parent",)
    assert _start(kb, "kim@example.org")[0] is None


def test_a_wrong_password_starts_nothing_and_is_noted(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb)
    sessions = value_of(kb, "select count(*) from account.session")
    assert _finish(kb, person_id, None) is None
    assert value_of(kb, "select count(*) from account.session") == sessions
    assert value_of(
        kb,
        "select count(*) from audit.event where kind = 'sign_in_refused' and subject = %s",
        [f"person {person_id}"],
    )


def test_a_password_that_changed_while_it_was_checked_is_wrong(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, _ = add_person(kb)
    kb.execute("select account.set_password(%s, %s)", [person_id, OTHER])
    assert _finish(kb, person_id, HASH) is None
    assert _finish(kb, person_id, OTHER) == ("parent",)


def test_somebody_disabled_may_not_sign_in(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb)
    kb.execute("select account.set_disabled(%s, true)", [person_id])
    assert _finish(kb, person_id, HASH) is None
    kb.execute("select account.set_disabled(%s, false)", [person_id])
    assert _finish(kb, person_id, HASH) == ("parent",)


def test_a_password_is_changed_by_who_knows_the_old_one_and_other_sessions_end(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, kept = add_person(kb)
    _finish(kb, person_id, HASH)
    change = "select account.change_password(%s, %s, %s, %s)"
    assert not value_of(kb, change, [person_id, OTHER, OTHER, kept])
    assert value_of(kb, change, [person_id, HASH, OTHER, kept])
    alive = kb.execute(
        "select session_id from account.session where person_id = %s and revoked_at is null",
        [person_id],
    ).fetchall()
    assert alive == [(kept,)]
