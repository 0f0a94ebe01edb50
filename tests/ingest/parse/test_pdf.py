"""PDF files: paragraphs in reading order, and an honest word where text is missing."""

import io

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from ingest.parse.pdf import parse_pdf
from ingest.parse.result import Refused
from tests.ingest.parse.makers import pdf, raw_pdf

LINES = (
    "The governors review this policy each year and ask parents what they think of",
    "it before they change it. A parent who disagrees may write to the chair of the",
    "governors within ten school days.",
)


def outcome(data: bytes) -> str:
    """The text of a PDF, or the kind of its refusal."""
    try:
        return parse_pdf(data).text
    except Refused as refused:
        return refused.kind


def test_the_lines_of_a_paragraph_are_joined() -> None:
    text = parse_pdf(pdf([LINES])).text
    assert text == " ".join(LINES)


def test_a_word_parted_at_the_end_of_a_line_is_joined() -> None:
    """P-01"""
    lines = (
        "The local authority must secure the special educational provi-",
        "sion that the plan names, and keep it under re-",
        "view.",
    )
    text = parse_pdf(pdf([lines])).text
    assert "educational provision that the plan names" in text
    assert "under review." in text


def test_a_compound_that_the_document_writes_with_a_hyphen_keeps_it() -> None:
    lines = (
        "The well-being of pupils comes first. Staff care for the well-",
        "being of all, in class and outside of it.",
    )
    assert "care for the well-being of all" in parse_pdf(pdf([lines])).text


def test_running_heads_and_page_numbers_do_not_interrupt_the_text() -> None:
    pages = [
        [
            "Example School: SEND policy",
            "",
            f"Section {name} tells what the school does for pupils who need help with",
            f"{topic} and how parents hear of it.",
            *[""] * 45,
            f"Page {number} of 4",
        ]
        for number, (name, topic) in enumerate(
            [("one", "reading"), ("two", "hearing"), ("three", "moving"), ("four", "speech")], 1
        )
    ]
    text = parse_pdf(pdf(pages)).text
    assert text.count("Example School: SEND policy") == 1
    assert "Page 2 of 4" not in text
    for topic in ("reading", "hearing", "moving", "speech"):
        assert f"{topic} and how parents hear of it." in text


def test_a_foot_that_counts_the_pages_appears_once_on_two_pages() -> None:
    pages = [
        ["Part one tells who may apply.", *[""] * 47, "Approved 2026-05-01, page 1"],
        ["Part two tells how they apply.", *[""] * 47, "Approved 2026-05-01, page 2"],
    ]
    text = parse_pdf(pdf(pages)).text
    assert text.count("Approved 2026-05-01") == 1


def test_the_head_of_a_file_of_two_pages_appears_once() -> None:
    pages = [["Example School: SEND policy", "", sentence] for sentence in LINES[1:]]
    text = parse_pdf(pdf(pages)).text
    assert text.count("Example School: SEND policy") == 1
    assert "before they change it." in text
    assert "within ten school days." in text


def test_the_head_of_a_chapter_appears_once() -> None:
    pages = [
        [f"Chapter {'ABCD'[number // 3]}: who does what", "", f"Task {name} is done by all."]
        for number, name in enumerate("klmnopqrstuv")
    ]
    text = parse_pdf(pdf(pages)).text
    assert [text.count(f"Chapter {name}:") for name in "ABCD"] == [1, 1, 1, 1]
    assert text.count("is done by all.") == 12


def test_two_equal_pages_are_both_kept() -> None:
    assert parse_pdf(pdf([LINES, LINES])).text.count("ten school days.") == 2


def test_a_first_sentence_that_pages_share_is_no_running_head() -> None:
    pages = [[f"Part {name}", "All parts apply to every pupil.", "More."] for name in "ABCD"]
    assert parse_pdf(pdf(pages)).text.count("All parts apply to every pupil.") == 4


def test_table_rows_stay_rows() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    rows = [("Area", "Service", "Phone"), ("North", "Taxi", "111"), ("South", "Bus", "222")]
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            canvas.drawString(72 + 150 * column, 700 - 16 * number, cell)
    canvas.save()
    assert parse_pdf(spool.getvalue()).text == (
        "Area | Service | Phone\nNorth | Taxi | 111\nSouth | Bus | 222"
    )


