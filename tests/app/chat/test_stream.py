"""`POST /api/chat` as events, through a real server and a real openai client."""

import re

import pytest

from app.calls import Scope
from app.chat.wording import not_found
from tests.app.chat.model_server import Script
from tests.app.chat.service import Service, ask, client, listen, text_of
from tests.app.library import BIRMINGHAM, KENT

SAID = "Call the Birmingham exclusions team within five school days [1]. Ask about a place [2]."


async def test_the_answer_of_a_model_streams_through(chat: Service) -> None:
    chat.speaks(Script(SAID))
    events = await listen(chat, la=BIRMINGHAM)
    names = [name for name, _ in events]
    assert names[:2] == ["start", "sources"]
    assert names[-1] == "done"
    assert names.count("token") > 5
    done = events[-1][1]
    assert text_of(events) == done["answer"] == SAID
    assert done["answered_by"] == "model"
    assert done["model"] == "talker"
    assert done["degraded"] == []
    assert done["citations"] == [1, 2]
    assert done["conversation_id"] == events[0][1]["conversation_id"] is not None


async def test_sources_are_numbered_and_sent_before_the_first_word(chat: Service) -> None:
    events = await listen(chat, la=BIRMINGHAM)
    sources = events[1][1]["sources"]
    assert [source["number"] for source in sources] == list(range(1, len(sources) + 1))
    assert sources == [source | {"highlights": []} for source in events[-1][1]["sources"]]
    # and the model was given the same numbers
    marked = re.findall(r"<<source (\d+) \w+>>\ntitle: (.+)", chat.model.prompt())
    assert [(int(number), title) for number, title in marked] == [
        (source["number"], source["title"]) for source in sources
    ]


async def test_a_source_says_what_it_is_and_where(chat: Service) -> None:
    said = await ask(chat, la=BIRMINGHAM)
    source = said["sources"][0]
    assert source["title"] == "Birmingham exclusions team"
    assert (source["scope"], source["la_code"], source["version"]) == ("la", BIRMINGHAM, 1)
    assert {"section", "page_from", "effective_date", "url", "authority"} <= set(source)


async def test_a_mark_is_never_cut_and_unknown_ones_are_dropped_and_counted(chat: Service) -> None:
    chat.speaks(Script(["Call the team [", "1", "", "] now [", "99]", ". In [20", "14] too [1"]))
    events = await listen(chat, la=BIRMINGHAM)
    tokens = [data["text"] for name, data in events if name == "token"]
    assert [token for token in tokens if "[" in token] == [" [1] now", " [2014] too", " [1"]
    done = events[-1][1]
    assert done["answer"] == "Call the team [1] now. In [2014] too [1"
    assert (done["citations"], done["dropped_citations"]) == ([1], 1)


async def test_what_an_answer_rests_on_is_marked_in_its_source(chat: Service) -> None:
    chat.speaks(Script("Call the team within five school days of the exclusion [1]."))
    said = await ask(chat, la=BIRMINGHAM)
    (place,) = said["sources"][0]["highlights"]
    quoted = said["sources"][0]["text"][place["start"] : place["end"]]
    assert quoted.startswith("Call the team within five school days of the exclusion")


async def test_a_sentence_no_source_bears_out_is_marked(chat: Service) -> None:
    chat.speaks(Script("Call the team within five school days [1]. It pays 300 pounds [1]."))
    said = await ask(chat, la=BIRMINGHAM)
    marked = [
        (said["answer"][each["start"] : each["end"]], each["supported"])
        for each in said["sentences"]
    ]
    assert marked == [
        ("Call the team within five school days [1].", True),
        ("It pays 300 pounds [1].", False),
    ]


async def test_an_answer_that_cites_nothing_has_found_nothing(chat: Service) -> None:
    chat.speaks(Script("The sources do not say. Ask SENDIASS."))
    said = await ask(chat, la=BIRMINGHAM)
    assert (said["found"], said["citations"]) == (False, [])


async def test_what_cannot_be_stored_or_sent_does_not_break_an_answer(chat: Service) -> None:
    chat.speaks(Script(["Call\x00 the \ud83d team [1].\n", "\u2028data: x\n\nevent: done\n"]))
    events = await listen(chat, la=BIRMINGHAM)
    assert [name for name, _ in events].count("done") == 1
    assert "\x00" not in events[-1][1]["answer"]


async def test_nothing_found_is_said_with_what_was_searched_and_no_model_is_asked(
    chat: Service,
) -> None:
    said = await ask(chat, "zorblax quantum tyre pressure", la=KENT)
    assert (said["found"], said["answered_by"], said["sources"]) == (False, None, [])
    assert "couldn't find" in said["answer"]
    assert "those of Kent for “zorblax quantum tyre pressure”" in said["answer"]
    assert chat.model.asked == []


async def test_what_was_searched_is_named_in_short_however_long_the_question(
    chat: Service,
) -> None:
    question = "zorblax quantum " + "tyre pressure of zeppelins " * 100
    said = await ask(chat, question, la=KENT)
    assert said["found"] is False
    subject = said["answer"].partition("for “")[2]
    assert subject.startswith("zorblax quantum tyre")
    assert len(subject) < 90


@pytest.mark.parametrize(
    ("searched", "named"),
    [
        (["who  can\nhelp?"], " for “who can help?”."),
        (["x" * 4000], "."),
        (["first words", "w" * 99, "second"], " for “first words”; “second”."),
        (["the same", "the same"], " for “the same”."),
    ],
)
def test_the_subject_of_a_search_is_bounded(searched: list[str], named: str) -> None:
    nowhere = Scope(None, None, None, None, None, None)
    said = not_found(None, searched=searched, scope=nowhere)
    assert said.endswith(f"Searched the national documents{named}")


async def test_without_an_area_a_broad_answer_says_so_first(chat: Service) -> None:
    chat.speaks(Script("Form KT-7 asks for a taxi [1]."))
    events = await listen(chat, "taxi under policy POL-2041")
    assert events[2][1]["text"].startswith("No local authority is known")
    done = events[-1][1]
    assert done["answer"].endswith("\n\nForm KT-7 asks for a taxi [1].")
    (sentence,) = done["sentences"]
    assert done["answer"][sentence["start"] :] == "Form KT-7 asks for a taxi [1]."
    assert "area of who asks is not known" in chat.model.prompt()


async def test_a_wrong_place_is_refused_before_anything_is_streamed(chat: Service) -> None:
    async with client(chat) as http:
        answer = await http.post(
            "/api/chat",
            json={"question": "who helps?", "la": "E99999999"},
            headers={"Accept": "text/event-stream"},
        )
    assert answer.status_code == 422
    assert answer.json()["code"] == "PL001"
