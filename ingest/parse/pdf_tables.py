"""Cells of tables that run over several lines, put together again.

A PDF knows no tables. Whoever writes one sets cell after cell, row after row, and so the pieces
come: down the lines of a cell, up and to the right to the next cell, down and back to the left to
the next row. Columns of prose make the same moves, but once a page and after many lines. So it
takes rules around a row, or two rows in the same columns, of cells of few lines, to be a table;
what is none stays as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.parse.pdf_lines import Cell, Line
from ingest.parse.pdf_rules import Rules
from ingest.parse.words import Words

# Cells with more lines than this are columns of prose; below a rule they may be longer.
_MOST_CELL_LINES = 12
_MOST_RULED_LINES = 40
_MOST_COLUMNS = 30
# In units of the height of a line: the step to the next line of a cell, how far a cell may begin
# above the others of its row, the space between two rows, how well a column stands in line.
_STEP = 1.5
_RISE = 3.5
_FALL = 3.0
_ALIGNED = 0.8


@dataclass(frozen=True, slots=True)
class _Piece:
    """One cell of one line. `first` and `last` say whether it begins and ends the line."""

    cell: Cell
    line: Line
    first: bool
    last: bool

    @property
    def left(self) -> float:
        return self.cell.left

    @property
    def right(self) -> float:
        return self.cell.right


@dataclass(slots=True)
class _Gathered:
    """The pieces of one cell of the table."""

    pieces: list[_Piece]
    left: float
    right: float

    def take(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.left = min(self.left, piece.left)
        self.right = max(self.right, piece.right)

    def meets(self, left: float, right: float) -> bool:
        """Whether it stands above or below that stretch."""
        return self.left < right and self.right > left


@dataclass(slots=True)
class _Row:
    """A row of the table below `space`; `end` is the place of the piece after it."""

    cells: list[_Gathered]
    top: float
    bottom: float
    space: float
    end: int


def join_cells(lines: Sequence[Line], rules: Rules) -> list[Line]:
    """The lines of a page, where each row of a table is one line whatever its cells run over."""
    pieces = list(_pieces(lines))
    words: Words | None = None
    made: list[Line] = []
    at = 0
    while at < len(pieces):
        rows = _table(pieces, at, rules)
        if rows:
            words = words or Words(line.text for line in lines)
            columns = _columns(rows)
            made += (_as_line(row, columns, words) for row in rows)
            at = rows[-1].end
            continue
        while not pieces[at].last:
            at += 1
        made.append(pieces[at].line)
        at += 1
    return made


def _pieces(lines: Sequence[Line]) -> Iterator[_Piece]:
    for line in lines:
        end = len(line.cells) - 1
        for place, cell in enumerate(line.cells):
            yield _Piece(cell, line, place == 0, place == end)


def _table(pieces: Sequence[_Piece], at: int, rules: Rules) -> list[_Row]:
    """The rows of the table that begins with a piece; none when that is no table."""
    rows: list[_Row] = []
    end = at
    while end < len(pieces):
        row = _row(pieces, end, rows[-1] if rows else None, rules)
        if row is None or (rows and not _follows(row, rows)):
            break
        if len(row.cells) == 1 and (not rows or len(rows[-1].cells) == 1):
            break
        rows.append(row)
        end = row.end
    # a single cell at the end is the paragraph below, and a line is not torn
    while rows and (len(rows[-1].cells) == 1 or not pieces[rows[-1].end - 1].last):
        rows.pop()
    return rows if len(rows) > 1 or (rows and _is_framed(rows[0], rules)) else []


def _is_framed(row: _Row, rules: Rules) -> bool:
    """Whether rules stand above a row and between its cells."""
    middle = (row.top + row.bottom) / 2
    return row.space == float("inf") and all(
        rules.between_words(left.right - 1, right.left + 1, middle)
        for left, right in pairwise(row.cells)
    )


def _row(pieces: Sequence[_Piece], at: int, above: _Row | None, rules: Rules) -> _Row | None:
    """The row that begins with a piece, None when it cannot be one."""
    piece = pieces[at]
    if not piece.line.upright:
        return None
    line, space = piece.line, _space_above(piece, above, rules)
    first = _Gathered([piece], piece.left, piece.right)
    row = _Row([first], line.top, line.bottom, space, at + 1)
    most = _MOST_RULED_LINES if space == float("inf") else _MOST_CELL_LINES
    ceiling = above.bottom if above else float("inf")
    for place in range(at + 1, len(pieces)):
        piece = pieces[place]
        last = row.cells[-1]
        if not piece.line.upright:
            break
        if _goes_on(last, piece, rules, space=space if len(row.cells) == 1 else None):
            last.take(piece)
        elif _is_beside(row, piece, ceiling, rules):
            row.cells.append(_Gathered([piece], piece.left, piece.right))
        else:
            break
        if len(last.pieces) > most or len(row.cells) > _MOST_COLUMNS:
            return None
        row.top = max(row.top, piece.line.top)
        row.bottom = min(row.bottom, piece.line.bottom)
        row.end = place + 1
    return row


def _space_above(piece: _Piece, above: _Row | None, rules: Rules) -> float:
    """How far the row above is; endless where a rule parts the two, 0 when nothing is known."""
    line = piece.line
    if rules.between_lines(line.top + line.height, line.bottom + 0.3 * line.height, piece.left + 1):
        return float("inf")
    return above.bottom - line.top if above else 0.0


def _goes_on(cell: _Gathered, piece: _Piece, rules: Rules, *, space: float | None) -> bool:
    """Whether a piece is the next line of a cell; `space` is what stands above a row's first."""
    before = cell.pieces[-1].line
    height = min(before.height, piece.line.height)
    step = before.bottom - piece.line.bottom
    if space is not None and not (piece.first and piece.last):
        # a line of several cells begins a row, unless it stands closer than rows do
        gap = before.bottom - piece.line.top
        if gap + 0.2 * height > space:
            return False
    return (
        0.5 * height < step <= _STEP * max(before.height, piece.line.height)
        and cell.meets(piece.left, piece.right)
        and not rules.between_lines(
            before.bottom + 0.3 * height, piece.line.bottom + 0.3 * height, piece.left + 1
        )
    )


