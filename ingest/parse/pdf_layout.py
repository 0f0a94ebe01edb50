"""From lines to paragraphs: what belongs together, what is a heading, what repeats on each page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ingest.parse.blocks import Block, BlockKind
from ingest.parse.pdf_lines import Line
from ingest.parse.words import Seam, Words

_BULLET = re.compile(r"^(?:[•▪●○◦‣⁃∙■□➢➤✓✔☐☒*\uf0b7\uf0a7]|[-–—](?=\s))\s*")
_NUMBERED = re.compile(
    r"^(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-z]|[ivx]{1,5})[.)]|\d+(?:\.\d+)+)\s"
)
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"^\W*(?:page|p\.?|seite)?\W*(?:#|[ivxlc]{1,7})(?:\W*(?:of|/|von|\|)\W*#)?\W*$", re.IGNORECASE
)

# The top and bottom share of a page where running heads and feet stand.
_MARGIN = 0.13
_MOST_RUNNING_LINES = 5
_HEADING_SIZE = 1.15
_LONGEST_HEADING = 200
_LONGEST_HEADING_LINES = 4


@dataclass(slots=True)
class PageLines:
    """The lines of one page; `number` counts from 1, `bottom` and `top` are its edges."""

    number: int
    bottom: float
    top: float
    lines: list[Line]


def remove_running_lines(pages: Sequence[PageLines]) -> None:
    """Take out page numbers, and heads and feet that repeat, which stay where they come first."""
    if len(pages) < 2:
        return
    edges = [_edges(page) for page in pages]
    seen: Counter[str] = Counter()
    numbered = 0
    for top, foot in edges:
        patterns = {_pattern(line) for line in (*top, *foot)}
        seen.update(patterns)
        numbered += any(map(_PAGE_NUMBER.match, patterns))
    is_numbered = numbered >= max(2, round(0.4 * len(pages)))
    often = max(3, round(0.4 * len(pages)))
    next_door = _next_door(pages, edges)
    kept: set[str] = set()
    for page, places, here in zip(pages, next_door, edges, strict=True):
        drop: set[int] = set()
        for edge in here:
            for line in edge:
                pattern = _pattern(line)
                if _PAGE_NUMBER.match(pattern):
                    if is_numbered:
                        drop.add(id(line))
                elif seen[pattern] < often and (pattern, round(line.bottom)) not in places:
                    # what stands further in is the page's own text
                    break
                elif pattern in kept:
                    drop.add(id(line))
                else:
                    kept.add(pattern)
        page.lines = [line for line in page.lines if id(line) not in drop]


_Edges = tuple[list[Line], list[Line]]


def _next_door(
    pages: Sequence[PageLines], edges: Sequence[_Edges]
) -> Iterator[set[tuple[str, int]]]:
    """For each page, what stands in the margins of the page before or after it, and how high.

    Equal at one height is a running head, however few pages have it: that of a chapter, or of a
    file of two pages. A page that was put in twice is no evidence of anything.
    """
    held = [
        {
            (_pattern(line), round(line.bottom) + slip)
            for line in (*top, *foot)
            for slip in (-1, 0, 1)
        }
        for top, foot in edges
    ]
    texts = [[line.text for line in page.lines] for page in pages]
    for number in range(len(pages)):
        near: set[tuple[str, int]] = set()
        for other in (number - 1, number + 1):
            if 0 <= other < len(pages) and texts[other] != texts[number]:
                near |= held[other]
        yield near


def _edges(page: PageLines) -> tuple[list[Line], list[Line]]:
    """The lines in the top and bottom margin, outermost first."""
    reach = (page.top - page.bottom) * _MARGIN
    upright = [line for line in page.lines if line.upright]
    top = [line for line in upright if line.bottom >= page.top - reach]
    foot = [line for line in upright if line.top <= page.bottom + reach]
    return (
        sorted(top, key=lambda line: -line.top)[:_MOST_RUNNING_LINES],
        sorted(foot, key=lambda line: line.bottom)[:_MOST_RUNNING_LINES],
    )


def _pattern(line: Line) -> str:
    return _NUMBER.sub("#", " ".join(line.text.split())).casefold()


@dataclass(slots=True)
class _Paragraph:
    """Lines, and their texts with what stands between them; `turns` are where pages begin."""

    page: int
    kind: BlockKind
    lines: list[Line]
    pieces: list[str]
    turns: list[tuple[int, int]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def append(self, line: Line, seam: Seam) -> None:
        """Add a line; `seam` says what stands between it and what came before."""
        if seam.drops_hyphen:
            self.pieces[-1] = self.pieces[-1][:-1]
        self.pieces += (seam.glue, line.text)
        self.lines.append(line)

    def blocks(self) -> Iterator[Block]:
        """One block, or one for each page it stands on."""
        start, page, glue = 0, self.page, None
        for turn, next_page in [*self.turns, (len(self.pieces), 0)]:
            text = "".join(self.pieces[start:turn])
            if start == 0 and self.kind == "item":
                text = _BULLET.sub("- ", text)
            yield Block(text, kind=self.kind, page=page, glue=glue)
            if turn < len(self.pieces):
                start, page, glue = turn + 1, next_page, self.pieces[turn]


def blocks_of(pages: Sequence[PageLines]) -> list[Block]:
    """The paragraphs, headings and list items of all pages, in reading order."""
    words = Words(line.text for page in pages for line in page.lines)
    body = _body_size(pages)
    paragraphs: list[_Paragraph] = []
    for page in pages:
        leading = _leading(page.lines)
        previous: Line | None = None
        for position, line in enumerate(page.lines):
            last = paragraphs[-1] if paragraphs else None
            if last is None:
                joint = "new"
            elif previous is None:
                joint = "join" if _continues_over_page(last, line) else "new"
            else:
                edge = _right_edge(page.lines, position - 1)
                joint = _joint(previous, line, leading, edge)
            if joint != "new" and last is not None and previous is None:
                last.turns.append((len(last.pieces), page.number))
            previous = line
            if joint == "new" or last is None:
                paragraphs.append(_Paragraph(page.number, _kind(line), [line], [line.text]))
            elif joint in ("line", "cell"):
                last.append(line, Seam("\n" if joint == "line" else " | "))
            else:
                above = last.lines[-1]
                last.append(line, words.seam(above.text, line.text, hyphen=above.hyphen))
    return list(_with_headings(paragraphs, body))


def _kind(line: Line) -> BlockKind:
    if line.row:
        return "row"
    return "item" if _starts_item(line.text) else "text"


def _body_size(pages: Sequence[PageLines]) -> float:
    """The size of the font most of the text is set in."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            if line.upright:
                weights[round(line.size * 2) / 2] += len(line.text)
    return max(weights, key=lambda size: weights[size], default=0.0)


