"""`account.add_person`: one address, one account, and nothing of a person in an error."""

from typing import Any

import psycopg
import pytest

from tests.app.people import HASH, add_person
from tests.rows import value_of
from tests.sandbox import refused


def test_an_address_is_one_account_however_it_is_spelled(kb: psycopg.Connection[Any]) -> None:
    add_person(kb, email="Kim.Lee@Example.ORG")
    for spelling in ("kim.lee@example.org", " KIM.LEE@EXAMPLE.ORG ", "ｋim.lee@example.org"):
        with refused(kb, "PE002") as caught:
            add_person(kb, email=spelling)
        assert "kim" not in str(caught.value).lower()


@pytest.mark.parametrize(
    "text",
    ["", "kim", "kim@", "@example.org", "a b@example.org", "a@b@c", "a@" + "x" * 254, 'k"@x.org'],
)
def test_what_is_no_address_is_refused_and_not_repeated(
    kb: psycopg.Connection[Any], text: str
) -> None:
    with refused(kb, "PE001") as caught:
        kb.execute("select account.add_person(%s, 'parent', %s)", [text, HASH])
    assert caught.value.diag.message_primary == "this is not an e-mail address"
    assert caught.value.diag.message_detail is None


def test_a_password_in_clear_never_gets_into_the_table(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PE009") as caught:
        kb.execute("select account.add_person('a@example.org', 'parent', 'open sesame 123')")
    assert "sesame" not in str(caught.value)


def test_roles_and_schools_must_be_known(kb: psycopg.Connection[Any]) -> None:
    with refused(kb, "PE003"):
        kb.execute("select account.add_person('a@example.org', 'owner', %s)", [HASH])
    with refused(kb, "PE003"):
        kb.execute("select account.add_person('a@example.org', null, %s)", [HASH])
    with refused(kb, "PL002"):
        kb.execute("select account.add_person('a@example.org', 'parent', %s, '000000')", [HASH])


def test_the_audit_knows_who_was_added_by_key_only(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb, email="private@example.org")
    events = value_of(kb, "select string_agg(e::text, ' ') from audit.event as e")
    assert f"person {person_id}" in events
    assert "private@" not in events


def test_people_make_accounts_only_where_that_is_switched_on(
    kb: psycopg.Connection[Any],
) -> None:
    call = "select account.register('own@example.org', %s, %s)"
    with refused(kb, "PE004"):
        kb.execute("select account.start_registration('192.0.2.1')")
    with refused(kb, "PE004"):
        kb.execute(call, ["parent", HASH])
    kb.execute("set local kb.self_registration = on")
    with refused(kb, "PE003"):
        kb.execute(call, ["admin", HASH])
    assert value_of(kb, "select account.start_registration('192.0.2.1')") is None
    assert value_of(kb, call, ["parent", HASH])
