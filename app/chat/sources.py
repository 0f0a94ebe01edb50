"""Numbered sources: settled before any text is written, so that a number never changes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from app.calls import Hit
from providers.protocols import Source

_WEB = re.compile(r"https?://\S+\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Highlight:
    """A part of a source's `text` that the answer rests on, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One numbered source of an answer; `text` is the passage that was found.

    `section` is the nearest heading above it, `url` is None for what is no page of the web.
    """

    number: int
    title: str
    source: str
    url: str | None
    text: str
    scope: str
    la_code: str | None
    school_urn: str | None
    document_type: str | None
    authority: str | None
    version: int
    effective_date: date | None
    document_id: int
    chunk_id: int
    matched_by: str
    similarity: float | None
    score: float
    page_from: int | None
    page_to: int | None
    section: str | None
    heading_path: list[str]
    highlights: list[Highlight] = field(default_factory=list)


def number_sources(hits: Sequence[Hit]) -> list[CitedSource]:
    """The hits as sources, numbered from 1 in their order."""
    return [
        CitedSource(
            number=number,
            title=hit.title,
            source=hit.source,
            url=hit.source if _WEB.match(hit.source) else None,
            text=hit.content,
            scope=hit.scope,
            la_code=hit.la_code,
            school_urn=hit.school_urn,
            document_type=hit.document_type,
            authority=hit.authority,
            version=hit.version,
            effective_date=hit.effective_date,
            document_id=hit.document_id,
            chunk_id=hit.chunk_id,
            matched_by=hit.matched_by,
            similarity=hit.similarity,
            score=hit.score,
            page_from=hit.page_from,
            page_to=hit.page_to,
            section=hit.heading_path[-1] if hit.heading_path else None,
            heading_path=hit.heading_path,
        )
        for number, hit in enumerate(hits, start=1)
    ]


def quotable(sources: Sequence[CitedSource], hits: Sequence[Hit]) -> list[Source]:
    """The sources with the text around each passage, as an answer may use it."""
    return [
        Source(
            number=cited.number,
            title=cited.title,
            text=hit.context or hit.content,
            source=cited.source,
            section=cited.section,
            version=cited.version,
            effective_date=cited.effective_date,
            passage=hit.content,
            scope=cited.scope,
        )
        for cited, hit in zip(sources, hits, strict=True)
    ]


def highlight(sources: Sequence[CitedSource], quotes: dict[int, list[str]]) -> list[CitedSource]:
    """The sources with the places of what each one is quoted for; what stands in the text around
    a passage has no place in it.
    """
    return [
        replace(source, highlights=_places(source.text, quotes.get(source.number, ())))
        for source in sources
    ]


def _places(text: str, quotes: Sequence[str]) -> list[Highlight]:
    found = set()
    for quote in quotes:
        for part in quote.split(" […] "):
            # a quotation is one line with single spaces, whatever the passage's lines are
            pattern = r"\s+".join(map(re.escape, part.split()))
            if pattern and (match := re.search(pattern, text)):
                found.add((match.start(), match.end()))
    return [Highlight(start, end) for start, end in sorted(found)]
