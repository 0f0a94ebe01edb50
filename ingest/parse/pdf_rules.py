"""The straight lines drawn on a PDF page: what parts the cells of a table."""

import ctypes
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pypdfium2.raw as pdfium_c
from pypdfium2 import PdfPage

# Drawings and maps have many more, and no table is among them.
_MOST_PATHS = 3000
_MOST_SEGMENTS = 10_000
_SLANT = 1.0
_SHORTEST = 4.0


# Where a line stands, and from where to where it runs along the other axis.
Rule = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Rules:
    """The level and upright rules of a page, in PDF units, in order of their places."""

    level: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()

    def between_lines(self, above: float, below: float, x: float) -> bool:
        """Whether a level rule passes over `x` between two heights."""
        return _any_between(self.level, below, above, x)

    def between_words(self, left: float, right: float, y: float) -> bool:
        """Whether an upright rule passes through height `y` between two places."""
        return _any_between(self.upright, left, right, y)


def _any_between(rules: Sequence[Rule], low: float, high: float, along: float) -> bool:
    for at, start, end in islice(rules, bisect_left(rules, (low, low, low)), None):
        if at > high:
            return False
        if start <= along <= end:
            return True
    return False


def read_rules(page: PdfPage) -> Rules:
    """The rules of a page: borders of cells, frames, edges of shaded boxes."""
    level: list[Rule] = []
    upright: list[Rule] = []
    paths = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_PATH], max_depth=1)
    left = _MOST_SEGMENTS
    for path in islice(paths, _MOST_PATHS):
        left -= pdfium_c.FPDFPath_CountSegments(path.raw)
        if left < 0:
            break
        for (x, y), (to_x, to_y) in _strokes(path.raw):
            if abs(y - to_y) <= _SLANT and abs(x - to_x) >= _SHORTEST:
                level.append(((y + to_y) / 2, min(x, to_x), max(x, to_x)))
            elif abs(x - to_x) <= _SLANT and abs(y - to_y) >= _SHORTEST:
                upright.append(((x + to_x) / 2, min(y, to_y), max(y, to_y)))
    return Rules(tuple(sorted(level)), tuple(sorted(upright)))


_Point = tuple[float, float]


def _strokes(path: pdfium_c.FPDF_PAGEOBJECT) -> Iterator[tuple[_Point, _Point]]:
    """The straight pieces of a path, in the coordinates of the page."""
    matrix = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix)):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    start: _Point | None = None
    here: _Point | None = None
    for index in range(pdfium_c.FPDFPath_CountSegments(path)):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, index)
        if not pdfium_c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            return
        there = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = there
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO and here is not None:
            yield here, there
        here = there
        if pdfium_c.FPDFPathSegment_GetClose(segment) and start is not None:
            yield here, start
