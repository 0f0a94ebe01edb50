"""Word files: everything a reader of the final version sees, once and in order."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from ingest.parse.docx import parse_docx
from ingest.parse.result import Refused
from tests.ingest.parse.makers import docx, para, part, relations, run, table, zipped


def level(at: int, form: str, pattern: str) -> str:
    """One level of a list."""
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


_NUMBERING = part(
    "w:numbering",
    '<w:abstractNum w:abstractNumId="0">'
    + level(0, "decimal", "%1.")
    + level(1, "decimal", "%1.%2")
    + level(2, "lowerLetter", "(%3)")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="1">'
    + level(0, "bullet", "o")
    + "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="1"/></w:lvlOverride></w:num>',
)
_STYLES = part(
    "w:styles",
    '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Heading1"/></w:style>'
    '<w:style w:styleId="Title"><w:name w:val="Title"/></w:style>',
)


def numbered(text: str, number: int, level: int) -> str:
    """A paragraph in a list."""
    return para(
        text, extra=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    )


def text_of(body: str, **parts: str) -> str:
    """The text of a document with this body."""
    return parse_docx(docx(body, parts=parts)).text


def with_files(package: bytes, files: Mapping[str, str]) -> bytes:
    """A package with files added or replaced."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        old = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**old, **files})


def test_a_table_keeps_the_cells_of_a_row_together_and_in_order() -> None:
    """P-09"""
    text = text_of(
        para("Before.")
        + table([["Area", "Service", "Phone"], ["North", "Taxi", "111"], ["South", "Bus", "222"]])
        + para("After.")
    )
    assert (
        text == "Before.\n\nArea | Service | Phone\nNorth | Taxi | 111\nSouth | Bus | 222\n\nAfter."
    )


def test_merged_cells_give_their_text_once() -> None:
    """P-09"""
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>{para("Contacts")}</w:tc>'
    tall = f'<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>{para("North")}</w:tc>'
    rest = f"<w:tc><w:tcPr><w:vMerge/></w:tcPr>{para('North')}</w:tc>"
    text = text_of(table([[wide], [tall, "Taxi", "111"], [rest, "Bus", "222"]]))
    assert text == "Contacts\nNorth | Taxi | 111\nBus | 222"


def test_an_empty_cell_keeps_the_columns_apart() -> None:
    """P-09"""
    assert text_of(table([["Taxi", "", "£12"]])) == "Taxi |  | £12"


def test_a_nested_table_stands_in_its_place() -> None:
    """P-09"""
    cell = f"<w:tc>{para('Above.')}{table([['North', '111']])}{para('Below.')}</w:tc>"
    text = text_of(table([["Areas", cell]]))
    assert text == "Areas\n\nAbove.\n\nNorth | 111\n\nBelow."


def test_footnotes_and_endnotes_follow_the_paragraph_they_belong_to() -> None:
    """P-10"""
    note = '<w:{0} w:id="2"><w:p><w:r><w:t>{1}</w:t></w:r></w:p></w:{0}>'
    text = text_of(
        f'<w:p>{run("Apply in time")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(" by post")}'
        '<w:r><w:endnoteReference w:id="2"/></w:r></w:p>' + para("Next."),
        footnotes=part("w:footnotes", note.format("footnote", "By 31 October.")),
        endnotes=part("w:endnotes", note.format("endnote", "Section 36.")),
    )
    assert text == "Apply in time by post\n\nBy 31 October.\n\nSection 36.\n\nNext."


def test_a_text_box_that_is_stored_twice_is_read_once() -> None:
    """P-10"""
    box = f"<w:txbxContent>{para('Warning: term time only.')}</w:txbxContent>"
    text = text_of(
        f"<w:p>{run('Club.')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        f"<wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}"
        "</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert text == "Club.\n\nWarning: term time only."


def test_a_text_box_without_a_fallback_is_read() -> None:
    """P-10"""
    box = f"<wps:txbx><w:txbxContent>{para('Only here.')}</w:txbxContent></wps:txbx>"
    text = text_of(
        f"<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{box}</w:drawing>"
        "</mc:Choice></mc:AlternateContent></w:r></w:p>"
    )
    assert text == "Only here."


