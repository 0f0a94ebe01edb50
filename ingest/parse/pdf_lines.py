"""The lines of a PDF page with their places, read character by character from PDFium."""

import ctypes
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2.raw as pdfium_c
from pypdfium2 import PdfTextPage

from ingest.parse.pdf_rules import Rules

# PDFium writes a hyphen at the end of a line as this character and leaves out the line break.
_HYPHEN = 0x02
_LINE_ENDS = (0x0A, 0x0D)
_ALEFS = frozenset("اأإآٱ")
_LAM = "ل"
# In units of the font's size. The blanks of justified text stay below it.
_WIDE_GAP = 1.8
# The dots of a table of contents.
_LEADER = re.compile(r"(?:[.\u2026] ?){4,}")
# A number or bullet set off by a wide blank begins a list item, not a table row.
_LABEL = re.compile(
    r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,3}(?:\.\d{1,3})+\.?|[^\w\s(\"'“‘£$€]"
)
# Text that a font maps to nothing known comes out as control and private-use characters.
_PRIVATE = range(0xE000, 0xF900)


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a line between wide gaps, and where it begins and ends."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page in PDF units, origin at the bottom left.

    `size` is the font's as it appears, `cells` are its pieces where wide gaps part it, `row` says
    that it is the row of a table.
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float = 0.0
    bold: bool = False
    cells: tuple[Cell, ...] = ()
    row: bool = False
    hyphen: bool = False
    upright: bool = True

    @property
    def height(self) -> float:
        """The height of the font's box, which differs between fonts of one size."""
        return self.top - self.bottom


@dataclass(frozen=True, slots=True)
class PageText:
    """The lines of a page in PDFium's reading order, and how many characters made no sense."""

    lines: list[Line]
    characters: int
    unmapped: int


class _Boxes:
    """Reusable places for what PDFium writes back."""

    def __init__(self, page: PdfTextPage) -> None:
        self._raw = page.raw
        self._tight = [ctypes.c_double() for _ in range(4)]
        self._refs = [ctypes.byref(value) for value in self._tight]
        self._loose = pdfium_c.FS_RECTF()
        self._loose_ref = ctypes.byref(self._loose)
        self._matrix = pdfium_c.FS_MATRIX()
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(128)

    def tight(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom, top of a glyph."""
        pdfium_c.FPDFText_GetCharBox(self._raw, index, *self._refs)
        left, right, bottom, top = (value.value for value in self._tight)
        return left, right, bottom, top

    def loose(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom, top of the font's box around a glyph."""
        pdfium_c.FPDFText_GetLooseCharBox(self._raw, index, self._loose_ref)
        return self._loose.left, self._loose.right, self._loose.bottom, self._loose.top

    def size(self, index: int) -> float:
        """The font size as it appears: some files set size 1 and scale it up."""
        size: float = pdfium_c.FPDFText_GetFontSize(self._raw, index)
        if pdfium_c.FPDFText_GetMatrix(self._raw, index, ctypes.byref(self._matrix)):
            size *= math.hypot(self._matrix.b, self._matrix.d) or 1.0
        return size

    def bold(self, index: int) -> bool:
        """Whether the glyph's font is a bold one, by its name."""
        size = pdfium_c.FPDFText_GetFontInfo(
            self._raw, index, self._name, len(self._name), ctypes.byref(self._flags)
        )
        name = self._name.raw[: max(size - 1, 0)].lower()
        return b"bold" in name or b"black" in name or b"heavy" in name


def read_lines(page: PdfTextPage, rules: Rules) -> PageText:
    """The lines of a page, parted where a gap is wide or a rule stands in it."""
    raw = page.raw
    count = pdfium_c.FPDFText_CountChars(raw)
    codes = [pdfium_c.FPDFText_GetUnicode(raw, index) for index in range(count)]
    boxes = _Boxes(page)
    if any(0x0600 <= code <= 0x06FF for code in codes):
        _mend_lam_alef(codes, boxes)
    lines: list[Line] = []
    start = 0
    for index, code in enumerate([*codes, 0x0A]):
        if code in _LINE_ENDS or code == _HYPHEN:
            line = _line(codes[start:index], start, boxes, rules, hyphen=code == _HYPHEN)
            if line is not None:
                lines.append(line)
            start = index + 1
    visible = [index for index, code in enumerate(codes) if code > 0x20 and code != 0xA0]
    # one in four tells enough, and asking takes as long as reading
    step = 4 if len(visible) > 400 else 1
    unmapped = step * sum(
        1
        for index in visible[::step]
        if codes[index] in _PRIVATE or pdfium_c.FPDFText_HasUnicodeMapError(raw, index) == 1
    )
    return PageText(lines, len(visible), unmapped)


def _line(
    codes: Sequence[int], start: int, boxes: _Boxes, rules: Rules, *, hyphen: bool
) -> Line | None:
    visible = [index for index, code in enumerate(codes) if code > 0x20 and code != 0xA0]
    if not visible:
        return None
    first, last = start + visible[0], start + visible[-1]
    left, right, bottom, top = boxes.loose(first)
    end_left, end_right, end_bottom, end_top = boxes.loose(last)
    # a line that climbs more than it runs is on a turned page or set vertically
    upright = last == first or abs(end_right - left) >= abs(end_bottom - bottom)
    # a line may begin or end in another size: a large initial, a footnote mark
    middle = start + visible[len(visible) // 2]
    size = sorted((boxes.size(first), boxes.size(middle), boxes.size(last)))[1]
    gaps = _wide_gaps(codes, start, boxes, rules, size or top - bottom) if upright else []
    cells = _cells(codes, start, gaps, boxes)
    if not cells:
        return None
    return Line(
        text=" | ".join(cell.text for cell in cells),
        left=min(left, end_left),
        right=max(right, end_right),
        bottom=bottom if upright else min(bottom, end_bottom),
        top=top if upright else max(top, end_top),
        size=size,
        bold=boxes.bold(first) and boxes.bold(last),
        cells=cells,
        row=len(cells) > 1,
        hyphen=hyphen,
        upright=upright,
    )


def _wide_gaps(
    codes: Sequence[int], start: int, boxes: _Boxes, rules: Rules, size: float
) -> list[int]:
    """Where blanks are no space between words, wide or with a rule in it: their places."""
    gaps: list[int] = []
    for index in range(1, len(codes) - 1):
        if codes[index] not in (0x20, 0xA0) or codes[index - 1] in (0x20, 0xA0):
            continue
        after = index + 1
        while after < len(codes) and codes[after] in (0x20, 0xA0):
            after += 1
        if after == len(codes):
            break
        _, ends, bottom, top = boxes.tight(start + index - 1)
        begins = boxes.tight(start + after)[0]
        if begins - ends > _WIDE_GAP * size or (
            rules.upright and rules.between_words(ends, begins, (bottom + top) / 2)
        ):
            gaps.append(index)
    return gaps


def _cells(
    codes: Sequence[int], start: int, gaps: Sequence[int], boxes: _Boxes
) -> tuple[Cell, ...]:
    """The pieces of a line. A label, such as a bullet, is one with what it labels."""
    cells: list[Cell] = []
    for begin, end in pairwise([0, *gaps, len(codes)]):
        text = "".join(map(_character, codes[begin:end])).strip()
        text = _LEADER.sub("… ", text).strip()
        if not text:
            continue
        visible = [index for index in range(begin, end) if codes[index] > 0x20]
        left = boxes.tight(start + visible[0])[0]
        right = boxes.tight(start + visible[-1])[1]
        if len(cells) == 1 and _LABEL.fullmatch(cells[0].text):
            cells = [Cell(f"{cells[0].text} {text}", cells[0].left, right)]
        else:
            cells.append(Cell(text, left, right))
    return tuple(cells)


def _character(code: int) -> str:
    return chr(code) if 0x1F < code <= 0x10FFFF or code == 0x09 else ""


def _mend_lam_alef(codes: list[int], boxes: _Boxes) -> None:
    """Put lam before alef where one glyph shows both: PDFium turns the pair round."""
    for index in range(len(codes) - 1):
        if chr(codes[index + 1]) == _LAM and chr(codes[index]) in _ALEFS:
            here, there = boxes.tight(index), boxes.tight(index + 1)
            if here == there and here[1] > here[0]:
                codes[index], codes[index + 1] = codes[index + 1], codes[index]
