"""Cuts a passage into pieces that can be quoted alone: sentences, list items and table rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from providers.sentences import LIST_MARK, PARAGRAPH, is_table_row, join_lines, split_block

SHORTEST, SHORTEST_ROW, LONGEST = 35, 25, 600  # characters of a piece worth quoting
FEWEST_WORDS, FEWEST_CELL_WORDS = 6, 4
SHORTEST_ADDRESS, FEWEST_ADDRESS_WORDS = 15, 2  # of one that says how to reach somebody
LONGEST_LIST = 480  # a list up to here is also quoted whole, with the words that lead into it
LONGEST_HEADING, MOST_HEADING_WORDS = 90, 14
GAP = " […] "  # stands for list items left out between the lead-in and the one quoted

# Says something of what was named before, so that it means little without it.
DANGLING = re.compile(
    r"(?i)[\"'“‘(]?(?:they|it|this|these|those|that|he|she|its|their|his|her|him|them|such|both|"
    r"neither|either|so|but|then|also|instead|otherwise|however|nor|or|and|if (?:so|not|it|they|"
    r"this|that|he|she)|when (?:it|they|this|that)|in (?:that|this|these|those|such)|after "
    r"(?:that|this)|for example|the (?:same|latter|former|others?|second|first|third) (?:is|are|"
    r"may|can|must|has|have|one)|one of (?:them|these|those)|others)\b"
)
# Tells what the document is rather than anything in it.
_DOCUMENT = (
    r"(?:page|guide|policy|document|report|briefing|sheet|factsheet|leaflet|statement|note|summary|"
    r"overview|edition|table|section)"
)
ABOUT_ITSELF = re.compile(
    rf"(?i)(?:\w+ \w+: )?(?:(?:this|the) {_DOCUMENT}\b.{{0,60}}\b(?:is|are|covers?|describes?|"
    r"explains?|sets?|gives?|tells?|deals?|applies|replaces?|was|has)\b|"
    r"(?:it|this) (?:covers|describes|explains|deals with|applies to|replaces|"
    rf"is (?:the|an?|our)\b.{{0,60}}\b{_DOCUMENT}\b))"
)
ADDRESS = re.compile(r"\d{3} ?\d{3}|\S@\S")
MARKS = re.compile(f"(?:{LIST_MARK.pattern})+", re.IGNORECASE)
SEPARATOR = re.compile(r"[|:\s-]*-[|:\s-]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that can be quoted and understood alone.

    text      the quotation; what it joins stands in the source word for word
    core      the sentence, item or row itself, without what was added to understand it
    topic     the heading above it and the words that lead into it, for comparison only
    complete  a whole sentence, item or row that leans on nothing left out
    parts     the sentences or items that the quotation is made of
    """

    text: str
    core: str
    topic: str
    complete: bool = True
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str  # heading, prose, item, row, rule
    text: str
    mark: str = ""
    header: tuple[str, ...] = ()
    cut: bool = False  # may begin or end in the middle of a sentence


def pieces(text: str) -> list[Piece]:
    """The pieces of a passage in reading order; headings, questions and lead-ins are none."""
    found: list[Piece] = []
    heading = lead = ""
    blocks = list(_blocks(text))
    at = 0
    while at < len(blocks):
        block = blocks[at]
        follows = at > 0 and blocks[at - 1].kind == "heading"
        if block.kind == "heading":
            heading, lead = block.text, ""
            at += 1
        elif block.kind == "rule":
            lead = ""
            at += 1
        elif block.kind == "row":
            found.append(_row(block, topic=f"{heading}. {lead}" if lead else heading))
            at += 1
        elif block.kind == "item":
            stop = at
            while stop < len(blocks) and blocks[stop].kind == "item":
                stop += 1
            if at > 0 and blocks[at - 1].kind == "row":
                lead = ""  # it led into the table: a quote must not leap over the rows
            found += _items(blocks[at:stop], heading=heading, lead=lead, follows=follows)
            lead = ""
            at = stop
        else:
            split = [each for each in split_block(block.text) if each]
            is_open = bool(split) and _core(split[-1]).endswith(":")
            lead = _lead(split) if is_open else ""
            found += _prose(split, heading=heading, block=block, follows=follows)
            at += 1
    return [piece for piece in found if _is_quotable(piece)]