def test_content_controls_give_what_was_filled_in_and_not_their_prompts() -> None:
    """P-10"""
    control = "<w:sdt><w:sdtPr>{0}</w:sdtPr><w:sdtContent>{1}</w:sdtContent></w:sdt>"
    text = text_of(
        control.format("", para("Head: Ms Example"))
        + f"<w:p>{control.format('', run('Signed in June'))}</w:p>"
        + control.format("<w:showingPlcHdr/>", para("Click here to enter text."))
    )
    assert text == "Head: Ms Example\n\nSigned in June"


def test_page_headers_and_footers_appear_once_without_page_numbers() -> None:
    """P-10"""
    text = text_of(
        para("Body."),
        header=part("w:hdr", para("Policy of Example School")),
        footer=part("w:ftr", para("Page 3 of 10") + para("Approved May 2026")),
    )
    assert text == "Policy of Example School\n\nBody.\n\nApproved May 2026"


def test_tracked_changes_are_read_as_accepted() -> None:
    text = text_of(
        f"<w:p>{run('Apply ')}<w:del><w:r><w:delText>never</w:delText></w:r></w:del>"
        f"<w:ins>{run('early')}</w:ins><w:moveFrom>{run(' gone')}</w:moveFrom>"
        f"<w:moveTo>{run(' now')}</w:moveTo></w:p>"
        f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('One ')}</w:p>{para('line.')}"
    )
    assert text == "Apply early now\n\nOne line."


def test_the_words_of_a_link_stay_in_their_sentence() -> None:
    """P-11"""
    text = text_of(
        f"<w:p>{run('Apply to the ')}<w:hyperlink>{run('tribunal')}</w:hyperlink>"
        f"{run(' within two months.')}</w:p>"
    )
    assert text == "Apply to the tribunal within two months."


def test_list_items_are_lines_of_their_own_with_the_number_word_shows() -> None:
    text = text_of(
        numbered("Aims", 1, 0)
        + numbered("Scope", 1, 0)
        + numbered("Who it is for", 1, 1)
        + numbered("pupils", 1, 2)
        + numbered("parents", 1, 2)
        + para("Between.")
        + numbered("Review", 1, 0)
        + numbered("Each year", 1, 1)
        + numbered("a bullet", 2, 0),
        numbering=_NUMBERING,
    )
    assert text == (
        "1. Aims\n2. Scope\n2.1 Who it is for\n(a) pupils\n(b) parents\n\nBetween.\n\n"
        "3. Review\n3.1 Each year\n- a bullet"
    )


def test_an_instance_that_starts_again_does_and_one_that_does_not_goes_on() -> None:
    other = _NUMBERING.replace(
        "</w:numbering>",
        '<w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
    )
    text = text_of(
        numbered("One", 1, 0)
        + numbered("Two", 4, 0)
        + numbered("Again", 3, 0)
        + numbered("And on", 3, 0),
        numbering=other,
    )
    assert text == "1. One\n2. Two\n1. Again\n2. And on"


def test_a_deleted_item_is_not_counted_and_an_empty_one_is() -> None:
    number = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    gone = (
        f"<w:p><w:pPr>{number}<w:rPr><w:del/></w:rPr></w:pPr>"
        "<w:del><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p>"
    )
    text = text_of(
        numbered("One", 1, 0) + gone + numbered("Two", 1, 0) + numbered("", 1, 0)
        + numbered("Four", 1, 0),
        numbering=_NUMBERING,
    )  # fmt: skip
    assert text == "1. One\n2. Two\n4. Four"


