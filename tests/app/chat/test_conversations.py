"""Questions that lean on others, whose rules hold for them, and conversations of one's own."""

import asyncio
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from app.access.user import Role
from tests.app.chat.model_server import Script
from tests.app.chat.service import QUESTION, Service, ask, client, service
from tests.app.library import BIRMINGHAM, KENT, SCHOOL
from tests.app.people import Visitor, sign_in


@pytest.fixture
async def parent(chat: Service) -> Visitor:
    """Somebody who has signed in."""
    return await asyncio.to_thread(sign_in, chat.app)


async def test_a_follow_up_goes_to_the_model_as_one_question(chat: Service) -> None:
    chat.speaks(Script("Call the team [1]."))
    first = await ask(chat, la=BIRMINGHAM)
    chat.speaks(Script("“How long does the exclusions team take?”"), Script("Ten days [1]."))
    said = await ask(chat, "how long do they take?", conversation_id=first["conversation_id"])
    assert said["question"] == "How long does the exclusions team take?"
    assert said["conversation_id"] == first["conversation_id"]
    assert [m["role"] for m in chat.model.asked[0]["messages"]] == [
        "system", "user", "assistant", "user",
    ]  # fmt: skip
    # an earlier answer's numbers point at other sources
    assert "Call the team (1)." in chat.model.prompt(1)


async def test_without_a_model_a_follow_up_leans_on_the_last_question(chat: Service) -> None:
    first = await ask(chat, la=BIRMINGHAM)
    chat.speaks(Script(status=500))
    said = await ask(chat, "how long does it take?", conversation_id=first["conversation_id"])
    assert said["question"] == f"{QUESTION} how long does it take?"
    assert said["degraded"] == ["rewrite_failed", "model_failed"]
    # a service that has just failed is not asked twice for one answer
    assert len(chat.model.asked) == 1


async def test_a_new_topic_takes_nothing_along(chat: Service) -> None:
    first = await ask(chat, la=KENT)
    chat.speaks(Script(status=500))
    said = await ask(chat, "and what about transport?", conversation_id=first["conversation_id"])
    assert said["question"] == "and what about transport?"
    assert said["sources"][0]["title"].startswith("Home to school transport")


async def test_a_place_named_once_holds_for_the_conversation(chat: Service) -> None:
    first = await ask(chat, la=KENT)
    said = await ask(chat, "who helps excluded children?", conversation_id=first["conversation_id"])
    assert (first["place_from"], said["place_from"]) == ("request", "conversation")
    assert said["scope"]["la_code"] == KENT
    assert (await ask(chat, "who helps excluded children?"))["place_from"] == "none"


async def test_a_profile_says_whose_rules_hold(
    chat: Service, library_url: str, parent: Visitor
) -> None:
    with psycopg.connect(library_url) as db:
        row = db.execute(
            "insert into account.child (person_id, school_urn) values (%s, %s) returning child_id",
            [parent.user.person_id, SCHOOL],
        ).fetchone()
    assert row is not None
    said = await ask(chat, headers=parent.headers)
    assert said["place_from"] == "profile"
    assert (said["scope"]["la_code"], said["scope"]["school_urn"]) == (BIRMINGHAM, SCHOOL)
    chosen = await ask(chat, la=KENT, headers=parent.headers)
    assert (chosen["place_from"], chosen["scope"]["la_code"]) == ("request", KENT)
    # a child named now is meant, whatever was said before
    child = await ask(
        chat,
        headers=parent.headers,
        conversation_id=chosen["conversation_id"],
        child_id=str(row[0]),
    )
    assert (child["place_from"], child["scope"]["la_code"]) == ("profile", BIRMINGHAM)


async def _get(chat: Service, path: str, visitor: Visitor | None = None) -> tuple[int, Any]:
    async with client(chat) as http:
        answer = await http.get(path, headers=visitor.headers if visitor else {})
        return answer.status_code, answer.json()


async def test_ones_own_conversations_are_listed_read_and_deleted(
    chat: Service, parent: Visitor
) -> None:
    chat.speaks(Script("Call the team [1]."))
    first = await ask(chat, la=BIRMINGHAM, headers=parent.headers)
    path = f"/api/conversations/{first['conversation_id']}"
    status, page = await _get(chat, "/api/conversations", parent)
    assert status == 200
    assert [each["conversation_id"] for each in page["conversations"]] == [first["conversation_id"]]
    assert page["conversations"][0]["first_question"] == QUESTION
    _, read = await _get(chat, path, parent)
    (turn,) = read["turns"]
    assert (turn["question"], turn["answer"], turn["state"]) == (
        QUESTION, "Call the team [1].", "answered",
    )  # fmt: skip
    source = turn["sources"][0]
    assert (source["number"], source["cited"], source["title"]) == (
        1, True, "Birmingham exclusions team",
    )  # fmt: skip
    async with client(chat) as http:
        assert (await http.delete(path, headers=parent.headers)).status_code == 204
    assert (await _get(chat, path, parent))[0] == 404


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
async def test_a_moment_that_no_calendar_holds_is_refused(
    chat: Service, parent: Visitor, moment: str
) -> None:
    async with client(chat) as http:
        answer = await http.get(
            "/api/conversations", params={"before": moment}, headers=parent.headers
        )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_anothers_conversation_does_not_exist(chat: Service, parent: Visitor) -> None:
    other = await asyncio.to_thread(sign_in, chat.app, Role.ADMIN)
    theirs = await ask(chat, la=BIRMINGHAM, headers=other.headers)
    path = f"/api/conversations/{theirs['conversation_id']}"
    assert (await _get(chat, path))[0] == 401
    assert (await _get(chat, "/api/conversations"))[0] == 401
    unknown = await _get(chat, f"/api/conversations/{uuid4()}", parent)
    foreign = await _get(chat, path, parent)
    assert unknown[0] == foreign[0] == 404
    assert unknown[1]["title"] == foreign[1]["title"]
    async with client(chat) as http:
        assert (await http.delete(path, headers=parent.headers)).status_code == 404
        for headers in ({}, parent.headers):
            going_on = await http.post(
                "/api/chat",
                json={"question": "and?", "conversation_id": theirs["conversation_id"]},
                headers=headers,
            )
            assert (going_on.status_code, going_on.json()["code"]) == (404, "TK001")
    assert (await _get(chat, path, other))[0] == 200


async def test_asking_needs_an_account_unless_it_is_open_to_all(
    chat: Service, library_url: str
) -> None:
    with service(library_url, chat.model, anonymous=False) as closed:
        async with client(closed) as http:
            answer = await http.post("/api/chat", json={"question": "who helps?"})
        assert answer.status_code == 401
        visitor = await asyncio.to_thread(sign_in, closed.app)
        assert (await ask(closed, la=BIRMINGHAM, headers=visitor.headers))["found"]


async def test_the_pack_says_what_it_says(chat: Service, library_url: str) -> None:
    texts = ("You advise on tyres.", "No area is known to me.", "There is no such tyre.")
    with psycopg.connect(library_url, autocommit=True) as db:
        db.execute("select chat.load_wording('test', %s, %s, %s)", texts)
        try:
            chat.speaks(Script("A taxi [1]."))
            broad = await ask(chat, "taxi under policy POL-2041")
            assert chat.model.asked[0]["messages"][0]["content"].startswith(texts[0])
            none = await ask(chat, "zorblax quantum tyre pressure", la=KENT)
        finally:
            db.execute("delete from chat.wording")
    assert broad["answer"] == f"{texts[1]}\n\nA taxi [1]."
    assert none["answer"].startswith(f"{texts[2]}\n\nSearched ")
