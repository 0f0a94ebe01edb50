"""Citation marks in a text that comes in pieces (A-08)."""

import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.chat.citations import CitationFilter
from app.chat.quoting import quotations, without_footnotes

KNOWN = frozenset([1, 2, 3])
_SHOWN = re.compile(r"\[(\d{1,3})\]")

texts = st.text(alphabet='[]【】0123456789 ,;-–^soure†a.\n"', max_size=60)


def filtered(*pieces: str) -> tuple[str, list[int], int]:
    """What comes through, what is cited, how many were dropped."""
    marks = CitationFilter(KNOWN)
    shown = "".join(marks.feed(piece) for piece in pieces) + marks.end()
    return shown, marks.cited, marks.dropped


@settings(deadline=None)
@given(texts, st.lists(st.integers(0, 60), max_size=12))
@example("see [1][2] and [7]", [5, 6, 8, 16])
def test_however_a_text_is_cut_the_result_is_the_same(text: str, cuts: list[int]) -> None:
    at = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(at)]
    assert filtered(*pieces) == filtered(text)


@settings(deadline=None)
@given(st.lists(texts, max_size=6))
def test_no_piece_that_is_shown_ends_within_a_mark(pieces: list[str]) -> None:
    marks = CitationFilter(KNOWN)
    shown = [marks.feed(piece) for piece in pieces]
    whole = "".join(shown)
    ends: set[int] = set()
    for piece in shown:
        ends.add((max(ends) if ends else 0) + len(piece))
    for mark in _SHOWN.finditer(whole):
        assert not any(mark.start() < end < mark.end() for end in ends)


@settings(deadline=None)
@given(texts)
def test_every_mark_that_is_shown_points_at_a_source(text: str) -> None:
    shown, cited, _ = filtered(text)
    numbers = {int(number) for number in _SHOWN.findall(shown)}
    assert numbers <= KNOWN
    assert set(cited) <= KNOWN


def test_a_mark_in_two_pieces_is_shown_in_one() -> None:
    marks = CitationFilter(KNOWN)
    assert marks.feed("Ask the school [2") == "Ask the school"
    assert marks.feed("] first") == " [2] first"


def test_unknown_numbers_are_left_out_with_the_space_before_and_counted() -> None:
    assert filtered("Within six weeks [9]. Then [1][7].") == (
        "Within six weeks. Then [1].",
        [1],
        2,
    )


def test_lists_and_ranges_become_single_marks() -> None:
    assert filtered("a [1, 3] b [1-3] c [2;9]") == ("a [1][3] b [1][2][3] c [2]", [1, 3, 2], 1)


def test_other_spellings_of_a_mark_are_read() -> None:
    assert filtered("a 【2†source】 b [Source 3] c [^1]") == ("a [2] b [3] c [1]", [2, 3, 1], 0)


def test_a_year_or_words_in_brackets_stay_as_they_are() -> None:
    for text in ("[2014] EWCA Civ 9", "[sic]", "[1 May 2020]", "a [b", "x[[y]]", "[ ]", "[]"):
        assert filtered(text) == (text, [], 0)


def test_an_endless_bracket_does_not_hold_the_text_back() -> None:
    marks = CitationFilter(KNOWN)
    assert len(marks.feed("[" + "1" * 5000)) > 4900


def test_a_footnote_in_a_quotation_is_no_mark_of_ours() -> None:
    text = "Passages:\n\n“The desk [99] answers [2, 3] in [2014] days.” [1]\n\n“It helps [4].” [2]"
    quotes = quotations(text)
    shown = without_footnotes(text, quotes)
    assert shown == (
        "Passages:\n\n“The desk (99) answers (2, 3) in [2014] days.” [1]\n\n“It helps (4).” [2]"
    )
    # highlights are looked for in the source, which has its own brackets
    assert [quote.text for quote in quotes] == [
        "The desk [99] answers [2, 3] in [2014] days.", "It helps [4].",
    ]  # fmt: skip
    assert [shown[quote.start : quote.end][-3:] for quote in quotes] == ["[1]", "[2]"]
