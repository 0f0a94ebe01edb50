"""What may be quoted alone: whole sentences, rows with their headers, lists with their lead-ins."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.passages import GAP, LONGEST, pieces
from providers.sentences import LIST_MARK


def told(text: str) -> list[str]:
    return [piece.text for piece in pieces(text)]


TABLE = """Dates

Step | Limit | Source
Decision whether to assess | 6 weeks from the request | Reg 5
Final plan issued | 20 weeks from the request |

These limits are the law of the land and not only a wish.
"""


def test_a_row_is_told_with_the_headers_of_its_columns() -> None:
    assert told(TABLE)[:2] == [
        "Decision whether to assess – Limit: 6 weeks from the request; Source: Reg 5",
        "Final plan issued – Limit: 20 weeks from the request",
    ]


def test_a_row_of_a_table_whose_beginning_was_cut_off_is_told_without_headers() -> None:
    cut = TABLE.split("\n", 3)[3]
    assert told(cut)[0] == "Decision whether to assess: 6 weeks from the request; Reg 5"


def test_a_table_of_two_columns_is_cut_into_its_rows() -> None:
    text = (
        "Waits\n\nService | Wait\nSpeech therapy, first visit | 12 weeks\nPhysiotherapy | 6 weeks"
    )
    assert told(text) == [
        "Speech therapy, first visit – Wait: 12 weeks",
        "Physiotherapy – Wait: 6 weeks",
    ]


def test_a_row_that_begins_with_a_number_is_told_with_the_header_of_that_too() -> None:
    text = "Rules\n\nPoints | Step\n10 | The form tutor calls home"
    assert told(text) == ["Points: 10 – Step: The form tutor calls home"]


def test_a_table_as_markdown_writes_it_is_read_the_same() -> None:
    text = (
        "| | Mediation | Resolution |\n|---|:---:|---|\n| When | Before an appeal | At any time |"
    )
    assert told(text) == ["When – Mediation: Before an appeal; Resolution: At any time"]


def test_a_stroke_in_a_sentence_makes_no_table() -> None:
    text = "The form asks for yes | no and nothing else at all."
    assert told(text) == [text]


@pytest.mark.parametrize(
    "heading",
    [
        "EHC needs assessment: what the law says",
        "## What the council must do for you",
        "4. What we provide",
        "How long does it take?",
    ],
)
def test_a_heading_is_no_quotation_but_the_topic_of_what_stands_under_it(heading: str) -> None:
    for gap in ("\n\n", "\n"):
        found = pieces(f"First line of all\n\n{heading}{gap}The council must answer in six weeks.")
        assert [piece.text for piece in found] == ["The council must answer in six weeks."]
        assert found[0].topic == heading.lstrip("# ")


def test_the_heading_of_what_was_cut_off_is_left_out() -> None:
    assert told("The council must answer in six weeks.\n\nWhat happens after that time") == [
        "The council must answer in six weeks."
    ]


def test_a_sentence_is_told_with_the_one_it_leans_on() -> None:
    text = "The panel meets on Tuesdays. It gives advice to the officer who decides."
    assert told(text)[-1] == text


def test_a_sentence_that_leans_on_nothing_in_sight_is_incomplete() -> None:
    found = pieces("Contact\n\nIt is open on school days from eight to four.")
    assert [piece.complete for piece in found] == [False]


def test_a_question_in_a_heading_is_told_with_the_short_answer_under_it() -> None:
    text = "Last\n\nIs there a room?\n\nIt is called the Burrow and is next to the cloakroom."
    assert told(text) == ["Is there a room? It is called the Burrow and is next to the cloakroom."]


def test_a_question_in_a_heading_is_not_put_before_a_later_paragraph() -> None:
    text = (
        "Last\n\nIs there a room?\n\nYes, there is a room beside the library.\n\n"
        "It is open to all children at lunch on every day."
    )
    assert "It is open to all children at lunch on every day." in told(text)


def test_a_short_sentence_is_told_with_its_neighbour() -> None:
    text = "Telephone 0000 000 310. Text HELLO to 0000 000 311 and we will ring back."
    assert told(text) == [text]


def test_how_to_reach_somebody_may_be_short() -> None:
    assert told("Reach us\n\nTravel Desk: 0000 000 107.") == ["Travel Desk: 0000 000 107."]


LEAD = "Three people may ask for an assessment:"
ITEMS = ["the child's parent", "the young person", "a person acting for a school"]


def test_a_short_list_is_told_whole_with_its_lead_in() -> None:
    text = "\n- ".join([LEAD, *ITEMS])
    assert told(f"{LEAD}\n\n" + "\n".join(f"- {item}" for item in ITEMS)) == [text]


def test_a_list_under_a_heading_is_told_with_the_heading() -> None:
    text = "Ways to ask\n\n1. Form EHC1 on paper\n2. A letter in your own words"
    assert told("First line\n\n" + text)[0] == text.replace("\n\n", "\n")


def test_an_item_of_a_long_list_is_told_with_the_lead_in_and_a_gap() -> None:
    items = [f"item number {number} of this list, {'long ' * 12}indeed" for number in range(9)]
    found = told(f"{LEAD}\n\n" + "\n".join(f"- {item}" for item in items) + "\n\nThe end of it.")
    assert found[:2] == [f"{LEAD} {items[0]}", f"{LEAD}{GAP}{items[1]}"]


def test_an_item_that_is_a_sentence_is_told_alone() -> None:
    text = f"{LEAD}\n\n- A parent may ask in a letter of two lines.\n- {'Long ' * 99}list."
    assert "A parent may ask in a letter of two lines." in told(text)


def test_what_a_document_says_of_itself_is_not_complete() -> None:
    text = "This page covers the law on exclusion. The head teacher alone may exclude a pupil."
    assert [piece.complete for piece in pieces(text)] == [False, True]


LINES = st.sampled_from(
    [
        "",
        "A heading",
        "The council must answer within six weeks of the request.",
        "It may take longer when a school is closed. That is rare, as we know.",
        "You can ask for any of these things:",
        "- a letter that says why the council refused",
        "- - nested",
        "1. The form, which is long.",
        "Step | When",
        "| Decision of the council | 6 weeks |",
        "|---|---|",
        "| | empty first cell |",
        "Yes? No!",
        "# ",
        "|",
        "…",
    ]
)


def test_words_that_lead_into_a_table_do_not_lead_into_the_list_after_it() -> None:
    text = (
        "You can ask for any of these things:\n| Decision of the council | 6 weeks |\n"
        "- a letter that says why the council refused"
    )
    assert not any("things: a letter" in piece.text for piece in pieces(text))


@given(st.lists(LINES, max_size=12))
def test_whatever_is_told_stands_in_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    # list marks are told only inside whole lists, and a heading's marks never
    plain = " ".join(" ".join(line.lstrip("# ") for line in lines).split())
    bare = " ".join(LIST_MARK.sub("", line) for line in lines)
    for piece in pieces(text):
        assert len(piece.text) <= LONGEST
        parts = re.split(r" – |: |; ", piece.text) if "|" in piece.core else piece.text.split(GAP)
        for part in parts:
            folded = " ".join(part.split())
            assert folded in plain or folded in " ".join(bare.split())
