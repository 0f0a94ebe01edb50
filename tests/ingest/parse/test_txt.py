"""Plain text files."""

import pytest

from ingest.parse.result import Refused
from ingest.parse.txt import parse_txt


def test_the_first_short_line_is_the_title() -> None:
    parsed = parse_txt(b"Fees and charges\n\nThe fee is ten pounds.\n")
    assert parsed.title == "Fees and charges"
    assert parsed.text == "Fees and charges\n\nThe fee is ten pounds."


def test_a_sentence_is_no_title() -> None:
    assert parse_txt(b"This is a sentence.\n\nAnd another one.").title is None


def test_headings_of_markdown_and_underlined_ones_are_known_with_their_places() -> None:
    parsed = parse_txt(b"# School transport\nWho gets it.\n\nHow to apply\n------------\nBy post.")
    assert [(heading.level, heading.text) for heading in parsed.headings] == [
        (1, "School transport"),
        (2, "How to apply"),
    ]
    for heading in parsed.headings:
        assert parsed.text[heading.start :].startswith(heading.text)
    assert parsed.title == "School transport"


@pytest.mark.parametrize("data", [b" ", b"\n\n\t \r\n", b"\xef\xbb\xbf", "\u200b\u00a0".encode()])
def test_a_file_of_white_space_is_refused_as_empty(data: bytes) -> None:
    with pytest.raises(Refused, match="only white space") as caught:
        parse_txt(data)
    assert caught.value.kind == "empty"


def test_line_breaks_inside_a_paragraph_are_kept() -> None:
    assert parse_txt(b"Office\n12 High Street\nTown").text == "Office\n12 High Street\nTown"


def test_words_parted_at_the_end_of_a_line_are_joined() -> None:
    """P-01"""
    text = "It must secure the special educational provi-\nsion in the plan, be-\ncause of the law."
    assert parse_txt(text.encode()).text == (
        "It must secure the special educational provision in the plan, because of the law."
    )


def test_hyphens_of_the_language_stay_at_the_end_of_a_line() -> None:
    text = "Pupils aged pre-\nand post-16. The well-being of all and the well-\nbeing of staff."
    assert parse_txt(text.encode()).text == (
        "Pupils aged pre- and post-16. The well-being of all and the well-being of staff."
    )
