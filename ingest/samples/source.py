"""A sample document as an editor writes it: front matter in TOML, then a little Markdown."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

FORMATS = ("txt", "html", "pdf", "docx")
_FENCE = "+++"
_REQUIRED = ("title", "format", "authority", "document_type", "effective_date", "tags")
_OPTIONAL = ("la_code", "school_urn", "note")
_NUMBERED = re.compile(r"[0-9]+\. +(?=\S)")
_TABLE_RULE = re.compile(r"\|( ?:?-+:? ?\|)+")
# what the subset does not have: somebody expects it to be rendered, and it would not be
_FOREIGN = re.compile(r"\*\*|__|`|\]\(|^#{3,} |^\s+([-*]|[0-9]+\.) |^[*+>] |^-{3,}$")


class SampleError(Exception):
    """A sample document that cannot be built; the message is the one line a person reads."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's own."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, numbered from 1 or with bullets."""

    numbered: bool
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; every row is as wide as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Listing | Grid


def texts_of(block: Block) -> Iterator[str]:
    """Every text of a block, in reading order."""
    match block:
        case Heading(text=text) | Paragraph(text=text):
            yield text
        case Listing(items=items):
            yield from items
        case Grid(header=header, rows=rows):
            for row in (header, *rows):
                yield from row


@dataclass(frozen=True, slots=True)
class Sample:
    """One document. `la_code` and `school_urn` say whose it is; neither makes it national."""

    path: Path
    title: str
    format: str
    la_code: str | None
    school_urn: str | None
    authority: str
    document_type: str
    effective_date: date
    tags: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def group(self) -> str:
        """The folder it stands in."""
        return self.path.parent.name

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text of the body, in reading order."""
        return tuple(text for block in self.blocks for text in texts_of(block))


