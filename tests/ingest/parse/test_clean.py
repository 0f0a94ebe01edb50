"""Stored text is faithful to what a reader sees, and can be stored and searched."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.clean import clean_line, clean_text, clean_value


def test_ligatures_soft_hyphens_and_zero_width_characters_do_not_part_words() -> None:
    """P-01"""
    assert (
        clean_text("speci\ufb01c assess\u00adment tri\u200bbunal") == "specific assessment tribunal"
    )


def test_square_metres_and_halves_stay_as_they_are_seen() -> None:
    """P-01: folding is for search, not for stored text."""
    assert clean_text("12 m² and 1½ cups, H₂O, №5") == "12 m² and 1½ cups, H₂O, №5"


def test_nul_inside_a_word_is_removed() -> None:
    """P-02"""
    assert clean_text("trib\x00unal") == "tribunal"


def test_a_lone_surrogate_is_dropped_and_a_pair_is_joined() -> None:
    """P-03"""
    assert clean_text("a\ud835b") == "ab"
    assert clean_text("x \ud83d\ude00 y") == "x \U0001f600 y"


def test_every_kind_of_line_end_becomes_one() -> None:
    assert clean_text("a\r\nb\rc\u2028d\x0ce\x85f") == "a\nb\nc\nd\ne\nf"


def test_blanks_of_every_width_become_a_space() -> None:
    assert clean_text("a\u00a0b\u2009c\u202fd\u3000e") == "a b c d e"


def test_two_empty_lines_become_one_and_ends_are_trimmed() -> None:
    assert clean_text("\n\n a  \n\n\n\n b \n") == "a\n\n b"


def test_letters_made_of_two_characters_are_composed() -> None:
    assert clean_text("cafe\u0301") == "café"


def test_joiners_stay_where_a_script_needs_them() -> None:
    persian = "می\u200cخواهم"
    assert clean_text(persian) == persian
    assert clean_text("tri\u200cbunal") == "tribunal"


def test_arabic_letter_shapes_become_letters() -> None:
    assert clean_text("\ufee3\ufeae\ufea3\ufe92\ufe8e") == "مرحبا"


def test_direction_marks_and_invisible_tags_are_removed() -> None:
    assert clean_text("a\u202eb\u2066c\U000e0041d") == "abcd"


def test_a_line_has_no_line_break() -> None:
    assert clean_line("  Local\r\n offer \t 2026 ") == "Local offer 2026"


def test_metadata_is_cleaned_however_deep() -> None:
    """P-02"""
    value = {"producer\x00": "Word\x00", "list": [{"a": "b\x00"}, 3, None, True]}
    cleaned = clean_value(value)
    assert cleaned == {"producer": "Word", "list": [{"a": "b"}, 3, None, True]}
    assert "\\u0000" not in json.dumps(cleaned)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_whatever_comes_in_the_result_can_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    assert "\x00" not in cleaned
    assert "\r" not in cleaned
    cleaned.encode("utf-8")
    assert "\n\n\n" not in cleaned


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
