"""Sample documents as PDF, with running head and foot. The same document gives the same bytes."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, StyleSheet1, getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import (
    Flowable,
    ListFlowable,
    ListItem,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus import Paragraph as PdfParagraph

from ingest.samples.source import Block, Grid, Heading, Listing, Paragraph, Sample, SampleError

_MARGIN = 22 * mm
_FOOT = 12 * mm


def as_pdf(sample: Sample, *, site: str) -> bytes:
    """A4 pages; raises `SampleError` for a character that the built-in fonts lack."""
    _check_characters(sample)
    styles = getSampleStyleSheet()
    written = BytesIO()
    document = SimpleDocTemplate(
        written,
        pagesize=A4,
        leftMargin=_MARGIN, rightMargin=_MARGIN, topMargin=28 * mm, bottomMargin=25 * mm,
        title=sample.title,
        author=site,
        invariant=1,  # no date, no random identifier
    )  # fmt: skip

    def draw_edges(canvas: Any, _: Any) -> None:  # noqa: ANN401 - reportlab has no types
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.setFillGray(0.35)
        canvas.drawString(_MARGIN, A4[1] - 15 * mm, site)
        canvas.drawString(_MARGIN, _FOOT, f"Effective {sample.effective_date.isoformat()}")
        canvas.drawRightString(A4[0] - _MARGIN, _FOOT, f"Page {canvas.getPageNumber()}")
        canvas.restoreState()

    flow = [flowable for block in sample.blocks for flowable in _flowables(block, styles)]
    document.build(flow, onFirstPage=draw_edges, onLaterPages=draw_edges)
    return written.getvalue()


def _check_characters(sample: Sample) -> None:
    # a missing glyph would be drawn as a box and read back as something else
    for text in (sample.title, *sample.texts):
        try:
            text.encode("cp1252")
        except UnicodeEncodeError as error:
            raise SampleError(
                f'{sample.path}: "{text[error.start]}" is not in the fonts of a PDF. '
                "Write it another way or choose another format"
            ) from None


def _flowables(block: Block, styles: StyleSheet1) -> Iterator[Flowable]:
    match block:
        case Heading(level=level, text=text):
            yield PdfParagraph(escape(text), styles[f"Heading{level}"])
        case Paragraph(text=text):
            yield PdfParagraph(escape(text), styles["BodyText"])
        case Listing(numbered=numbered, items=items):
            body = styles["BodyText"]
            yield ListFlowable(
                [ListItem(PdfParagraph(escape(item), body)) for item in items],
                bulletType="1" if numbered else "bullet",
                bulletFormat="%s." if numbered else None,
                bulletFontSize=10 if numbered else 8,
            )
        case Grid():
            yield Spacer(0, 2 * mm)
            yield _table(block, styles["BodyText"])
            yield Spacer(0, 3 * mm)


def _table(grid: Grid, style: ParagraphStyle) -> Table:
    cells = [
        [PdfParagraph(f"<b>{escape(cell)}</b>", style) for cell in grid.header],
        *([PdfParagraph(escape(cell), style) for cell in row] for row in grid.rows),
    ]
    width = (A4[0] - 2 * _MARGIN) / len(grid.header)
    table = Table(cells, colWidths=[width] * len(grid.header), repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
                ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
        )
    )
    return table
