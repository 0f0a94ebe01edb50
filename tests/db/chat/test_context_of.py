"""chat.context_of: whose rules hold for a question, what was said before, the pack's words."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.corpus import SCHOOLS
from tests.db.chat.talking import child, context, finish, person, said, start

BIRMINGHAM, KENT = "E08000025", "E10000016"
SCHOOL = SCHOOLS[0]["urn"]


def place(found: dict[str, object]) -> tuple[object, object, object]:
    return found["place_from"], found["la_code"], found["school_urn"]


def test_a_request_says_whose_rules_hold(reference: psycopg.Connection) -> None:
    assert place(context(reference, la="886")) == ("request", KENT, None)
    assert place(context(reference, urn=SCHOOL)) == ("request", BIRMINGHAM, SCHOOL)
    assert place(context(reference)) == ("none", None, None)


def test_what_a_request_names_must_be_known(reference: psycopg.Connection) -> None:
    for facts, code in (({"la": "E99999999"}, "PL001"), ({"urn": "999999"}, "PL002")):
        with pytest.raises(psycopg.Error) as caught, reference.transaction():
            context(reference, **facts)
        assert caught.value.sqlstate == code


def test_a_place_named_once_holds_until_another_is_named(reference: psycopg.Connection) -> None:
    conversation_id, turn_id = start(reference, la_code=KENT, place_from="request")
    finish(reference, turn_id)
    found = context(reference, conversation_id=conversation_id)
    assert place(found) == ("conversation", KENT, None)
    found = context(reference, conversation_id=conversation_id, la=BIRMINGHAM)
    assert place(found) == ("request", BIRMINGHAM, None)


def test_a_profile_says_whose_rules_hold_when_nothing_else_does(
    reference: psycopg.Connection,
) -> None:
    somebody = person(reference)
    child(reference, somebody, school_urn=SCHOOL)
    assert place(context(reference, person_id=somebody)) == ("profile", BIRMINGHAM, SCHOOL)
    assert place(context(reference, person_id=somebody, la=KENT)) == ("request", KENT, None)
    # a place a profile gave is asked of the profile again: it may have changed
    conversation_id = said(
        reference, "who?", person_id=somebody, la_code=KENT, place_from="profile"
    )
    found = context(reference, person_id=somebody, conversation_id=conversation_id)
    assert place(found) == ("profile", BIRMINGHAM, SCHOOL)


def test_a_child_named_now_is_meant_whatever_was_said_before(
    reference: psycopg.Connection,
) -> None:
    somebody = person(reference)
    second = [child(reference, somebody), child(reference, somebody, school_urn=SCHOOL)][1]
    conversation_id = said(
        reference, "who?", person_id=somebody, la_code=KENT, place_from="request"
    )
    found = context(reference, person_id=somebody, conversation_id=conversation_id, child_id=second)
    assert place(found) == ("profile", BIRMINGHAM, SCHOOL)
    assert found["child"] == second


def test_a_child_named_since_is_still_meant_in_the_next_question(
    reference: psycopg.Connection,
) -> None:
    somebody = person(reference)
    theirs = child(reference, somebody, school_urn=SCHOOL)
    conversation_id = said(
        reference, "who?", person_id=somebody, la_code=KENT, place_from="request"
    )
    going_on: dict[str, Any] = {"person_id": somebody, "conversation_id": conversation_id}
    _, turn_id = start(
        reference, "and Robin?", **going_on, child_id=theirs, la_code=BIRMINGHAM,
        school_urn=SCHOOL, place_from="profile",
    )  # fmt: skip
    finish(reference, turn_id)
    assert place(context(reference, **going_on)) == ("profile", BIRMINGHAM, SCHOOL)


def test_a_conversation_remembers_its_child(reference: psycopg.Connection) -> None:
    somebody = person(reference)
    theirs = child(reference, somebody, school_urn=SCHOOL)
    conversation_id = said(reference, "who?", person_id=somebody, child_id=theirs)
    assert (
        context(reference, person_id=somebody, conversation_id=conversation_id)["child"] == theirs
    )


def test_anothers_child_and_conversation_do_not_exist(reference: psycopg.Connection) -> None:
    somebody, other = person(reference), person(reference)
    theirs = child(reference, other)
    conversation_id = said(reference, "who?", person_id=other)
    nobodys = said(reference, "who?")
    foreign: list[tuple[dict[str, Any], str]] = [
        ({"person_id": somebody, "child_id": theirs}, "PE007"),
        ({"child_id": theirs}, "PE007"),
        ({"person_id": somebody, "conversation_id": conversation_id}, "TK001"),
        ({"conversation_id": conversation_id}, "TK001"),
        ({"person_id": somebody, "conversation_id": nobodys}, "TK001"),
        ({"conversation_id": uuid4()}, "TK001"),
    ]
    for facts, code in foreign:
        with pytest.raises(psycopg.Error) as caught, reference.transaction():
            context(reference, **facts)
        assert caught.value.sqlstate == code


def test_the_last_turns_come_oldest_first_without_the_one_under_way(
    reference: psycopg.Connection,
) -> None:
    conversation_id = said(reference, "a?", "b?", "c?")
    start(reference, "running?", conversation_id=conversation_id)
    found = context(reference, "and then?", conversation_id=conversation_id, turns=2)
    assert [turn["question"] for turn in found["history"]] == ["b?", "c?"]
    assert found["history"][0]["answer"] == "Of b?"
    assert context(reference, conversation_id=conversation_id, turns=0)["history"] == []


def test_a_follow_up_is_told_with_what_it_leans_on(reference: psycopg.Connection) -> None:
    conversation_id = said(reference, "Who pays for speech therapy in school?")
    found = context(reference, "and then?", conversation_id=conversation_id)
    assert found["standalone"] == "Who pays for speech therapy in school? and then?"
    assert context(reference, " and then? ")["standalone"] == "and then?"


def test_the_pack_loaded_last_speaks(reference: psycopg.Connection) -> None:
    assert context(reference)["system_prompt"] is None
    for pack, at in (("send", "2026-01-02"), ("hr", "2026-01-01")):
        reference.execute(
            "insert into terms.pack (pack) values (%s) on conflict do nothing", [pack]
        )
        reference.execute("select chat.load_wording(%s, %s, 'b', 'c')", [pack, f" {pack}\n"])
        reference.execute("update terms.pack set loaded_at = %s where pack = %s", [at, pack])
    found = context(reference)
    assert (found["system_prompt"], found["no_area_disclaimer"], found["not_found"]) == (
        "send",
        "b",
        "c",
    )