def test_large_and_bold_lines_are_headings_and_the_largest_is_the_title() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    for y, font, size, line in (
        (800, "Helvetica", 11, "Example Council"),
        (760, "Helvetica-Bold", 20, "School transport"),
        (730, "Helvetica-Bold", 11, "Who can apply"),
        (710, "Helvetica", 11, LINES[0]),
        (696, "Helvetica", 11, LINES[1]),
    ):
        canvas.setFont(font, size)
        canvas.drawString(72, y, line)
    canvas.save()
    parsed = parse_pdf(spool.getvalue())
    assert parsed.title == "School transport"
    assert [(heading.level, heading.text) for heading in parsed.headings] == [
        (1, "School transport"),
        (2, "Who can apply"),
    ]


def test_list_items_are_on_lines_of_their_own() -> None:
    lines = ("You need:", "1. a letter from the school", "2. a photo", "\u2022 a pen")
    assert "1. a letter from the school\n2. a photo\n- a pen" in parse_pdf(pdf([lines])).text


def test_each_page_is_known_by_where_it_starts() -> None:
    parsed = parse_pdf(pdf([["First page."], ["Second page."], ["Third page."]]))
    assert parsed.page_count == 3
    starts = [parsed.text[start:].split(".")[0] for start in parsed.pages]
    assert starts == ["First page", "Second page", "Third page"]


def test_a_page_that_begins_within_a_paragraph_is_known_too() -> None:
    sentence = "and the authority keeps the plan under review as long as it holds for the child"
    first = "The plan names the school and what is done for the child at that place of study"
    broken = ("and the special educational provi-", "sion that the child needs is told in it, too,")
    pages = [[first, *[sentence] * 45, broken[0]], [f"{broken[1]} {sentence}"], ["The end."]]
    parsed = parse_pdf(pdf(pages))
    assert "the special educational provision that the child needs" in parsed.text
    assert "\n" not in parsed.text.removesuffix("\n\nThe end.")
    starts = [parsed.text[start : start + 13] for start in parsed.pages]
    assert starts == ["The plan name", "sion that the", "The end."]


def test_form_values_stand_with_the_text_of_their_page() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    for name in ("child", "school"):
        canvas.drawString(72, 750, f"About the {name}.")
        canvas.acroForm.textfield(name=name, tooltip=name, value=f"{name} of hers", x=72, y=700)
        canvas.showPage()
    canvas.save()
    parsed = parse_pdf(spool.getvalue())
    assert parsed.text[: parsed.pages[1]].strip() == "About the child.\n\nchild: child of hers"
    assert parsed.text[parsed.pages[1] :] == "About the school.\n\nschool: school of hers"


def test_form_values_are_read() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    canvas.drawString(72, 750, "Request for assessment")
    canvas.acroForm.textfield(
        name="school", tooltip="Name of school", value="Hawthorn School", x=72, y=700
    )
    canvas.acroForm.textfield(name="empty", tooltip="Nothing", value="", x=72, y=600)
    canvas.acroForm.checkbox(name="plan", tooltip="Has a plan", checked=True, x=72, y=650)
    canvas.save()
    text = parse_pdf(spool.getvalue()).text
    assert "Name of school: Hawthorn School" in text
    assert "Has a plan: ☒" in text
    assert "Nothing" not in text


def test_a_pdf_that_only_forbids_changes_is_read() -> None:
    """P-07"""
    data = pdf([LINES], owner_password="keep out")
    assert "governors" in parse_pdf(data).text


def test_a_pdf_that_needs_a_password_is_refused_with_what_to_do() -> None:
    """P-07"""
    data = pdf([LINES], user_password="secret", owner_password="keep out")
    with pytest.raises(Refused, match=r"password protected PDF.*save it without one") as caught:
        parse_pdf(data)
    assert caught.value.kind == "password"


def test_a_scanned_pdf_is_refused_naming_its_pages() -> None:
    """P-06"""
    with pytest.raises(Refused, match=r"all 3 pages hold only images.*run OCR") as caught:
        parse_pdf(pdf([[], [], []]))
    assert caught.value.kind == "no-text"