def _lead(split: Sequence[str]) -> str:
    """The words that promise a list, with the sentence before where they say little alone."""
    is_bare = DANGLING.match(split[-1]) or _words(split[-1]) < FEWEST_CELL_WORDS
    return " ".join(split[-2:] if is_bare else split[-1:])


def _core(text: str) -> str:
    return text.rstrip("\"'”’)] ")


def _ends(text: str) -> bool:
    """Whether it ends as a sentence does."""
    return _core(text)[-1:] in (".", "!", "…")


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def _is_quotable(piece: Piece) -> bool:
    if ADDRESS.search(piece.core):
        shortest, fewest = SHORTEST_ADDRESS, FEWEST_ADDRESS_WORDS
    elif "|" in piece.core:
        shortest, fewest = SHORTEST_ROW, FEWEST_CELL_WORDS
    else:
        shortest, fewest = SHORTEST, FEWEST_WORDS
    return (
        shortest <= len(piece.text) <= LONGEST
        and _words(piece.text) >= fewest
        # a question holds no answer, and a lead-in promises a list that is not quoted with it
        and not _core(piece.text).endswith(("?", ":"))
    )


def _blocks(text: str) -> Iterator[_Block]:
    paragraphs = [part for part in PARAGRAPH.split(text) if part.strip()]
    for number, paragraph in enumerate(paragraphs):
        is_last = number == len(paragraphs) - 1
        lines = [" ".join(line.split()) for line in paragraph.split("\n") if line.strip()]
        is_all = is_last and number == 0
        if len(lines) == 1 and _is_heading(lines[0]) and not is_all:
            # the heading of what the passage was cut off before says nothing of the passage
            if not is_last:
                yield _Block("heading", _bare(lines[0]))
            continue
        for first, is_table, run in _runs(lines):
            if is_table:
                yield from _rows(run, has_header=first == 0 and number > 0)
                continue
            joined = join_lines("\n".join(run))
            for index, line in enumerate(joined):
                opens = number == 0 and first == 0 and index == 0
                closes = is_last and first + len(run) == len(lines) and index == len(joined) - 1
                mark = MARKS.match(line)
                cut = (opens and line[0].islower()) or (
                    closes and _core(line)[-1:] not in (".", "!", "?", "…", ":")
                )
                # the first of a numbered list looks like a numbered heading
                is_listed = mark and len(joined) > 1 and MARKS.match(joined[1])
                over = index == 0 and len(joined) > 1 and not is_listed and _is_heading(line)
                if over or line.startswith("#"):
                    yield _Block("heading", _bare(line))
                elif mark:
                    yield _Block("item", line[mark.end() :], mark.group().strip(), cut=cut)
                else:
                    yield _Block("prose", line, cut=cut)


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, bool, list[str]]]:
    """Neighbouring lines that are all table rows, or all not, and where the first one stands."""
    start = 0
    while start < len(lines):
        stop = start
        with_strokes = _has_strokes(lines[start])
        while stop < len(lines) and _has_strokes(lines[stop]) == with_strokes:
            stop += 1
        run = list(lines[start:stop])
        # one stroke may stand in a sentence, but not in each of several lines
        yield start, with_strokes and (len(run) > 1 or is_table_row(run[0])), run
        start = stop


def _has_strokes(line: str) -> bool:
    return " | " in line or is_table_row(line)


def _rows(run: Sequence[str], *, has_header: bool) -> Iterator[_Block]:
    header: tuple[str, ...] = ()
    rest = [line for line in run if not SEPARATOR.fullmatch(line)]
    if (has_header or len(rest) < len(run)) and len(rest) > 1:
        header, rest = _cells(rest[0]), rest[1:]
    for line in rest:
        yield _Block("row", line, header=header)
    if not rest:
        yield _Block("rule", "")  # the line under a table's head, without the table


