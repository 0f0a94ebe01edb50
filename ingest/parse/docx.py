"""Word files: text in reading order, as the final version shows it.

Read straight from the XML with the standard library. A converter to HTML (mammoth) was tried
first: it loses the clause numbers Word counts, page headers, equations and text boxes that come
without a fallback, and takes ten times as long.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ingest.parse.blocks import Block, assemble, first_heading
from ingest.parse.clean import clean_line
from ingest.parse.docx_body import Body
from ingest.parse.docx_package import Package
from ingest.parse.result import Parsed, Refused

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
    main = _main_part(package)
    root = package.xml(main)
    if root is None:
        raise Refused(
            "corrupt", "a Word file without its main part: open it in Word and save it again"
        )
    try:
        body = Body(package, main)
        blocks = list(body.blocks_of(root))
        texts = {block.text for block in blocks}
        heads, feet = _heads_and_feet(body, texts)
    except RecursionError as error:
        raise Refused(
            "corrupt", "a Word file nested too deeply to read: open it in Word and save it again"
        ) from error
    assembled = assemble([*heads, *blocks, *feet])
    if not assembled.text:
        raise Refused("empty", "the Word file holds no text: nothing to ingest")
    facts = _facts(package)
    pages = facts.pop("pages", "")
    title = facts.pop("title", None)
    if title and _USELESS_TITLE.search(title):
        title = None
    return Parsed(
        text=assembled.text,
        file_type="docx",
        title=title or body.title or first_heading(assembled.headings),
        page_count=int(pages) if pages.isdecimal() and int(pages) > 0 else None,
        language=facts.pop("language", None),
        headings=assembled.headings,
        warnings=tuple(body.warnings),
        metadata=dict(facts),
    )


def _main_part(package: Package) -> str:
    for relation in package.relations("").values():
        if relation.kind == "officeDocument" and package.has(relation.target):
            return relation.target
    return "word/document.xml"


def _heads_and_feet(body: Body, texts: set[str]) -> tuple[list[Block], list[Block]]:
    """Page headers and footers once each, without page numbers and what the text says anyway."""
    heads: list[Block] = []
    feet: list[Block] = []
    seen: set[str] = set()
    for kind, found in (("header", heads), ("footer", feet)):
        for block in body.parts_of_kind(kind):
            text = clean_line(block.text)
            # the same words with another chapter's page number are the same header
            key = _NUMBER.sub("#", text).casefold()
            if text in texts or key in seen or _PAGE_NUMBER_ONLY.match(text):
                continue
            seen.add(key)
            found.append(Block(text))
    return heads, feet


def _facts(package: Package) -> dict[str, str]:
    """Title, author, dates, language and page count, as far as the file says."""
    facts: dict[str, str] = {}
    wanted = {
        "dc:title": "title",
        "dc:creator": "author",
        "dc:language": "language",
        "dcterms:created": "created",
        "dcterms:modified": "modified",
        "ep:Pages": "pages",
    }
    for relation in package.relations("").values():
        if relation.kind not in ("core-properties", "extended-properties", "extendedProperties"):
            continue
        for name, value in _texts(package, package.xml(relation.target)):
            if name in wanted and value:
                facts.setdefault(wanted[name], value)
    return facts


def _texts(package: Package, root: Element | None) -> Iterator[tuple[str, str]]:
    for element in root if root is not None else ():
        yield package.name(element), clean_line(element.text or "")[:500]
