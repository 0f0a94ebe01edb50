"""Plain text files."""

import re
from collections.abc import Iterator

from ingest.parse.blocks import Block, assemble
from ingest.parse.clean import clean_text
from ingest.parse.decode import decode
from ingest.parse.result import Parsed, Refused

_UNDERLINE = re.compile(r"^(={3,}|-{3,})$")
_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(\S.*?)\s*#*$")
_LONGEST_TITLE = 120


def parse_txt(data: bytes) -> Parsed:
    """The text of a plain text file in any encoding. Raises Refused for binary or blank files."""
    decoded = decode(data)
    text = clean_text(decoded.text)
    if not text:
        raise Refused("empty", "the file holds only white space: nothing to ingest")
    blocks = list(_blocks(text))
    assembled = assemble(blocks)
    title = assembled.headings[0].text if assembled.headings else None
    warnings = []
    if decoded.guessed:
        warnings.append(f"character encoding guessed as {decoded.encoding}: check special letters")
    return Parsed(
        text=assembled.text,
        file_type="txt",
        title=title,
        headings=assembled.headings,
        warnings=tuple(warnings),
        metadata={"encoding": decoded.encoding},
    )


def _blocks(text: str) -> Iterator[Block]:
    """Headings are Markdown headings, underlined lines, or the file's first line when short."""
    for number, paragraph in enumerate(text.split("\n\n")):
        lines = paragraph.split("\n")
        body = lines
        markdown = _MARKDOWN_HEADING.match(lines[0])
        if markdown:
            yield Block(markdown.group(2), kind="heading", level=len(markdown.group(1)))
            body = lines[1:]
        elif len(lines) > 1 and _UNDERLINE.match(lines[1]) and _looks_like_title(lines[0]):
            level = 1 if lines[1].startswith("=") else 2
            yield Block(lines[0], kind="heading", level=level)
            body = lines[2:]
        elif number == 0 and len(lines) == 1 and _looks_like_title(lines[0]):
            yield Block(lines[0], kind="heading", level=1)
            body = []
        if body:
            yield Block("\n".join(body))


def _looks_like_title(line: str) -> bool:
    return (
        len(line) <= _LONGEST_TITLE
        and not line.endswith((".", ",", ";", "!", "?"))
        and any(character.isalpha() for character in line)
    )
