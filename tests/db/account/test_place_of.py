"""`account.place_of` and children: the profile says whose rules hold, and is nobody else's."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from app.access.user import Role
from tests.app.people import add_person
from tests.rows import rows_of, value_of
from tests.sandbox import refused

BIRMINGHAM, KENT = "E08000025", "E10000016"
HOLLYBROOK, WEALD = "990001", "990003"


def _child(db: psycopg.Connection[Any], person_id: Any, **facts: str) -> Any:
    names = ("name", "school_urn", "postcode")
    return value_of(
        db,
        "select account.add_child(%s, %s, %s, %s)",
        [person_id, *(facts.get(name) for name in names)],
    )


def _place(db: psycopg.Connection[Any], **given: Any) -> dict[str, Any]:
    named = ", ".join(f"{name} => %({name})s" for name in given)
    return rows_of(db, f"account.place_of({named})", given)[0]


def test_the_conversations_child_comes_before_work_and_work_before_the_first_child(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, _ = add_person(kb, Role.PROFESSIONAL)
    _child(kb, person_id, school_urn=HOLLYBROOK)
    second = _child(kb, person_id, school_urn=WEALD)
    found = _place(kb, person_id=person_id)
    assert (found["source"], found["la_code"]) == ("first_child_school", BIRMINGHAM)
    kb.execute("select account.set_school(%s, %s)", [person_id, WEALD])
    assert _place(kb, person_id=person_id)["source"] == "user_school"
    kb.execute("select account.set_school(%s, %s)", [person_id, HOLLYBROOK])
    found = _place(kb, person_id=person_id, child_id=second)
    assert (found["source"], found["la_code"]) == ("child_school", KENT)


def test_nobody_and_somebody_without_a_profile_have_no_place(
    kb: psycopg.Connection[Any],
) -> None:
    person_id, _ = add_person(kb)
    for who in (person_id, uuid4(), None):
        assert _place(kb, person_id=who)["source"] == "none"
    assert _place(kb, person_id=person_id, la=KENT)["la_code"] == KENT


def test_a_child_of_somebody_else_is_no_child(kb: psycopg.Connection[Any]) -> None:
    mine, _ = add_person(kb)
    theirs = _child(kb, add_person(kb)[0], school_urn=WEALD)
    for child_id in (theirs, uuid4()):
        with refused(kb, "PE007"):
            _place(kb, person_id=mine, child_id=child_id)
        with refused(kb, "PE007"):
            kb.execute("select account.change_child(%s, %s)", [mine, child_id])
        with refused(kb, "PE007"):
            kb.execute("select account.remove_child(%s, %s)", [mine, child_id])
    assert rows_of(kb, "account.list_children(%s)", [mine]) == []


def test_a_child_is_kept_folded_and_changed_as_a_whole(kb: psycopg.Connection[Any]) -> None:
    person_id, _ = add_person(kb)
    child_id = _child(kb, person_id, name=" Sam ", postcode="b11aa", school_urn=" 990001 ")
    kept = {"child_id": str(child_id), "name": "Sam", "school_urn": HOLLYBROOK}
    listed = "account.list_children(%s)"
    assert rows_of(kb, listed, [person_id]) == [kept | {"postcode": "B1 1AA"}]
    kb.execute("select account.change_child(%s, %s, name => 'S')", [person_id, child_id])
    assert rows_of(kb, listed, [person_id]) == [
        {"child_id": str(child_id), "name": "S", "school_urn": None, "postcode": None}
    ]
    kb.execute("select account.remove_child(%s, %s)", [person_id, child_id])
    assert rows_of(kb, listed, [person_id]) == []


@pytest.mark.parametrize(
    ("facts", "sqlstate"),
    [
        ({"postcode": "Secret Lane 7"}, "PE008"),
        ({"name": "Secret" * 20}, "PE008"),
        ({"school_urn": "000000"}, "PL002"),
    ],
)
def test_what_cannot_be_kept_is_refused_without_being_repeated(
    kb: psycopg.Connection[Any], facts: dict[str, str], sqlstate: str
) -> None:
    person_id, _ = add_person(kb)
    with refused(kb, sqlstate) as caught:
        _child(kb, person_id, **facts)
    assert "Secret" not in str(caught.value)


def test_a_profile_holds_so_many_children(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.children_per_person = 2")
    person_id, _ = add_person(kb)
    for _ in range(2):
        _child(kb, person_id)
    with refused(kb, "PE008"):
        _child(kb, person_id)