def read_sample(path: Path) -> Sample:
    """Read one document; raises `SampleError`, one line that starts with the file's name."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SampleError(f"{path}: not readable as UTF-8 text: {error}") from None
    matter, body = _parts(path, text)
    for key in matter:
        if key not in _REQUIRED + _OPTIONAL:
            raise SampleError(f"{path}: unknown front-matter key {key}. Correct or remove it")
    for key in _REQUIRED:
        if key not in matter:
            raise SampleError(f"{path}: front matter lacks {key}. Add it")
    return Sample(
        path=path,
        title=_text(path, matter, "title"),
        format=_format(path, matter),
        la_code=_text(path, matter, "la_code") if "la_code" in matter else None,
        school_urn=_text(path, matter, "school_urn") if "school_urn" in matter else None,
        authority=_text(path, matter, "authority"),
        document_type=_text(path, matter, "document_type"),
        effective_date=_day(path, matter),
        tags=_tags(path, matter),
        blocks=_blocks(path, body, first_line=text.count("\n", 0, len(text) - len(body)) + 1),
    )


def _parts(path: Path, text: str) -> tuple[dict[str, object], str]:
    lines = text.splitlines(keepends=True)
    fences = [number for number, line in enumerate(lines) if line.strip() == _FENCE][:2]
    if len(fences) < 2 or fences[0] != 0:
        raise SampleError(f"{path}: must begin with front matter between two lines of {_FENCE}")
    end = fences[1]
    try:
        matter = tomllib.loads("".join(lines[1:end]))
    except tomllib.TOMLDecodeError as error:
        raise SampleError(f"{path}: front matter is not readable as TOML: {error}") from None
    return matter, "".join(lines[end + 1 :])


def _text(path: Path, matter: dict[str, object], key: str) -> str:
    value = matter[key]
    if not isinstance(value, str) or not value.strip():
        raise SampleError(f"{path}: {key} must be a text")
    return value.strip()


def _format(path: Path, matter: dict[str, object]) -> str:
    value = _text(path, matter, "format")
    if value not in FORMATS:
        raise SampleError(f'{path}: format "{value}" must be one of {", ".join(FORMATS)}')
    return value


def _day(path: Path, matter: dict[str, object]) -> date:
    value = matter["effective_date"]
    if not isinstance(value, date) or isinstance(value, datetime):
        raise SampleError(f"{path}: effective_date must be a day like 2025-09-01, without quotes")
    return value


def _tags(path: Path, matter: dict[str, object]) -> tuple[str, ...]:
    value = matter["tags"]
    if not isinstance(value, list) or not value or not all(isinstance(t, str) for t in value):
        raise SampleError(f"{path}: tags must be a list of at least one topic slug")
    if len(set(value)) < len(value):
        raise SampleError(f"{path}: a tag stands twice")
    return tuple(value)


def _blocks(path: Path, body: str, *, first_line: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for line, lines in _groups(body):
        where = f"{path}:{first_line + line}"
        for text in lines:
            if _FOREIGN.search(text):
                raise SampleError(f'{where}: Markdown that is not rendered: "{text.strip()[:40]}"')
        blocks += _group_blocks(where, lines)
    titles = [block for block in blocks if isinstance(block, Heading) and block.level == 1]
    if len(titles) != 1 or blocks[0] is not titles[0]:
        raise SampleError(f"{path}: the text must begin with its only '# ' title")
    if len(blocks) == 1:
        raise SampleError(f"{path}: there is nothing after the title")
    return tuple(blocks)


def _groups(body: str) -> list[tuple[int, list[str]]]:
    """Lines between blank lines, with the number of the first."""
    groups: list[tuple[int, list[str]]] = []
    fresh = True
    for number, line in enumerate(body.splitlines()):
        if not line.strip():
            fresh = True
            continue
        if fresh:
            groups.append((number, []))
            fresh = False
        groups[-1][1].append(line.rstrip())
    return groups


def _group_blocks(where: str, lines: list[str]) -> list[Block]:
    if lines[0].startswith("#"):
        heading = _heading(where, lines[0])
        return [heading, *(_group_blocks(where, lines[1:]) if lines[1:] else [])]
    if lines[0].startswith("|"):
        return [_grid(where, lines)]
    for numbered in (False, True):
        if _item(lines[0], numbered=numbered) is not None:
            return [_listing(lines, numbered=numbered)]
    # a list may follow its introduction without a blank line between
    for number, line in enumerate(lines):
        if line.startswith(("|", "#", "- ")) or _NUMBERED.match(line):
            return [
                Paragraph(" ".join(text.strip() for text in lines[:number])),
                *_group_blocks(where, lines[number:]),
            ]
    return [Paragraph(" ".join(text.strip() for text in lines))]


def _heading(where: str, line: str) -> Heading:
    marks, _, text = line.partition(" ")
    if marks not in {"#", "##"} or not text.strip():
        raise SampleError(f"{where}: a heading is '# ' or '## ' and its text")
    return Heading(len(marks), text.strip())


def _item(line: str, *, numbered: bool) -> str | None:
    if numbered:
        match = _NUMBERED.match(line)
        return line[match.end() :].strip() if match else None
    return line[2:].strip() if line.startswith("- ") else None


def _listing(lines: list[str], *, numbered: bool) -> Listing:
    items: list[str] = []
    for line in lines:
        item = _item(line, numbered=numbered)
        if item is None:  # the item goes on in the next line
            items[-1] += " " + line.strip()
        else:
            items.append(item)
    return Listing(numbered, tuple(items))


def _grid(where: str, lines: list[str]) -> Grid:
    if len(lines) < 3 or not _TABLE_RULE.fullmatch(lines[1].strip()):
        raise SampleError(f"{where}: a table is a header, a line like |---|---| and rows")
    header, *rows = (_cells(line) for line in [lines[0], *lines[2:]])
    for row in rows:
        if len(row) != len(header):
            raise SampleError(f"{where}: a table row has {len(row)} cells, not {len(header)}")
    return Grid(header, tuple(rows))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
