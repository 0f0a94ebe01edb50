"""Sentences of an answer that its sources do not bear out are marked."""

import pytest

from app.chat.grounding import best_passages, check
from providers.protocols import Source

SOURCES = [
    Source(
        number=1,
        title="Exclusion in Kent",
        source="a",
        text="Write to the adviser of your district within ten school days of the exclusion. "
        "The adviser asks for a meeting at the Medway House.",
    ),
    Source(
        number=2,
        title="Transport",
        source="b",
        text="Kent pays for a taxi when a child under 8 lives more than 2 miles from school.",
    ),
]


def verdicts(answer: str) -> list[tuple[str, bool | None, str | None]]:
    return [
        (answer[each.start : each.end], each.supported, each.reason)
        for each in check(answer, SOURCES)
    ]


def test_a_sentence_its_source_bears_out_is_supported() -> None:
    assert verdicts("Write to your district adviser within 10 school days [1].") == [
        ("Write to your district adviser within 10 school days [1].", True, None)
    ]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Write to the adviser within 15 school days of the exclusion [1].", "number"),
        ("Write to the adviser within fifteen school days of the exclusion [1].", "number"),
        ("Kent pays parents a monthly allowance of respite vouchers [2].", "words"),
        ("Kent pays for a taxi when a child lives far from school.", "no_citation"),
        ("Write to the adviser of your district about the exclusion [2].", "words"),
    ],
)
def test_what_no_source_says_is_marked_with_the_reason(sentence: str, reason: str) -> None:
    assert verdicts(sentence) == [(sentence, False, reason)]


def test_a_sentence_without_a_mark_rests_on_the_next_one_of_its_paragraph() -> None:
    answer = (
        "Write to the adviser of your district. Ask for a meeting at Medway House [1]\n\n"
        "Kent pays for a taxi to school."
    )
    assert [supported for _, supported, _ in verdicts(answer)] == [True, True, False]


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    answer = "Write to the adviser of your district. [1] Kent pays for a taxi to school. [2]"
    found = check(answer, SOURCES)
    assert [each.citations for each in found] == [[1], [2]]
    assert [answer[each.start : each.end] for each in found] == [
        "Write to the adviser of your district. [1]",
        "Kent pays for a taxi to school. [2]",
    ]


def test_what_claims_nothing_is_not_judged() -> None:
    for said in ("Here is what to do:", "I hope this helps!", "Does your school know of it?"):
        assert [each.supported for each in check(said, SOURCES)] == [None]


def test_numbers_of_a_list_are_no_claims() -> None:
    answer = "1. Write to the adviser of your district [1]\n2. Ask for a meeting [1]"
    assert [each.supported for each in check(answer, SOURCES)] == [True, True]


def test_a_span_is_always_the_sentence_itself() -> None:
    answer = "  - Kent pays for a taxi [2]\n\n\n- Kent pays for a taxi [2]   \n"
    for each in check(answer, SOURCES):
        assert answer[each.start : each.end] == "Kent pays for a taxi [2]"


def test_the_sentence_an_answer_comes_from_is_found_in_the_passage() -> None:
    answer = "You can ask for a meeting at Medway House [1]."
    passages = {source.number: source.text for source in SOURCES}
    assert best_passages(answer, check(answer, SOURCES), passages) == {
        1: ["The adviser asks for a meeting at the Medway House."]
    }


def test_an_empty_answer_has_no_sentences() -> None:
    assert check("", SOURCES) == check(" \n\n ", SOURCES) == []