def _is_beside(row: _Row, piece: _Piece, ceiling: float, rules: Rules) -> bool:
    """Whether a piece begins the next cell of a row."""
    line = piece.line
    middle = (line.bottom + line.top) / 2
    return (
        piece.left >= row.cells[-1].right
        and middle < ceiling
        and line.top > row.bottom
        and line.bottom < row.top + _RISE * line.height
        and not (
            line.bottom > row.top
            and rules.between_lines(line.bottom, row.top, (piece.left + row.cells[-1].right) / 2)
        )
    )


def _follows(row: _Row, rows: Sequence[_Row]) -> bool:
    """Whether a row stands below the others in the same columns."""
    height = row.cells[0].pieces[0].line.height
    if not -_FALL * height < row.top - rows[-1].bottom < 0.5 * height:
        return False
    columns = max(rows, key=lambda other: len(other.cells)).cells
    slack = _ALIGNED * height
    fitting = 0
    crossing = False
    for number, cell in enumerate(row.cells):
        met = [at for at, column in enumerate(columns) if column.meets(cell.left, cell.right)]
        crossing = crossing or any(at != number for at in met)
        fitting += any(_in_line(cell, columns[at], slack) for at in met)
    # figures set to the right stand beside the word above them, not below it
    as_many = len(row.cells) == len(columns) and not crossing
    return fitting >= (1 if as_many else min(2, len(row.cells)))


def _in_line(cell: _Gathered, column: _Gathered, slack: float) -> bool:
    """Whether both begin, end or have their middle at one place."""
    return (
        abs(cell.left - column.left) <= slack
        or abs(cell.right - column.right) <= slack
        or abs(cell.left + cell.right - column.left - column.right) <= slack
    )


def _columns(rows: Sequence[_Row]) -> list[_Gathered]:
    """The columns as the widest row has them, each as wide as its cells."""
    template = max(rows, key=lambda row: len(row.cells)).cells
    columns = [_Gathered([], cell.left, cell.right) for cell in template]
    for row in rows:
        for cell in row.cells:
            met = [column for column in columns if column.meets(cell.left, cell.right)]
            if len(met) == 1:
                met[0].left = min(met[0].left, cell.left)
                met[0].right = max(met[0].right, cell.right)
    return columns


def _as_line(row: _Row, columns: Sequence[_Gathered], words: Words) -> Line:
    """A row as one line. An empty cell between others keeps the columns apart."""
    texts = [_text(cell, words) for cell in row.cells]
    places = [
        [number for number, column in enumerate(columns) if column.meets(cell.left, cell.right)]
        for cell in row.cells
    ]
    firsts = [met[0] if met else -1 for met in places]
    if -1 not in firsts and len(set(firsts)) == len(firsts) and firsts == sorted(firsts):
        padded = [""] * (firsts[-1] + 1)
        for number, text in zip(firsts, texts, strict=True):
            padded[number] = text
        # what a taller cell above reaches down over is not empty
        texts = padded[firsts[0] :]
    first = row.cells[0].pieces[0].line
    left, right = row.cells[0].left, row.cells[-1].right
    return Line(
        text=" | ".join(texts),
        left=left,
        right=right,
        bottom=row.bottom,
        top=row.top,
        size=first.size,
        bold=all(piece.line.bold for cell in row.cells for piece in cell.pieces),
        row=True,
    )


def _text(cell: _Gathered, words: Words) -> str:
    """The lines of a cell as one text."""
    text = cell.pieces[0].cell.text
    hyphen = cell.pieces[0].line.hyphen and cell.pieces[0].last
    for piece in cell.pieces[1:]:
        seam = words.seam(text, piece.cell.text, hyphen=hyphen)
        text = (text[:-1] if seam.drops_hyphen else text) + seam.glue + piece.cell.text
        hyphen = piece.line.hyphen and piece.last
    return text
