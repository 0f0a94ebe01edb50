"""`account.keep_an_admin`: somebody can always let the others in."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from app.access.user import Role
from tests.app.people import add_person
from tests.rows import value_of
from tests.sandbox import refused


@pytest.mark.parametrize(
    "call",
    [
        "select account.set_role(%s, 'curator')",
        "select account.set_disabled(%s, true)",
        "select privacy.erase_person(%s)",
    ],
)
def test_the_last_admin_stays(kb: psycopg.Connection[Any], call: str) -> None:
    last, _ = add_person(kb, Role.ADMIN)
    with refused(kb, "PE005"):
        kb.execute(call.encode(), [last])
    add_person(kb, Role.ADMIN)
    kb.execute(call.encode(), [last])


def test_a_disabled_admin_does_not_count(kb: psycopg.Connection[Any]) -> None:
    last, _ = add_person(kb, Role.ADMIN)
    other, _ = add_person(kb, Role.ADMIN)
    kb.execute("select account.set_disabled(%s, true)", [other])
    with refused(kb, "PE005"):
        kb.execute("select account.set_role(%s, 'parent')", [last])


def test_nobody_is_changed_who_does_not_exist(kb: psycopg.Connection[Any]) -> None:
    for call in ("account.set_role({}, 'admin')", "account.set_disabled({}, true)"):
        with refused(kb, "PE006"):
            kb.execute(f"select {call.format('gen_random_uuid()')}".encode())


@pytest.fixture
def committed(db_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(db_url, autocommit=True) as db:
        yield db
        db.execute("delete from account.person")


def test_two_admins_who_demote_each_other_at_once_leave_one(
    db_url: str, committed: psycopg.Connection[Any]
) -> None:
    both = [add_person(committed, Role.ADMIN)[0] for _ in range(2)]

    def demote(person_id: object) -> str | None:
        with psycopg.connect(db_url, autocommit=True) as db:
            try:
                db.execute("select account.set_role(%s, 'parent')", [person_id])
            except psycopg.Error as error:
                return error.sqlstate
        return None

    with ThreadPoolExecutor(2) as pool:
        assert sorted(map(str, pool.map(demote, both))) == ["None", "PE005"]
    assert value_of(committed, "select count(*) from account.person where role = 'admin'") == 1
