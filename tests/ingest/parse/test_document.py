"""Of every document the same things are told, whatever its type."""

import hashlib
import io
import json
from datetime import UTC, datetime

import pytest
from reportlab.pdfgen.canvas import Canvas

from ingest.parse.document import parse_document
from tests.ingest.parse.makers import docx, para, pdf

ALWAYS = {
    "content_hash",
    "extracted_at",
    "extractor",
    "file_bytes",
    "file_sha256",
    "headings",
    "language",
    "page_count",
    "page_starts",
    "source_url",
    "warnings",
}
WELSH = (
    "Mae'r cyngor yn talu am gludiant o'r cartref i'r ysgol pan na all plentyn gerdded i'r ysgol "
    "addas agosaf. Rhaid i rieni wneud cais unwaith y flwyddyn ac mae'r ateb yn dod mewn pedair "
    "wythnos. Gall rhiant sy'n anghytuno ysgrifennu at y gwasanaeth."
)
FILES = {
    "pdf": pdf([["The fee is ten pounds."], ["It is due in May."]], title="Fees\x00"),
    "docx": docx(para("The fee is ten pounds.")),
    "html": b"<html><body><h1>Fees</h1><p>The fee is ten pounds.</p></body></html>",
    "txt": b"Fees\n\nThe fee is ten\x00 pounds.",
}


@pytest.mark.parametrize("kind", FILES)
def test_the_same_facts_are_always_there(kind: str) -> None:
    data = FILES[kind]
    before = datetime.now(UTC).replace(microsecond=0)
    metadata = parse_document(data, source_url="https://council.example/fees").metadata
    assert set(metadata) >= ALWAYS
    assert before <= datetime.fromisoformat(metadata["extracted_at"]) <= datetime.now(UTC)
    assert metadata["source_url"] == "https://council.example/fees"
    assert metadata["file_sha256"] == hashlib.sha256(data).hexdigest()
    assert metadata["extractor"].startswith("pgkb ")
    assert metadata["page_count"] == (2 if kind == "pdf" else None)
    assert [heading["text"] for heading in metadata["headings"]] == (
        ["Fees"] if kind in ("html", "txt") else []
    )


@pytest.mark.parametrize("kind", FILES)
def test_metadata_holds_no_nul(kind: str) -> None:
    """P-02"""
    assert "\\u0000" not in json.dumps(parse_document(FILES[kind]).metadata)


def test_the_content_hash_is_that_of_the_words_and_not_of_their_spacing() -> None:
    """C-09"""
    one = parse_document(b"Fees\n\nThe fee is \xc2\xa325.").metadata["content_hash"]
    assert one == hashlib.sha256("Fees The fee is £25.".encode()).hexdigest()
    page = "<html><body><h1>Fees</h1><p>The fee\n is £25.</p></body></html>"
    assert parse_document(page.encode()).metadata["content_hash"] == one


def test_the_language_is_the_declared_one_or_else_told_from_the_words() -> None:
    page = f'<html lang="cy-GB"><body><p>{WELSH}</p></body></html>'
    assert parse_document(page.encode()).language == "cy-GB"
    german = (
        "Die Stadt bezahlt den Weg zur Schule, wenn ein Kind nicht zu Fuß gehen kann. Eltern "
        "stellen den Antrag einmal im Jahr, und die Antwort kommt nach vier Wochen. Wer mit der "
        "Entscheidung nicht einverstanden ist, schreibt an das Amt und sagt, was sich ändern soll. "
        "Eine andere Person sieht sich den Fall dann noch einmal an und entscheidet neu."
    )
    assert parse_document(german.encode()).language == "de"
    assert parse_document(b"Fee: 10").metadata["language"] is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("D:20260501103000+01'00'", "2026-05-01T10:30:00+01:00"),
        ("D:20260501103000Z", "2026-05-01T10:30:00+00:00"),
        ("D:20260501", "2026-05-01"),
        ("May 2026", "May 2026"),
    ],
)
def test_dates_of_a_pdf_are_told_like_those_of_other_files(written: str, expected: str) -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, invariant=True)
    canvas.drawString(72, 700, "The fee is ten pounds.")
    canvas.save()
    made = b"(D:20000101000000+00'00')"
    assert made in spool.getvalue()
    data = spool.getvalue().replace(made, f"({written})".ljust(len(made)).encode())
    assert parse_document(data).metadata["created"] == expected


def test_the_language_of_a_pdf_is_the_one_it_declares() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, lang="cy-GB")
    canvas.drawString(72, 700, "Cludiant")
    canvas.save()
    assert parse_document(spool.getvalue()).language == "cy-GB"
