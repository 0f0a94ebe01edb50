"""A document as a list of blocks, and the text made of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ingest.parse.clean import clean_line, clean_text
from ingest.parse.result import Heading

BlockKind = Literal["text", "heading", "item", "row"]

# A bullet or clause number; a figure without a point may be part of the title.
_LEADING_LABEL = re.compile(
    r"^(?:[-•]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z])[.)]|\d{1,3}(?:\.\d{1,3})+)\s+"
)
# So many headings are plenty for a table of contents; a hostile file may hold a million.
MOST_HEADINGS = 2000
LONGEST_HEADING = 300


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list item or table row; `page` counts from 1.

    With `glue` it is the rest of the block before, on the next page: that stands between the two.
    """

    text: str
    kind: BlockKind = "text"
    level: int = 0
    page: int | None = None
    glue: str | None = None


@dataclass(frozen=True, slots=True)
class Assembled:
    """The text of a list of blocks, with the places of its headings and pages."""

    text: str
    headings: tuple[Heading, ...]
    pages: tuple[int, ...]


def assemble(blocks: Iterable[Block], *, page_count: int = 0) -> Assembled:
    """Clean the blocks and join them: rows and items line by line, all else by an empty line.

    A heading keeps a line of its own. `pages` has `page_count` entries: the start of each page in
    the text, where an empty page starts at the same place as the next one.
    """
    parts: list[str] = []
    headings: list[Heading] = []
    starts: dict[int, int] = {}
    length = 0
    before: Block | None = None
    for block in blocks:
        text = clean_line(block.text) if block.kind == "heading" else clean_text(block.text)
        if not text:
            continue
        if before is not None:
            close = block.kind == before.kind and block.kind in ("item", "row")
            gap = "\n" if close else "\n\n"
            if block.glue is not None:
                gap = block.glue
            parts.append(gap)
            length += len(gap)
        if block.kind == "heading" and len(headings) < MOST_HEADINGS:
            headings.append(
                Heading(level=block.level, text=text[:LONGEST_HEADING].rstrip(), start=length)
            )
        if block.page is not None:
            starts.setdefault(block.page, length)
        parts.append(text)
        length += len(text)
        before = block
    pages: list[int] = []
    following = length
    for page in range(page_count, 0, -1):
        following = min(starts.get(page, following), following)
        pages.append(following)
    return Assembled("".join(parts), tuple(headings), tuple(reversed(pages)))


def first_heading(headings: Iterable[Heading]) -> str | None:
    """The first heading fit to be a title, or None."""
    for heading in headings:
        text = _LEADING_LABEL.sub("", heading.text)
        if any(character.isalpha() for character in text):
            return text
    return None