def _leading(lines: Sequence[Line]) -> float:
    """The usual distance between two lines of one paragraph, 0 when unknown."""
    steps = sorted(
        above.bottom - below.bottom
        for above, below in pairwise(lines)
        if above.upright
        and below.upright
        and 0 < above.bottom - below.bottom < 3 * max(above.height, 1)
        and _similar(above.size, below.size)
    )
    return steps[len(steps) // 3] if steps else 0.0


def _right_edge(lines: Sequence[Line], position: int) -> float:
    """How far lines of the same column reach around a line."""
    here = lines[position]
    near = lines[max(0, position - 2) : position + 3]
    return max(
        line.right
        for line in near
        if line.row == here.row and line.left < here.right and line.right > here.left
    )


def _joint(above: Line, below: Line, leading: float, edge: float) -> str:
    """How two lines meet: 'join' in one paragraph, 'cell' or 'line' in one block, or 'new'."""
    if not (above.upright and below.upright):
        return "line" if above.upright == below.upright else "new"
    drop = above.bottom - below.bottom
    height = max(above.height, below.height, 1.0)
    if abs(drop) < 0.4 * height and below.left >= above.right:
        return "cell" if below.left - above.right > height else "join"
    if above.hyphen:
        return "join"
    if above.row or below.row or _starts_item(below.text):
        return "new"
    alike = _similar(above.size, below.size)
    if drop < 0:
        # up again: the next column, where a sentence may go on
        goes_on = alike and not _SENTENCE_END.search(above.text) and below.text[:1].islower()
        return "join" if goes_on else "new"
    if not alike or above.bold != below.bold:
        return "new"
    if leading and drop > max(1.35 * leading, leading + 0.35 * height):
        return "new"
    width = max(edge - above.left, 1.0)
    if above.right >= edge - max(0.15 * width, 2 * height):
        return "join"
    if _SENTENCE_END.search(above.text):
        return "new"
    return "join" if below.text[:1].islower() and above.right > edge - 0.4 * width else "line"


def _continues_over_page(last: _Paragraph, line: Line) -> bool:
    end = last.lines[-1]
    return (
        (end.hyphen or (not _SENTENCE_END.search(end.text) and line.text[:1].islower()))
        and end.upright
        and line.upright
        and not (end.row or line.row)
        and _similar(end.size, line.size)
    )


def _starts_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBERED.match(text))


def _similar(one: float, other: float) -> bool:
    return abs(one - other) <= 0.12 * max(one, other)


def _with_headings(paragraphs: Sequence[_Paragraph], body: float) -> Iterator[Block]:
    """Tell headings by size, or by bold letters standing alone; larger is a higher level."""
    sizes = sorted({_size(item) for item in paragraphs if _is_large(item, body)}, reverse=True)
    for item in paragraphs:
        if _is_large(item, body):
            level = min(sizes.index(_size(item)) + 1, 6)
            yield Block(item.text, kind="heading", level=level, page=item.page)
        elif _is_bold(item, body):
            yield Block(item.text, kind="heading", level=min(len(sizes) + 1, 6), page=item.page)
        else:
            yield from item.blocks()


def _size(item: _Paragraph) -> int:
    return round(max(line.size for line in item.lines))


def _may_head(item: _Paragraph, body: float) -> bool:
    return (
        body > 0
        and item.kind != "row"
        and len(item.lines) <= _LONGEST_HEADING_LINES
        and len(item.text) <= _LONGEST_HEADING
        and all(line.upright for line in item.lines)
        and any(character.isalpha() for character in item.text)
    )


def _is_large(item: _Paragraph, body: float) -> bool:
    return _may_head(item, body) and min(line.size for line in item.lines) >= _HEADING_SIZE * body


def _is_bold(item: _Paragraph, body: float) -> bool:
    return (
        _may_head(item, body)
        and len(item.lines) <= 2
        and all(line.bold for line in item.lines)
        and not item.text.rstrip().endswith((".", ",", ";"))
    )
