"""A table of a PDF keeps what stands in one row together, whatever its cells run over."""

import io
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from ingest.parse.pdf import parse_pdf
from ingest.parse.pdf_lines import Cell, Line
from ingest.parse.pdf_rules import Rule, Rules
from ingest.parse.pdf_tables import join_cells
from tests.ingest.parse.makers import GRID, table_pdf

FEES = (
    ("Service", "Who it is for", "Fee and when it is due"),
    (
        "Home to school transport for pupils with special needs",
        "Children of school age who live in the county and cannot walk",
        "£12 a week, due on the first Monday of each month",
    ),
    ("Mediation", "Parents who disagree with a decision of the authority", "Free"),
    ("Short breaks", "Families of disabled children", "£5 an hour"),
)
TOP = ("VALIGN", (0, 0), (-1, -1), "TOP")
MIDDLE = ("VALIGN", (0, 0), (-1, -1), "MIDDLE")


def rows_of(
    rows: Sequence[Sequence[str]], widths: Sequence[float], *style: tuple[object, ...]
) -> list[str]:
    """The lines between the two paragraphs around the table."""
    before, _, rest = parse_pdf(table_pdf(rows, widths, style)).text.partition("costs:\n\n")
    inside, _, after = rest.partition("\n\nThe council may change")
    assert before.strip() == "What it"
    assert after
    return inside.split("\n")


@pytest.mark.parametrize(
    "style",
    [(GRID, TOP), (GRID, MIDDLE), (TOP,), (MIDDLE,)],
    ids=["ruled", "ruled, middle", "no rules", "no rules, middle"],
)
def test_wrapped_cells_of_a_row_stay_with_their_row(style: tuple[tuple[object, ...], ...]) -> None:
    assert rows_of(FEES, (140, 160, 150), *style) == [" | ".join(row) for row in FEES]


def test_a_ruled_row_that_stands_alone_is_a_row() -> None:
    assert rows_of(FEES[1:2], (140, 160, 150), GRID, TOP) == [" | ".join(FEES[1])]


def test_long_cells_below_a_rule_are_cells() -> None:
    long = "The school tells the parents in writing what it has decided and whom to call. " * 8
    rows = [("Who", "What"), ("The head teacher of the school", long.strip()), ("Staff", "Help.")]
    assert rows_of(rows, (80, 200), GRID, TOP) == [" | ".join(row) for row in rows]


def test_narrow_columns_are_parted_by_their_rule() -> None:
    rows = [("Under eight", "2 miles"), ("Eight and over", "3 miles")]
    assert rows_of(rows, (72, 60), GRID) == ["Under eight | 2 miles", "Eight and over | 3 miles"]


def test_an_empty_cell_keeps_the_columns_apart() -> None:
    rows = [
        ("Area", "Taxi", "Bus"),
        ("North", "", "yes, on each day of the week"),
        ("South", "yes", "no"),
    ]
    assert rows_of(rows, (80, 80, 80), GRID) == [
        "Area | Taxi | Bus",
        "North |  | yes, on each day of the week",
        "South | yes | no",
    ]


def test_a_cell_over_several_rows_gives_its_text_once() -> None:
    rows = [
        ("Area", "Service", "Phone"),
        ("North", "Taxi for those who cannot walk far", "111"),
        ("", "Bus", "222"),
    ]
    assert rows_of(rows, (60, 90, 60), GRID, MIDDLE, ("SPAN", (0, 1), (0, 2))) == [
        "Area | Service | Phone",
        "North | Taxi for those who cannot walk far | 111",
        "Bus | 222",
    ]


def test_figures_set_to_the_right_belong_to_the_name_beside_them() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    y = 700
    for lines, figure in (
        (("Name",), "Amount of the grant"),
        (("A very long name that", "wraps over"), "12"),
        (("Short",), "1,200"),
        (("Another long name", "that wraps over"), "300"),
    ):
        for number, line in enumerate(lines):
            canvas.drawString(72, y - 13 * number, line)
        canvas.drawRightString(330, y, figure)
        y -= 13 * len(lines) + 9
    canvas.save()
    assert parse_pdf(spool.getvalue()).text == (
        "Name | Amount of the grant\nA very long name that wraps over | 12\nShort | 1,200\n"
        "Another long name that wraps over | 300"
    )


def test_columns_of_prose_are_no_table() -> None:
    spool = io.BytesIO()
    canvas = Canvas(spool, pagesize=A4)
    canvas.drawString(72, 760, "Newsletter of the school")
    canvas.drawRightString(520, 760, "Spring")
    for left, name in ((72, "first"), (310, "second")):
        for number in range(20):
            canvas.drawString(
                left, 740 - 13 * number, f"line {number:02} of the {name} column is here,"
            )
    canvas.save()
    text = parse_pdf(spool.getvalue()).text
    assert " | line" not in text
    assert text.index("line 19 of the first") < text.index("line 00 of the second")


@st.composite
def laid_lines(draw: st.DrawFn) -> list[Line]:
    """Lines of one to four cells anywhere on a page; each word is there once."""
    lines = []
    for number in range(draw(st.integers(0, 25))):
        bottom = draw(st.integers(0, 30)) * 6.0
        edges = sorted(draw(st.sets(st.integers(0, 12), min_size=2, max_size=5)))
        cells = tuple(
            Cell(f"w{number}x{at}", 40.0 * left, 40.0 * right - 10)
            for at, (left, right) in enumerate(pairwise(edges))
        )
        lines.append(
            Line(
                text=" | ".join(cell.text for cell in cells),
                left=cells[0].left,
                right=cells[-1].right,
                bottom=bottom,
                top=bottom + 10,
                size=10,
                cells=cells,
                row=len(cells) > 1,
                upright=draw(st.integers(0, 9)) > 0,
            )
        )
    return lines


rules = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(200, 500)), max_size=12
).map(lambda found: tuple(sorted((float(a), float(b), float(c)) for a, b, c in found)))


@given(laid_lines(), rules, rules)
def test_no_word_is_lost_or_doubled_wherever_the_lines_stand(
    lines: list[Line], level: tuple[Rule, ...], upright: tuple[Rule, ...]
) -> None:
    made = join_cells(lines, Rules(level, upright))
    words = [word for line in made for word in line.text.replace("|", " ").split()]
    assert sorted(words) == sorted(cell.text for line in lines for cell in line.cells)
