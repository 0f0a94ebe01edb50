"""Plain text files."""

import re
from collections.abc import Iterator

from ingest.parse.blocks import Block, assemble
from ingest.parse.clean import clean_text
from ingest.parse.decode import decode
from ingest.parse.result import Parsed, Refused
from ingest.parse.words import Words

_UNDERLINE = re.compile(r"^(={3,}|-{3,})$")
_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(\S.*?)\s*#*$")
_PARTED = re.compile(r"\b([^\W\d_]{1,40})-\n[ \t]*([^\W\d_]{1,40})")
_LONGEST_TITLE = 120


def parse_txt(data: bytes) -> Parsed:
    """The text of a plain text file in any encoding. Raises Refused for binary or blank files."""
    decoded = decode(data)
    text = clean_text(decoded.text)
    if not text:
        raise Refused("empty", "the file holds only white space: nothing to ingest")
    blocks = list(_blocks(_without_line_end_hyphens(text)))
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


def _without_line_end_hyphens(text: str) -> str:
    """Hard-wrapped text with the words that were parted at the end of a line put together."""
    if "-\n" not in text or not _PARTED.search(text):
        return text
    words = Words(text.split("\n"))

    def join(match: re.Match[str]) -> str:
        above, below = f"{match.group(1)}-", match.group(2)
        seam = words.seam(above, below, hyphen=False)
        return f"{match.group(1) if seam.drops_hyphen else above}{seam.glue}{below}"

    return _PARTED.sub(join, text)


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
