"""The right letters, whatever the encoding and whoever is wrong about it."""

import codecs
import hashlib

import pytest

from ingest.parse.decode import decode
from ingest.parse.html import parse_html
from ingest.parse.result import Refused
from ingest.parse.txt import parse_txt

PARAGRAPH = "The fee is £25 – “payable” within two months, says the council’s café policy. " * 3

ENCODINGS = {
    "utf-8": PARAGRAPH.encode(),
    "utf-8 with mark": codecs.BOM_UTF8 + PARAGRAPH.encode(),
    "utf-16 with mark": PARAGRAPH.encode("utf-16"),
    "utf-16 le without mark": PARAGRAPH.encode("utf-16-le"),
    "utf-16 be without mark": PARAGRAPH.encode("utf-16-be"),
    "utf-32 with mark": codecs.BOM_UTF32_LE + PARAGRAPH.encode("utf-32-le"),
    "windows-1252": PARAGRAPH.encode("cp1252"),
}


@pytest.mark.parametrize("data", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_the_same_paragraph_gives_the_same_text_in_every_encoding(data: bytes) -> None:
    """P-12"""
    assert parse_txt(data).text == PARAGRAPH.strip()


def page(charset: str, declaration: str) -> bytes:
    """A page in a charset that declares another thing, or nothing."""
    return (
        f"<html><head>{declaration}<title>Fees</title></head>"
        f"<body><main><p>{PARAGRAPH}</p></main></body></html>"
    ).encode(charset)


@pytest.mark.parametrize(
    ("charset", "declaration"),
    [
        ("cp1252", '<meta charset="windows-1252">'),
        ("cp1252", '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'),
        ("cp1252", ""),
        ("utf-8", '<meta charset="utf-8">'),
        ("utf-8", '<meta charset="iso-8859-1">'),
        ("utf-8", ""),
        ("utf-16", '<meta charset="utf-8">'),
        ("cp1252", '<meta charset="utf-8">'),
        ("cp1252", '<meta charset="nonsense-8">'),
    ],
)
def test_pounds_and_quotes_of_a_page_are_right(charset: str, declaration: str) -> None:
    """P-13"""
    assert PARAGRAPH.strip() in parse_html(page(charset, declaration)).text


def test_the_header_speaks_before_the_meta_tag() -> None:
    """P-13"""
    page = (
        '<html><head><meta charset="windows-1252"></head><body><p>Śląsk gościnny</p></body></html>'
    )
    parsed = parse_html(page.encode("iso-8859-2"), header_charset="iso-8859-2")
    assert parsed.text == "Śląsk gościnny"


def test_a_stray_byte_does_not_spoil_a_page_of_utf8() -> None:
    decoded = decode(PARAGRAPH.encode() + b" \xa310 more")
    assert decoded.text == PARAGRAPH + " £10 more"
    assert decoded.guessed


def test_unassigned_bytes_of_windows_1252_lose_no_letter_around_them() -> None:
    assert "St John’s £5" in parse_txt(b"St John\x92s \xa35\x81 school " * 5).text


@pytest.mark.parametrize(
    "data",
    [
        b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(150)),
        bytes(range(256)) * 20,
        b"abc" + b"\x00\x01\x02\x03\x04\x05\x06" * 40,
    ],
    ids=["noise", "every byte", "controls"],
)
def test_binary_data_is_refused_not_decoded(data: bytes) -> None:
    """P-12"""
    with pytest.raises(Refused, match="binary data, not text") as caught:
        decode(data)
    assert caught.value.kind == "type"


def test_a_single_nul_in_a_text_is_no_reason_to_refuse_it() -> None:
    """P-02"""
    assert parse_txt(b"the trib\x00unal hears appeals within two months").text == (
        "the tribunal hears appeals within two months"
    )
