"""Answers without a chat model: passages quoted word for word, in the shape of any other answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.embedders import Embedders
from providers.extractive import ExtractiveAnswerer
from providers.protocols import Answer, Source

# each quotation is a paragraph of its own, followed by its number
_QUOTED = re.compile(r"(?<=\n\n)“(.+?)” \[(\d+)\](?=\n\n|\Z)", re.DOTALL)
# a document's own footnotes, which would look like marks of ours
_FOOTNOTE = re.compile(r"\[(\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*)\]")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation, where it stands in the answer, and its source's number."""

    start: int
    end: int
    text: str
    number: int


async def quote(
    embedders: Embedders, question: str, sources: Sequence[Source], expansions: Sequence[str]
) -> Answer:
    """The passages that answer best; raises ProviderError without the offline model."""
    answerer = ExtractiveAnswerer(await embedders.offline())
    return await answerer.answer(question=question, sources=sources, expansions=expansions)


def blocks(text: str) -> list[str]:
    """The answer in pieces, none of which cuts a quotation or its mark."""
    found = text.split("\n\n")
    return [block + "\n\n" for block in found[:-1]] + found[-1:]


def quotations(text: str) -> list[Quotation]:
    """Every quotation of an answer."""
    return [
        Quotation(match.start(), match.end(), match.group(1), int(match.group(2)))
        for match in _QUOTED.finditer(text)
    ]


def without_footnotes(text: str, quotes: Sequence[Quotation]) -> str:
    """The answer with round brackets for what a quotation's own text has in square ones, so that
    every mark is ours; nothing in it moves.
    """
    for each in quotes:
        start = each.start + 1
        end = start + len(each.text)
        text = text[:start] + _FOOTNOTE.sub(r"(\1)", each.text) + text[end:]
    return text


def by_source(quotes: Sequence[Quotation]) -> dict[int, list[str]]:
    """The quotations of each source."""
    found: dict[int, list[str]] = {}
    for each in quotes:
        found.setdefault(each.number, []).append(each.text)
    return found