def test_the_list_of_a_style_numbers_its_clauses() -> None:
    styles = part(
        "w:styles",
        '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr>'
        '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Heading1"/><w:pPr>'
        '<w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>',
    )
    parsed = parse_docx(
        docx(
            para("Aims", style="Heading1")
            + para("Scope", style="Heading1")
            + para("Pupils of all ages", style="Clause")
            + para("Parents", style="Clause")
            + para("Not a clause", style="Clause", extra='<w:numPr><w:numId w:val="0"/></w:numPr>'),
            parts={"styles": styles, "numbering": _NUMBERING},
        )
    )
    assert [heading.text for heading in parsed.headings] == [
        "1. Aims",
        "2. Scope",
        "2.1 Pupils of all ages",
        "2.2 Parents",
        "Not a clause",
    ]
    assert parsed.title == "Aims"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("upperLetter", "Z AA"),
        ("lowerLetter", "z aa"),
        ("upperRoman", "XXVI XXVII"),
        ("lowerRoman", "xxvi xxvii"),
        ("decimalZero", "26 27"),
        ("chicago", "26 27"),
    ],
)
def test_numbers_are_written_in_the_forms_of_word(form: str, expected: str) -> None:
    numbering = part(
        "w:numbering",
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="26"/>'
        f'<w:numFmt w:val="{form}"/><w:lvlText w:val="%1)"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    )
    text = text_of(numbered("x", 1, 0) + numbered("y", 1, 0), numbering=numbering)
    one, two = expected.split()
    assert text == f"{one}) x\n{two}) y"


@pytest.mark.parametrize(
    "numbering",
    [
        '<w:num w:numId="1"><w:abstractNumId w:val="9"/></w:num>',
        '<w:num w:numId="1"/><w:num/><w:abstractNum/>',
        '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="Self"/></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="x"/><w:lvl w:ilvl="0"><w:start '
        'w:val="-3"/><w:lvlText w:val="%9%1"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    ],
)
def test_a_list_that_is_defined_wrongly_costs_no_text(numbering: str) -> None:
    text = text_of(numbered("Kept.", 1, 99), numbering=part("w:numbering", numbering))
    assert text.endswith("Kept.")


def test_items_of_a_text_box_are_items() -> None:
    box = f"<w:txbxContent>{numbered('In the box', 2, 0)}{numbered('too', 2, 0)}</w:txbxContent>"
    text = text_of(
        f"<w:p>{run('Beside.')}<w:r><w:pict><v:textbox>{box}</v:textbox></w:pict></w:r></w:p>",
        numbering=_NUMBERING,
    )
    assert text == "Beside.\n\n- In the box\n- too"


def test_a_numbered_heading_is_a_heading() -> None:
    number = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = para("Aims", style="Heading1", extra=number) + para("To help.")
    parsed = parse_docx(docx(body, parts={"styles": _STYLES, "numbering": _NUMBERING}))
    assert [heading.text for heading in parsed.headings] == ["1. Aims"]
    assert parsed.text == "1. Aims\n\nTo help."


def test_headings_come_from_styles_and_their_ancestors() -> None:
    parsed = parse_docx(
        docx(
            para("Behaviour policy", style="Title")
            + para("Aims", style="Heading1")
            + para("To help.")
            + para("Scope", style="Clause"),
            parts={"styles": _STYLES},
        )
    )
    assert [(heading.level, heading.text) for heading in parsed.headings] == [
        (1, "Behaviour policy"),
        (1, "Aims"),
        (1, "Scope"),
    ]
    assert parsed.title == "Behaviour policy"
    for heading in parsed.headings:
        assert parsed.text[heading.start :].startswith(heading.text)


def test_hidden_text_is_left_out_and_special_characters_stay() -> None:
    text = text_of(
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
        f"{run('well')}<w:r><w:noBreakHyphen/><w:t>being</w:t><w:br/><w:t>next</w:t></w:r>"
        '<w:r><w:softHyphen/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r></w:p>'
    )
    assert text == "well-being\nnext🗹"


def test_fields_give_their_result_and_not_their_code() -> None:
    text = text_of(
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DATE </w:instrText>'
        f'</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("1 May 2026")}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert text == "1 May 2026"


def test_simple_fields_and_marked_up_runs_keep_their_words() -> None:
    text = text_of(
        f'<w:p><w:fldSimple w:instr="DATE">{run("1 May")}</w:fldSimple>'
        f'<w:bdo w:val="rtl">{run(" 2026")}</w:bdo><w:r><w:cr/></w:r>{run("Kent")}</w:p>'
    )
    assert text == "1 May 2026\nKent"


def test_check_boxes_say_whether_they_are_ticked() -> None:
    box = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="{0}"/>'
        "</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText>"
        '</w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    text = text_of(f"<w:p>{box.format(1)}{run(' yes ')}{box.format(0)}{run(' no')}</w:p>")
    assert text == "☒ yes ☐ no"


def test_what_is_not_read_is_said_in_a_warning() -> None:
    body = (
        f"<w:p>{run('The area is ')}<m:oMath><m:r><m:t>ab</m:t></m:r></m:oMath></w:p>"
        '<w:altChunk r:id="rId9"/>'
    )
    parsed = parse_docx(docx(body))
    assert parsed.text == "The area is"
    assert parsed.warnings == (
        "an embedded file inside the Word document was not read",
        "the equations of the Word document were not read",
    )


def test_broken_links_and_notes_do_not_cost_the_text() -> None:
    text = text_of(
        f'<w:p><w:hyperlink r:id="rId99">{run("The form")}</w:hyperlink>{run(" is here.")}'
        '<w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:drawing><wps:x><a:blip '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="rId98"/></wps:x>'
        "</w:drawing></w:r></w:p>"
    )
    assert text == "The form is here."


def test_the_strict_dialect_is_read_alike() -> None:
    assert parse_docx(docx(para("Strictly."), strict=True)).text == "Strictly."


def test_title_author_and_pages_come_from_the_properties() -> None:
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Admissions</dc:title>'
        "<dc:creator>Office</dc:creator></cp:coreProperties>"
    )
    app = (
        '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/'
        'extended-properties"><Pages>12</Pages></Properties>'
    )
    links = {
        "word/document.xml": "officeDocument",
        "docProps/core.xml": "core-properties",
        "docProps/app.xml": "extended-properties",
    }
    files = {"_rels/.rels": relations(links), "docProps/core.xml": core, "docProps/app.xml": app}
    parsed = parse_docx(with_files(docx(para("Text.")), files))
    assert (parsed.title, parsed.page_count, parsed.metadata["author"]) == (
        "Admissions",
        12,
        "Office",
    )


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = docx(para("x" * 30_000_000))
    assert len(bomb) < 100_000
    with pytest.raises(Refused, match=r"unpacks to too much.*ZIP bomb") as caught:
        parse_docx(bomb)
    assert caught.value.kind == "too-big"


def test_the_parts_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.parse.docx_package._LARGEST_TOTAL", 1_000_000)
    body = para("Term time only. " * 30_000)
    assert parse_docx(docx(body)).text.startswith("Term time only.")
    bomb = docx(body, parts={"footnotes": part("w:footnotes", body), "header": part("w:hdr", body)})
    with pytest.raises(Refused, match="unpacks to too much") as caught:
        parse_docx(bomb)
    assert caught.value.kind == "too-big"


def test_an_honest_file_of_much_repetition_is_read() -> None:
    honest = docx(para("Term time only. " * 200_000))
    assert len(honest) * 200 < 3_200_000
    assert parse_docx(honest).text.startswith("Term time only. Term")


def test_a_file_of_too_many_parts_is_refused() -> None:
    crowd = with_files(docx(para("x")), {f"word/{number}.xml": "" for number in range(20_001)})
    with pytest.raises(Refused, match="parts allowed") as caught:
        parse_docx(crowd)
    assert caught.value.kind == "too-big"


def test_a_part_with_a_zip_password_is_refused_as_protected() -> None:
    data = bytearray(docx(para("secret")))
    for signature, flags_at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags_at] |= 1
            at = data.find(signature, at + 1)
    with pytest.raises(Refused, match="protected") as caught:
        parse_docx(bytes(data))
    assert caught.value.kind == "password"


def test_xml_entities_are_refused() -> None:
    laughs = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'
    package = zipped({"[Content_Types].xml": "x", "word/document.xml": laughs})
    with pytest.raises(Refused, match="defines XML entities") as caught:
        parse_docx(package)
    assert caught.value.kind == "corrupt"


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"[Content_Types].xml": "x"}, "without its main part"),
        ({"word/document.xml": "<w:document"}, "damaged Word file"),
    ],
)
def test_a_damaged_file_is_refused(files: dict[str, str], line: str) -> None:
    with pytest.raises(Refused, match=line) as caught:
        parse_docx(zipped(files))
    assert caught.value.kind == "corrupt"


def test_a_file_without_text_is_refused_as_empty() -> None:
    with pytest.raises(Refused, match="holds no text") as caught:
        parse_docx(docx(para("  ")))
    assert caught.value.kind == "empty"


def test_endless_nesting_is_refused_not_followed() -> None:
    depth = 3000
    body = "<w:ins>" * depth + para("deep") + "</w:ins>" * depth
    with pytest.raises(Refused, match="nested too deeply"):
        parse_docx(docx(body))
