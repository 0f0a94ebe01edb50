"""What parsing a file gives: a `Parsed` document or a `Refused` reason."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

FileType = Literal["pdf", "docx", "html", "txt"]

RefusalKind = Literal[
    "type", "empty", "password", "no-text", "gate", "corrupt", "too-big", "timeout", "memory",
    "crash",
]  # fmt: skip


class Refused(Exception):
    """A file that cannot be taken in; the message is the one line a person reads.

    `kind` says which family the refusal belongs to, so that callers and tests need not read
    the sentence.
    """

    def __init__(self, kind: RefusalKind, reason: str) -> None:
        super().__init__(reason)
        self.kind: RefusalKind = kind
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document; `start` counts characters of the text before it."""

    level: int
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The clean text of one file and what is known about it.

    `pages` holds, for each page, the number of characters of `text` before it; it is empty for
    types that have no fixed pages. `warnings` are one-line remarks for the person who ingests.
    `metadata` is plain JSON without NUL characters.
    """

    text: str
    file_type: FileType
    title: str | None = None
    pages: tuple[int, ...] = ()
    page_count: int | None = None
    language: str | None = None
    headings: tuple[Heading, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Parsed":
        """The reverse of `to_json`."""
        return cls(
            text=value["text"],
            file_type=value["file_type"],
            title=value["title"],
            pages=tuple(value["pages"]),
            page_count=value["page_count"],
            language=value["language"],
            headings=tuple(Heading(**heading) for heading in value["headings"]),
            warnings=tuple(value["warnings"]),
            metadata=value["metadata"],
        )
