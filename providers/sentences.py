"""Cuts running English text into its sentences, each one a verbatim piece of it."""

import re

# Followed by a full stop that does not end a sentence, whatever comes next.
TITLES = re.compile(
    r"(?i)(?:mr|mrs|ms|mx|dr|prof|rev|hon|st|messrs|vs?|cf|eg|ie|e\.g|i\.e|viz|al|approx|dept|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|figs?|vol|eds?|tel|ext)"
)
# Followed by one that does not end a sentence when a number comes next: "s. 36", "No. 2".
BEFORE_NUMBERS = re.compile(
    r"(?i)(?:s|ss|secs?|paras?|regs?|arts?|schs?|pts?|chs?|cls?|r|pp?|nos?)"
)
LIST_MARK = re.compile(
    r"(?:[-–—•▪●◦*·]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z]|[ivx]{1,5})\)|[a-z]\))\s+", re.IGNORECASE
)
ENDING = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)")
LETTERED = re.compile(r"(?i)\b(?:part|annex|appendix|section|grade|schedule) \w$")
PARAGRAPH = re.compile(r"\n[ \t]*\n")
# A line this short that does not end like a sentence was not broken for lack of room.
FULL_LINE = 45


def sentences(text: str) -> list[str]:
    """The sentences, headings and list items of a text, in order, with spaces and lines folded.

    "s. 36", "e.g. a school", "Mr. Khan", "J. Smith" and "3.5" are not cut.
    """
    return [
        sentence
        for paragraph in PARAGRAPH.split(text)
        for block in join_lines(paragraph)
        for sentence in split_block(block)
        if sentence
    ]


def is_table_row(line: str) -> bool:
    """True for a table's row written in one line, its cells apart by upright strokes."""
    return line.count("|") >= 2


def join_lines(paragraph: str) -> list[str]:
    """The paragraph's lines, joined where one only goes on in the next."""
    blocks: list[str] = []
    before = ""
    for raw in paragraph.split("\n"):
        line = " ".join(raw.split())
        if not line:
            continue
        alone = LIST_MARK.match(line) or is_table_row(line) or is_table_row(before)
        if before and not alone and _goes_on(before, line):
            blocks[-1] = f"{blocks[-1]} {line}"
        else:
            blocks.append(line)
        before = line
    return blocks


def _goes_on(before: str, line: str) -> bool:
    if before[-1] in ",;(–—-&/":
        return True
    if before[-1] in "!?…:":
        return False
    if before[-1] == ".":
        return not _ends_sentence(before[:-1], ".", line)
    return line[0].islower() or len(before) >= FULL_LINE


def split_block(block: str) -> list[str]:
    if is_table_row(block):
        return [block]
    found: list[str] = []
    mark = LIST_MARK.match(block)
    start = mark.end() if mark else 0
    for ending in ENDING.finditer(block, start):
        after = block[ending.end() :].lstrip()
        if _ends_sentence(block[start : ending.start()], ending.group(), after):
            found.append(block[start : ending.end()].strip())
            start = ending.end()
    found.append(block[start:].strip())
    return found


def _ends_sentence(before: str, stop: str, after: str) -> bool:
    if after[:1].islower():
        return False
    if stop[0] != "." or stop[1:2] == ".":
        return True
    word = re.split(r"[\s(\[\"'“‘]", before)[-1]
    if TITLES.fullmatch(word):
        return False
    if BEFORE_NUMBERS.fullmatch(word) and (after[:1].isdigit() or after[:1] in ("(", "[")):
        return False
    # an initial before a surname; "I" and a lettered part ("Part B.") do end sentences
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    return not is_initial or bool(LETTERED.search(before))
