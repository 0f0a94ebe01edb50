"""Word files: text in reading order, as the final version shows it.

mammoth turns the document into HTML, which is read like any page's. Before, what mammoth passes
over is put into a form it knows and what nobody sees is taken out; notes are put behind the
paragraph they belong to. Page headers and footers, which mammoth skips, are converted apart.

Not read: equations, diagrams, the choice in an old-style drop-down field, and files embedded in
the document.
"""

import re
import zipfile
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import mammoth
from mammoth import documents

from ingest.parse.blocks import Block, assemble, first_heading
from ingest.parse.clean import clean_line
from ingest.parse.docx_numbering import MARK, number_paragraphs
from ingest.parse.docx_package import Package, child_of, damaged, local, outermost, value_of
from ingest.parse.html_walk import walk
from ingest.parse.result import Parsed, Refused

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VML = "{urn:schemas-microsoft-com:vml}"
# mammoth's own rules look for fewer names; its rules inside a file are a stranger's and not used.
_STYLE_MAP = "\n".join(
    ["p[style-name='Title'] => h1:fresh", "p[style-name='Heading'] => h1:fresh"]
    + [f"p[style-name='heading {n}'] => h{min(n, 6)}:fresh" for n in range(1, 10)]
)
# Elements mammoth passes over with all they hold, and its own names for such.
_RENAMED = {
    **dict.fromkeys(("fldSimple", "dir", "bdo", "ruby", "rubyBase"), "smartTag"),
    "cr": "br",
    "ptab": "tab",
}
# Pictures and readings above characters.
_DROPPED = frozenset(["pic", "imagedata", "docPr", "rt"])
# What is worth a remark when it is there.
_LOST = {
    "altChunk": "an embedded file inside the Word document was",
    "oMath": "the equations of the Word document were",
    "relIds": "the diagrams of the Word document were",
}
_FACTS = {"creator": "author", "created": "created", "modified": "modified"}
_HEADING_STYLE = re.compile(r"^heading ([1-9])$", re.IGNORECASE)
_PAGE_NUMBER_ONLY = re.compile(r"^\W*(?:page\W*)?\d*(?:\W*(?:of|/)\W*\d*)?\W*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_USELESS_TITLE = re.compile(
    r"^(?:untitled|document\d*|microsoft word|word document|title|template|blank)\b.{0,12}$"
    r"|\.(?:docx?|dotx?|pdf|rtf)$",
    re.IGNORECASE,
)


def parse_docx(data: bytes) -> Parsed:
    """The text of a Word file. Raises Refused for bombs, damaged and empty files."""
    package = Package(data)
    main = next(iter(package.related("", "officeDocument")), "word/document.xml")
    document = package.xml(main)
    if document is None:
        raise Refused(
            "corrupt", "a Word file without its main part: open it in Word and save it again"
        )
    names = {local(element.tag) for element in document.iter()}
    parts = {"document": document}
    for kind in ("styles", "numbering", "footnotes", "endnotes"):
        for name in package.related(main, kind)[:1]:
            root = package.xml(name)
            if root is not None:
                parts[kind] = root
    del document
    blocks = _convert(parts)
    seen = {clean_line(block.text) for block in blocks}
    heads = _margin(package, package.related(main, "header"), seen)
    feet = _margin(package, package.related(main, "footer"), seen)
    assembled = assemble([*heads, *blocks, *feet])
    if not assembled.text:
        raise Refused("empty", "the Word file holds no text: nothing to ingest")
    facts = package.facts()
    title, pages = facts.get("title"), facts.get("Pages", "")
    if not title or _USELESS_TITLE.search(title):
        title = first_heading(assembled.headings)
    return Parsed(
        text=assembled.text,
        file_type="docx",
        title=title,
        page_count=int(pages) if pages.isdecimal() and int(pages) > 0 else None,
        language=facts.get("language") or None,
        headings=assembled.headings,
        warnings=tuple(f"{what} not read" for name, what in _LOST.items() if name in names),
        metadata={kept: facts[name] for name, kept in _FACTS.items() if facts.get(name)},
    )


def _convert(parts: dict[str, Element]) -> list[Block]:
    """The blocks of a document given by its parts, which are used up to save memory."""
    spool = BytesIO()
    try:
        styles = parts.get("styles", ())
        settle = _settler(_heading_levels(styles))
        _tidy(parts["document"])
        # mammoth counts anew after any paragraph between: it gets no list to count
        number_paragraphs(parts["document"], parts.pop("numbering", None), styles)
        with zipfile.ZipFile(spool, "w") as archive:
            while parts:
                name, root = parts.popitem()
                if name != "document":
                    _tidy(root)
                archive.writestr(f"word/{name}.xml", ElementTree.tostring(root, "utf-8"))
                del root
        html = mammoth.convert_to_html(
            spool,
            transform_document=settle,
            convert_image=lambda _: [],
            style_map=_STYLE_MAP,
            include_default_style_map=False,
            include_embedded_style_map=False,
        ).value
    except RecursionError as error:
        raise Refused(
            "corrupt", "a Word file nested too deeply to read: open it in Word and save it again"
        ) from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # how mammoth fails on elements and attributes that are not where they must be
        raise damaged() from error
    # a hyphen that only keeps a line together is a hyphen to whoever searches
    page = walk(html.replace("\u2011", "-"))
    return [
        Block(
            block.text.replace(MARK, ""),
            kind="item" if block.kind == "text" and block.text.startswith(MARK) else block.kind,
            level=block.level,
        )
        for block in page.blocks
    ]


