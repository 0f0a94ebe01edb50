"""Word files: everything a reader of the final version sees, once and in order."""

import io
import zipfile

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
    assert text == "Contacts\n\nNorth | Taxi | 111\nBus | 222"


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


def test_clause_numbers_that_word_counts_are_in_the_text() -> None:
    text = text_of(
        numbered("Aims", 1, 0)
        + numbered("Scope", 1, 0)
        + numbered("Who it is for", 1, 1)
        + numbered("pupils", 1, 2)
        + numbered("staff", 1, 2)
        + numbered("How to complain", 1, 1)
        + para("Between.")
        + numbered("Review", 1, 0)
        + numbered("again from one", 3, 0)
        + numbered("a bullet", 2, 0),
        numbering=_NUMBERING,
    )
    assert text == (
        "1. Aims\n2. Scope\n2.1 Who it is for\n(a) pupils\n(b) staff\n2.2 How to complain\n\n"
        "Between.\n\n3. Review\n1. again from one\n- a bullet"
    )


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
    assert text == "well-being\nnext☒"


def test_fields_give_their_result_and_not_their_code() -> None:
    text = text_of(
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DATE </w:instrText>'
        f'</w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("1 May 2026")}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    assert text == "1 May 2026"


def test_an_equation_is_written_on_one_line() -> None:
    text = text_of(
        "<w:p><m:oMath><m:r><m:t>r=</m:t></m:r><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>2b</m:t></m:r></m:den></m:f></m:oMath></w:p>"
    )
    assert text == "r=a/2b"


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
    with zipfile.ZipFile(io.BytesIO(docx(para("Text.")))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["_rels/.rels"] = relations(
        {
            "word/document.xml": "officeDocument",
            "docProps/core.xml": "core-properties",
            "docProps/app.xml": "extended-properties",
        }
    ).encode()
    parsed = parse_docx(zipped({**files, "docProps/core.xml": core, "docProps/app.xml": app}))
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
