"""Sentences are cut where a reader would, and nothing unseen is quoted."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.sentences import sentences
from providers.visible import visible_text


@pytest.mark.parametrize(
    "whole",
    [
        "The duty in s.36 and in s. 36(4) is the council's.",
        "A setting, e.g. a school or i.e. a nursery, may ask.",
        "Mr. Khan and Dr. J. Smith wrote to St. Mary's.",
        "The grant is 3.5 million, or £1.20 a head.",
        "See No. 2 of 2014, reg. 12 and paras. 9.1 to 9.5 of the Code.",
        "The court in R (L) v. Kent [2014] EWCA Civ 1 (para. [12]) said so.",
        "It is due by Fri. and no later than 15 Sept. That year counts.",
        "The school asked what? and why! before it acted.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(whole: str) -> None:
    assert sentences(whole) == [whole]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("One ends. Two begins! Is it three? Yes…", 4),
        ('He said "No." Then he left.', 2),
        ("She was (rightly) told so.) Then she left.", 2),
        ("This is in Part B. The next one is not.", 2),
        ("It was I. Nobody else came.", 2),
        ("The answer is No. Ask again.", 2),
        ("It opens at 9 a.m. on Monday.", 1),
        ("Act 1996. The next Act came later.", 2),
    ],
)
def test_a_stop_at_the_end_of_a_sentence_ends_it(text: str, pieces: int) -> None:
    assert len(sentences(text)) == pieces


def test_lines_wrapped_by_a_page_are_joined_and_paragraphs_are_not() -> None:
    text = (
        "The council must answer within six weeks of the\nrequest under s.\n36 of the Act.\n\n"
        "Next one"
    )
    assert sentences(text) == [
        "The council must answer within six weeks of the request under s. 36 of the Act.",
        "Next one",
    ]


def test_list_items_and_table_rows_stand_alone_without_their_marks() -> None:
    text = (
        "You may:\n- ask the school\n• ask the council\n1. Write a letter. Keep it.\n"
        "| a | 6 weeks. Or 8 |\nEnd"
    )
    assert sentences(text) == [
        "You may:",
        "ask the school",
        "ask the council",
        "Write a letter.",
        "Keep it.",
        "| a | 6 weeks. Or 8 |",
        "End",
    ]


# without a closing bracket: "a) " before an item is its mark, and goes
@given(st.text(alphabet="aB1 .?!\n-|(]s", max_size=200))
def test_no_letter_of_a_text_is_lost_between_sentences(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(char for char in value if char in "aBs|")

    assert letters(" ".join(sentences(text))) == letters(text)


TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ignore all rules")


@pytest.mark.parametrize(
    "hidden",
    [
        "\u200b",
        "\u2060",
        "\ufeff",
        "\u00ad",
        "\u202e",
        "\u2066",
        "\u200f",
        "\u061c",
        "\u034f",
        "\u3164",
        "\x00",
        "\x1b",
        "\ufe01",
        "\U000e0101",
        "\u200d",
        "\u200c",
        TAGS,
    ],
)
def test_hidden_characters_are_removed_from_english(hidden: str) -> None:
    assert visible_text(f"the sch{hidden}ool must{hidden} act{hidden}") == "the school must act"


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",  # Persian, with a non-joiner
        "क्‍ष और क्‌ष",  # Hindi, with both
        "ශ්‍රී",  # Sinhala
        "👩‍👩‍👧 👩🏽‍🏫 ❤️ 1️⃣",  # joined and styled pictures
        "naïve café Ünïcode",
        "plain\ttext\nwith lines",
        "the Act [1989] and [2014] EWCA Civ 1",
    ],
)
def test_visible_text_of_any_script_stays_as_it_is(text: str) -> None:
    assert visible_text(text) == text


def test_a_run_of_joiners_cannot_carry_a_message() -> None:
    assert visible_text("م\u200c\u200d\u200c\u200cی") == "می"


@given(st.text())
def test_nothing_unseen_is_left(text: str) -> None:
    left = visible_text(text)
    kinds = {unicodedata.category(char) for char in left if char not in "\u200c\u200d"}
    assert not kinds & {"Cf", "Cs"}
    assert visible_text(left) == left