def _tidy(root: Element) -> None:
    """Take out what is hidden or a picture; rename and move what mammoth would pass over."""
    for element in list(root.iter()):
        name = local(element.tag)
        space = element.tag.removesuffix(name)
        if name in _RENAMED:
            element.tag = f"{space}{_RENAMED[name]}"
        elif name == "hyperlink":
            # where it leads is not text, and a broken link would make mammoth give up
            element.attrib.clear()
        elif name == "style":
            element.attrib.setdefault(f"{space}type", "paragraph")
        elif name == "AlternateContent":
            # one thing stored in several forms, the oldest last
            forms = [form for form in element if any(local(t.tag) == "t" for t in form.iter())]
            element[:] = [Element(f"{space}Fallback")]
            element[0].extend(forms[-1] if forms else ())
        elif name == "drawing" and (boxes := list(outermost(element, "txbxContent"))):
            # a text box as Word 2010 writes it, made one of Word 2007
            element.tag = f"{_W}pict"
            element[:] = [Element(f"{_VML}textbox")]
            element[0].extend(boxes)
        element[:] = [child for child in element if not _unseen(child)]


def _unseen(element: Element) -> bool:
    """Whether it is a picture, hidden text or a control that still shows its prompt."""
    name = local(element.tag)
    if name not in ("r", "sdt"):
        return name in _DROPPED
    properties, mark = ("rPr", "vanish") if name == "r" else ("sdtPr", "showingPlcHdr")
    found = child_of(child_of(element, properties), mark)
    return found is not None and value_of(found) not in ("0", "false", "off")


def _heading_levels(styles: Iterable[Element]) -> dict[str, int]:
    """The level of each style that is a heading or built upon one, by its id."""
    levels: dict[str, int] = {}
    bases: dict[str, str] = {}
    for style in styles:
        name = value_of(style, "styleId")
        outline = value_of(child_of(child_of(style, "pPr"), "outlineLvl"))
        if match := _HEADING_STYLE.match(value_of(child_of(style, "name"))):
            levels[name] = int(match.group(1))
        elif outline.isdecimal():
            levels[name] = int(outline) + 1
        else:
            bases[name] = value_of(child_of(style, "basedOn"))
    # a chain of styles is short, and one that bites its tail ends here too
    for _ in range(10):
        levels |= {name: levels[base] for name, base in bases.items() if base in levels}
    return levels


def _settler(levels: dict[str, int]) -> Callable[[Any], Any]:
    """What turns mammoth's document into one with headings named and notes in their places."""
    notes: dict[tuple[str, str], Any] = {}
    due: list[tuple[str, str]] = []

    def settled(element: Any) -> list[Any]:  # noqa: ANN401 - untyped
        if isinstance(element, documents.NoteReference):
            due.append((element.note_type, element.note_id))
            return []
        if isinstance(element, documents.Checkbox):
            return [documents.text("☒" if element.checked else "☐")]
        if not isinstance(element, documents.HasChildren):
            return [element]
        inner = [new for child in element.children for new in settled(child)]
        if not isinstance(element, documents.Paragraph):
            return [element.copy(children=inner)]
        level = levels.get(element.style_id)
        name = f"heading {level}" if level else element.style_name
        around = [element.copy(children=inner, style_name=name)]
        referred, due[:] = list(due), []
        for key in referred:
            note = notes.pop(key, None)
            around += [new for child in note.body for new in settled(child)] if note else []
        return around

    def settle(document: Any) -> Any:  # noqa: ANN401 - untyped
        notes.update(document.notes._notes)
        return settled(document)[0]

    return settle


def _margin(package: Package, names: list[str], seen: set[str]) -> list[Block]:
    """Page headers or footers once each, without page numbers and what the text says anyway."""
    body = Element(f"{_W}body")
    for name in names:
        root = package.xml(name)
        body.extend(root if root is not None else ())
    document = Element(f"{_W}document")
    document.append(body)
    found: list[Block] = []
    for block in _convert({"document": document}) if names else ():
        text = clean_line(block.text)
        # the same words with another chapter's page number are the same header
        key = _NUMBER.sub("#", text).casefold()
        if not (text in seen or key in seen or _PAGE_NUMBER_ONLY.match(text)):
            seen.add(key)
            found.append(Block(text))
    return found