def _cells(line: str) -> tuple[str, ...]:
    if line.startswith("|") and line.endswith("|"):
        line = line[1:-1]
    return tuple(cell.strip() for cell in line.split("|"))


def _bare(heading: str) -> str:
    return heading.lstrip("# ")


def _is_heading(line: str) -> bool:
    mark = LIST_MARK.match(line)
    return line.startswith("#") or (
        (mark is None or mark.group()[0].isdigit())
        and not line[0].islower()
        and len(line) <= LONGEST_HEADING
        and len(line.split()) <= MOST_HEADING_WORDS
        and _core(line)[-1:] not in (".", "!", "…", ":", ";", ",")
        and "£" not in line
        and not ADDRESS.search(line)
    )


def _row(block: _Block, *, topic: str) -> Piece:
    """A row in one line, each cell after the first with its column's header where known."""
    cells = _cells(block.text)
    first, rest = cells[0], cells[1:]
    header = block.header if len(block.header) == len(rest) + 1 else ()
    if header and not any(map(str.isalpha, first)):
        first = f"{header[0]}: {first}"
    named = [
        f"{name}: {cell}" if name and cell else cell
        for name, cell in zip(header[1:] or [""] * len(rest), rest, strict=True)
        if cell
    ]
    text = f"{first}{' – ' if header else ': '}{'; '.join(named)}" if named else first
    return Piece(text, block.text, topic, parts=(block.text,))


def _items(group: Sequence[_Block], *, heading: str, lead: str, follows: bool) -> Iterator[Piece]:
    """The list whole, if short, and its items. ``follows``: the heading stands right above it."""
    topic = f"{heading}. {lead}" if lead else heading
    opening = lead or (heading if follows else "")
    whole = "\n".join([opening, *(f"{item.mark} {item.text}" for item in group)])
    # a full stop after the others, and none after the last, shows that it was cut off
    is_cut = group[-1].cut and any(_ends(item.text) for item in group[:-1])
    is_short = len(whole) <= LONGEST_LIST and not is_cut
    if opening and len(group) > 1 and is_short:
        parts = tuple(sentence for item in group for sentence in split_block(item.text))
        leans = bool(DANGLING.match(opening))
        yield Piece(whole, whole, heading, complete=not leans, parts=(opening, *parts))
    for index, item in enumerate(group):
        split = [each for each in split_block(item.text) if each]
        is_sentence = _ends(item.text) and _words(split[0]) >= FEWEST_WORDS
        if is_sentence or not lead:
            yield from _prose(split, heading=topic, block=item)
        elif len(group) == 1 or not is_short:
            told = f"{lead}{GAP if index else ' '}{item.text}"
            complete = not item.cut and not DANGLING.match(lead)
            yield Piece(told, item.text, heading, complete, (lead, item.text))


def _prose(
    split: Sequence[str], *, heading: str, block: _Block, follows: bool = False
) -> Iterator[Piece]:
    """The sentences, each with those before it that it leans on. ``follows`` as for lists."""
    told_until = 0
    for index, sentence in enumerate(split):
        # told with a short one before it, or cut off at its beginning
        if index < told_until or (index == 0 and block.cut and sentence[0].islower()):
            continue
        start, stop = index, index + 1
        while start > 0 and DANGLING.match(split[start]) and index - start < 2:
            start -= 1
        if len(" ".join(split[start:stop])) < SHORTEST and stop < len(split):
            stop += 1
        if len(" ".join(split[start:stop])) < SHORTEST and start > 0:
            start -= 1
        told_until = stop
        parts = tuple(split[start:stop])
        told = " ".join(parts)
        ends = _ends(told) or (block.kind == "item" and not block.cut)
        leans = bool(DANGLING.match(told))
        if leans and follows and start == 0 and heading.endswith("?"):
            # the question above it says what it is about
            parts, leans = (heading, *parts), False
            told = " ".join(parts)
        is_content = ends and not leans and not ABOUT_ITSELF.match(sentence)
        yield Piece(told, sentence, heading, is_content, parts)