def test_a_mostly_scanned_pdf_is_kept_with_a_warning_naming_the_pages() -> None:
    """P-06"""
    parsed = parse_pdf(pdf([LINES, [], [], [], LINES[:1], [], [], [], [], []]))
    assert "ten school days" in parsed.text
    assert parsed.metadata["pages_without_text"] == [2, 3, 4, 6, 7, 8, 9, 10]
    assert parsed.warnings[0].startswith("8 of 10 pages hold only images (pages 2-4, 6-10)")


@pytest.mark.parametrize(("sense", "flagged"), [(True, False), (False, True)])
def test_a_scan_whose_text_layer_is_no_language_is_flagged(sense: bool, flagged: bool) -> None:
    """P-06"""
    sentence = "The governors review this policy each year and ask the parents about it"
    lines = [sentence if sense else "Tbc gov ernoiz rcvicw lhjs polxcy cnch ycnr arxl nslc"] * 12
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    canvas.drawImage(ImageReader(Image.new("L", (80, 120), 128)), 0, 0, *A4)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - 15 * number, line)
    canvas.save()
    parsed = parse_pdf(spool.getvalue())
    assert parsed.metadata.get("low_quality", False) is flagged
    assert any("run OCR on the file again" in warning for warning in parsed.warnings) is flagged


def test_a_blank_page_is_no_scan() -> None:
    """P-06"""
    parsed = parse_pdf(pdf([LINES, [" "]]))
    assert parsed.warnings == ()
    with pytest.raises(Refused, match="no text at all") as caught:
        parse_pdf(pdf([[" "]]))
    assert caught.value.kind == "no-text"


@pytest.mark.parametrize(
    "data",
    [b"%PDF-1.7\nnothing else", pdf([LINES])[:700], b"%PDF-1.4\n" + bytes(4000)],
    ids=["only a head", "cut short", "zeros"],
)
def test_a_damaged_pdf_is_refused_or_read_never_an_error(data: bytes) -> None:
    assert outcome(data) in ("corrupt", "no-text") or "governors" in outcome(data)


_PAGE = [
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R"
    b" /Resources << /XObject << /F 5 0 R >> /Font << /H 6 0 R >> >> >>",
    b"<< /Length 47 >>\nstream\nBT /H 12 Tf 20 200 Td (Round and round) Tj ET\nendstream",
    b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>"
    b" /Length 5 >>\nstream\n/F Do\nendstream",
    b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
]


def test_a_cross_reference_table_that_points_to_itself_ends() -> None:
    """P-08"""
    data = raw_pdf(_PAGE, trailer=b"<< /Root 1 0 R /Size 7 /Prev TABLE >>")
    assert outcome(data) in ("corrupt", "Round and round")


def test_a_form_that_includes_itself_ends() -> None:
    """P-08"""
    objects = list(_PAGE)
    objects[3] = (
        b"<< /Length 53 >>\nstream\n/F Do BT /H 12 Tf 20 200 Td (Round and round) Tj ET\nendstream"
    )
    data = raw_pdf(objects, trailer=b"<< /Root 1 0 R /Size 7 >>")
    assert "Round and round" in parse_pdf(data).text


def test_a_pdf_of_more_pages_than_any_document_has_is_refused() -> None:
    """P-08"""
    objects = list(_PAGE)
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count 10001 >>" % (b"3 0 R " * 10_001)
    data = raw_pdf(objects, trailer=b"<< /Root 1 0 R /Size 7 >>")
    with pytest.raises(Refused, match="10001 pages, more than the 10000 allowed") as caught:
        parse_pdf(data)
    assert caught.value.kind == "too-big"


def test_a_page_tree_that_contains_itself_ends() -> None:
    """P-08"""
    objects = list(_PAGE)
    objects[1] = b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>"
    data = raw_pdf(objects, trailer=b"<< /Root 1 0 R /Size 7 >>")
    assert outcome(data) in ("corrupt", "no-text", "Round and round")


def test_a_useless_title_in_the_properties_is_not_taken() -> None:
    assert parse_pdf(pdf([LINES], title="Microsoft Word - draft3.doc")).title is None
    assert parse_pdf(pdf([LINES], title="Charging policy")).title == "Charging policy"
