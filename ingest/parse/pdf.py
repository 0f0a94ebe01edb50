"""PDF files through PDFium: text of each page, form values, what is missing and why."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pypdfium2 import PdfDocument, PdfiumError, PdfPage

from ingest.parse.blocks import assemble, first_heading
from ingest.parse.clean import clean_line
from ingest.parse.pdf_forms import form_values
from ingest.parse.pdf_layout import PageLines, blocks_of, remove_running_lines
from ingest.parse.pdf_lines import read_lines
from ingest.parse.pdf_rules import read_rules
from ingest.parse.pdf_tables import join_cells
from ingest.parse.quality import reads_like_a_bad_scan
from ingest.parse.result import Heading, Parsed, Refused

_PASSWORD_NEEDED = (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)
_XFA_NOTICE = "Please wait..."
# A page with a picture and fewer characters than this is a scan with a stamp or page number.
_FEWEST_CHARACTERS = 20
_UNMAPPED_SHARE = 0.2
_LARGE_PICTURE = 0.3
_FULL_PAGE = 0.6
_MOST_IMAGES = 200
_MOST_PAGES = 10_000
_TITLE_REACH = 1500
_LONGEST_LANGUAGE = 35
_DATE = re.compile(r"^D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)?(\d\d)?)?(Z|[+-]\d\d'?\d\d'?)?")
_USELESS_TITLE = re.compile(
    r"^(?:untitled|anonymous|\(anonymous\)|unspecified|microsoft \w+ - |powerpoint presentation"
    r"|document\d*$|slide 1$|layout 1$|print$)"
    r"|\.(?:docx?|pdf|indd|qxd|pptx?|xlsx?|rtf|jpe?g|tiff?)$",
    re.IGNORECASE,
)


def parse_pdf(data: bytes) -> Parsed:
    """The text of a PDF. Raises Refused for protected, damaged and scanned files."""
    document = _open(data)
    try:
        read = [_read_page(document, number) for number in range(1, len(document) + 1)]
        values = form_values(document)
        is_xfa = document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL
        facts = _facts(document)
        language = _language(document)
    finally:
        document.close()
    pages = [page.lines for page in read]
    scanned = [page.lines.number for page in read if page.only_picture]
    if not values and (not any(page.lines for page in pages) or len(scanned) == len(pages)):
        raise _no_text(scanned, len(pages))
    remove_running_lines(pages)
    # what was typed into a page's fields follows its text
    blocks = sorted([*blocks_of(pages), *values], key=lambda block: block.page or 0)
    assembled = assemble(blocks, page_count=len(pages))
    if not assembled.text:
        raise _no_text(scanned, len(pages))
    if is_xfa and assembled.text.startswith(_XFA_NOTICE):
        raise Refused(
            "no-text",
            "an XFA form that only Adobe Reader can show: open it there and print it to PDF",
        )
    warnings = _warnings(scanned, len(pages))
    quality = _quality(assembled.text, read)
    if quality:
        warnings.append(quality)
    title = facts.pop("title", None)
    if title and _USELESS_TITLE.search(title):
        title = None
    return Parsed(
        text=assembled.text,
        file_type="pdf",
        title=title or _largest_heading(assembled.headings),
        pages=assembled.pages,
        page_count=len(pages),
        language=language,
        headings=assembled.headings,
        warnings=tuple(warnings),
        metadata={
            **facts,
            "pages_without_text": scanned,
            **({"low_quality": True} if quality else {}),
        },
    )


def _open(data: bytes) -> PdfDocument:
    try:
        document = pdfium.PdfDocument(data)
        if len(document) == 0:
            document.close()
            raise Refused("corrupt", "a PDF without pages: download or save it again")
        if len(document) > _MOST_PAGES:
            count = len(document)
            document.close()
            raise Refused(
                "too-big",
                f"a PDF of {count} pages, more than the {_MOST_PAGES} allowed: "
                "split it into smaller files",
            )
    except PdfiumError as error:
        if getattr(error, "err_code", None) in _PASSWORD_NEEDED:
            raise Refused(
                "password",
                "password protected PDF: open it with its password and save it without one",
            ) from error
        raise Refused(
            "corrupt", "a damaged PDF that cannot be opened: download or save it again"
        ) from error
    return document


@dataclass(frozen=True, slots=True)
class _Read:
    """What one page gave. `picture` is the share of it that images cover."""

    lines: PageLines
    characters: int = 0
    unmapped: int = 0
    picture: float = 0.0

    @property
    def only_picture(self) -> bool:
        if self.characters == 0:
            return self.picture > 0
        return self.characters < _FEWEST_CHARACTERS and self.picture > _LARGE_PICTURE

    @property
    def scan_with_text(self) -> bool:
        return self.characters >= _FEWEST_CHARACTERS and self.picture > _FULL_PAGE


def _read_page(document: PdfDocument, number: int) -> _Read:
    # one damaged page does not take the others with it: it counts as one that could not be read
    unreadable = _Read(PageLines(number, 0.0, 0.0, []), picture=1.0)
    try:
        page = document[number - 1]
    except PdfiumError:
        return unreadable
    try:
        rules = read_rules(page)
        text_page = page.get_textpage()
        try:
            text = read_lines(text_page, rules)
        finally:
            text_page.close()
        left, bottom, right, top = page.get_bbox()
        table_lines = join_cells(text.lines, rules)
        lines = PageLines(number, min(bottom, top), max(bottom, top), table_lines)
        picture = _pictured(page, abs((right - left) * (top - bottom)))
        return _Read(lines, text.characters, text.unmapped, picture)
    except PdfiumError:
        return unreadable
    finally:
        page.close()


def _pictured(page: PdfPage, area: float) -> float:
    """The share of the page that images cover; scanners cut pages into strips."""
    images = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=4)
    covered = 0.0
    for image in islice(images, _MOST_IMAGES):
        left, bottom, right, top = image.get_bounds()
        covered += abs((right - left) * (top - bottom)) / max(area, 1.0)
    return min(covered, 1.0)


def _no_text(scanned: Sequence[int], count: int) -> Refused:
    if scanned:
        return Refused(
            "no-text",
            f"scanned PDF: {_pages(scanned, count)} only images without text: "
            "run OCR on the file and ingest the result",
        )
    return Refused("no-text", f"the PDF's {_plural(count)} no text at all: nothing to ingest")


def _warnings(scanned: Sequence[int], count: int) -> list[str]:
    if not scanned:
        return []
    return [
        f"{len(scanned)} of {count} pages hold only images ({_ranges(scanned)}): their text is "
        "missing; run OCR on the file to get it"
    ]


def _quality(text: str, pages: Sequence[_Read]) -> str | None:
    """A warning when the text is probably not what the page shows."""
    characters = sum(page.characters for page in pages)
    if sum(page.unmapped for page in pages) > _UNMAPPED_SHARE * characters:
        return (
            "the PDF's fonts do not say which letters they show: the text is probably garbled; "
            "run OCR on the file"
        )
    scans = sum(page.scan_with_text for page in pages)
    if scans > 0.5 * len(pages) and reads_like_a_bad_scan(text):
        return "the text under the scanned pages is mostly not words: run OCR on the file again"
    return None


def _largest_heading(headings: Sequence[Heading]) -> str | None:
    """The largest heading near the beginning, where a PDF has its title."""
    near = [heading for heading in headings if heading.start < _TITLE_REACH]
    return first_heading(sorted(near, key=lambda heading: heading.level))


def _pages(numbers: Sequence[int], count: int) -> str:
    if count == 1:
        return "its one page holds"
    if len(numbers) == count:
        return f"all {count} pages hold"
    return f"{_ranges(numbers)} of {count} hold"


def _plural(count: int) -> str:
    return "one page holds" if count == 1 else f"{count} pages hold"


def _ranges(numbers: Sequence[int]) -> str:
    """Page numbers as people write them: `pages 1-3, 7`."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in spans[:12]]
    if len(spans) > 12:
        shown.append("...")
    return ("page " if len(numbers) == 1 else "pages ") + ", ".join(shown)


