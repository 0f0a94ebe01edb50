"""The type of a file is decided by its bytes, and what cannot be read is told what to do."""

import pytest

from ingest.parse.kind import kind_of
from ingest.parse.result import Refused
from tests.ingest.parse.makers import docx, para, pdf, zipped

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (pdf([["text"]]), "pdf"),
        (b"\n\n junk before " + pdf([["text"]]), "pdf"),
        (docx(para("text")), "docx"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "html"),
        (b"\xef\xbb\xbf<html><body>x</body></html>", "html"),
        ("<html><body>x</body></html>".encode("utf-16"), "html"),
        (b"<?xml version='1.0'?><html xmlns='x'><body>x</body></html>", "html"),
        (b"<!-- saved page -->\n<div>text</div>", "html"),
        (b"Plain words <b>not</b> a page", "txt"),
        (b'{"json": true}', "txt"),
        (b"name,phone\nOffice,0121", "txt"),
        ("Zwölf Boxkämpfer".encode("cp1252"), "txt"),
    ],
)
def test_readable_types_are_told_by_their_bytes(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    ("data", "kind", "line"),
    [
        (b"", "empty", "the file is empty"),
        (_OLE + "WordDocument".encode("utf-16-le"), "type", "legacy Word.*save as .docx"),
        (_OLE + "EncryptedPackage".encode("utf-16-le"), "password", "password protected.*remove"),
        (_OLE + "Workbook".encode("utf-16-le"), "type", "legacy Excel"),
        (b"{\\rtf1\\ansi hello}", "type", "RTF.*save it as .docx"),
        (zipped({"a.txt": "x"}), "type", "ZIP archive.*unpack"),
        (zipped({"[Content_Types].xml": "x", "xl/workbook.xml": "x"}), "type", "Excel"),
        (zipped({"[Content_Types].xml": "x", "ppt/slide.xml": "x"}), "type", "PowerPoint"),
        (zipped({"mimetype": "x", "content.xml": "x"}), "type", "OpenDocument"),
        (b"PK\x03\x04 cut short", "corrupt", "damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "type", "PNG image.*OCR"),
        (b"\xff\xd8\xff\xe0" + bytes(64), "type", "JPEG image.*OCR"),
        (b"\x7fELF\x02\x01\x01" + bytes(64), "type", "Linux program"),
        (b"MZ\x90\x00" + bytes(64), "type", "Windows program"),
        (b"\x1f\x8b\x08" + bytes(64), "type", "gzip.*unpack"),
        (b"<?xml version='1.0'?><rss><item/></rss>", "type", "XML data"),
        (b"%!PS-Adobe-3.0", "type", "PostScript"),
    ],
)
def test_other_types_are_refused_with_what_they_are_and_what_to_do(
    data: bytes, kind: str, line: str
) -> None:
    with pytest.raises(Refused, match=line) as caught:
        kind_of(data)
    assert caught.value.kind == kind
    assert "\n" not in caught.value.reason


def test_a_text_that_only_begins_like_a_program_is_text() -> None:
    assert kind_of(b"MZ is a prefix of the series. BM too.") == "txt"


@pytest.mark.parametrize(("end", "kind"), [("words", "txt"), ("<p>words", "html")])
def test_any_number_of_comments_is_read_in_one_go(end: str, kind: str) -> None:
    # each can be told from the next in one way only: thirty took minutes
    assert kind_of(("<!---->" * 100 + end).encode()) == kind