def _facts(document: PdfDocument) -> dict[str, str]:
    wanted = {
        "Title": "title",
        "Author": "author",
        "Creator": "creator",
        "Producer": "producer",
        "CreationDate": "created",
        "ModDate": "modified",
    }
    found = document.get_metadata_dict(skip_empty=True)
    facts = {
        wanted[name]: value
        for name, raw in found.items()
        if name in wanted and (value := clean_line(raw)[:500])
    }
    for name in ("created", "modified"):
        if name in facts:
            facts[name] = _iso_date(facts[name])
    return facts


def _iso_date(written: str) -> str:
    """A date as PDFs write it, `D:20260501103000+01'00'`, as ISO 8601; any other as it is."""
    match = _DATE.match(written)
    if match is None:
        return written
    year, month, day, *clock = match.groups()
    hour, minute, second, zone = clock
    if hour is None:
        return "-".join(part for part in (year, month, day) if part)
    zone = "+00:00" if zone == "Z" else re.sub(r"^(.\d\d)'?(\d\d).*$", r"\1:\2", zone or "")
    return f"{year}-{month}-{day}T{hour}:{minute or '00'}:{second or '00'}{zone}"


def _language(document: PdfDocument) -> str | None:
    """The language that the document says it is in, such as `en-GB`."""
    size = pdfium_c.FPDFCatalog_GetLanguage(document.raw, None, 0)
    if not 2 < size <= 2 * _LONGEST_LANGUAGE:
        return None
    buffer = (pdfium_c.FPDF_WCHAR * (size // 2))()
    pdfium_c.FPDFCatalog_GetLanguage(document.raw, buffer, size)
    return clean_line("".join(map(chr, buffer[: size // 2 - 1]))) or None
