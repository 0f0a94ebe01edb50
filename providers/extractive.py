"""Answers without a language model: quotes the sentences nearest to the question, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from providers.protocols import Answer, Embedder, Source
from providers.sentences import is_table_row, sentences
from providers.visible import visible_text

HEADING = "Most relevant passages, quoted word for word:"
NOT_FOUND = (
    "I couldn't find this in the documents I can see. Try other words, or check that the right "
    "local authority or school is chosen."
)
# Cosine of the offline model below which a sentence is about something else.
LOCAL_FLOOR = 0.35
# A companion of a good sentence may be a little further from the question.
COMPANION_SLACK = 0.07
FEWEST, MOST = 3, 5
SHORTEST, LONGEST = 35, 600  # characters of a sentence worth quoting
FEWEST_WORDS, FEWEST_CELL_WORDS = 6, 4
# Two sentences nearer to each other than this say the same.
SAME = 0.92
# How much a sentence's nearness to those already picked counts against it.
REPETITION = 0.15
# A piece without a sentence's end is a heading or half a list; it must be nearer to be preferred.
INCOMPLETE = 0.08
# What the search ranked first is preferred by this much to what it ranked last.
RANK = 0.06
MOST_CANDIDATES = 160


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted, and where it stands: source number, then place in it."""

    number: int
    position: int
    text: str


def candidates(sources: Sequence[Source]) -> list[Candidate]:
    """The sentences worth quoting: no headings, questions, fragments or repetitions."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for source in sources:
        for position, text in enumerate(sentences(visible_text(source.text))):
            # passages overlap and may begin in the middle of a sentence
            is_fragment = position == 0 and text[0].islower()
            folded = "".join(char for char in text.casefold() if char.isalnum())
            if is_fragment or folded in seen or not _is_quotable(text):
                continue
            seen.add(folded)
            found.append(Candidate(source.number, position, text))
    return found[:MOST_CANDIDATES]


def _is_quotable(text: str) -> bool:
    words = sum(any(map(str.isalnum, word)) for word in text.split())
    # a question holds no answer, and a lead-in promises a list that is not quoted with it
    is_open = _core(text).endswith(("?", ":"))
    is_heading = text.startswith("#")
    return (
        SHORTEST <= len(text) <= LONGEST
        and words >= (FEWEST_CELL_WORDS if is_table_row(text) else FEWEST_WORDS)
        and not is_open
        and not is_heading
    )


def _core(text: str) -> str:
    return text.rstrip("\"'”’)] ")


def preference(found: Sequence[Candidate]) -> NDArray[np.float64]:
    """What each sentence gains or loses in the order of choice, apart from its nearness."""
    numbers = np.asarray([candidate.number for candidate in found], dtype=np.float64)
    span = max(float(np.ptp(numbers)), 1.0)
    complete = [is_table_row(c.text) or _core(c.text)[-1:] in (".", "!", "…") for c in found]
    gain: NDArray[np.float64] = RANK * (numbers.max() - numbers) / span
    return gain - np.where(complete, 0.0, INCOMPLETE)


def pick(
    nearness: NDArray[np.float64],
    vectors: NDArray[np.float64],
    *,
    floor: float,
    preferred: NDArray[np.float64],
) -> list[int]:
    """Indexes of up to five sentences: near the question, each unlike those picked before.

    Empty when no sentence reaches ``floor``. ``nearness`` is each sentence's cosine with the
    question; ``vectors`` holds the sentences, one row each, at length one; ``preferred`` moves
    them in the order of choice but over no floor.
    """
    picked: list[int] = []
    merit = nearness + preferred
    penalty = np.zeros(len(nearness))
    open_to_all = np.ones(len(nearness), dtype=bool)
    while len(picked) < MOST:
        needed = floor if not picked or len(picked) >= FEWEST else floor - COMPANION_SLACK
        allowed = open_to_all & (nearness >= needed)
        if not allowed.any():
            break
        best = int(np.where(allowed, merit - REPETITION * penalty, -np.inf).argmax())
        picked.append(best)
        likeness = vectors @ vectors[best]
        penalty = np.maximum(penalty, likeness)
        open_to_all &= likeness < SAME
    return picked


class ExtractiveAnswerer:
    """An Answerer that quotes three to five sentences, each followed by its source's number.

    Where fewer sentences are near enough it quotes fewer; where none is, it says so. ``floor`` is
    the least cosine between question and sentence; it belongs to the embedding model.
    """

    def __init__(self, embedder: Embedder, *, floor: float = LOCAL_FLOOR) -> None:
        self._embedder = embedder
        self._floor = floor

    async def answer(self, *, question: str, sources: Sequence[Source]) -> Answer:
        """Quote the best sentences in reading order. Raises ProviderError from the embedder."""
        found = candidates(sources)
        if not found:
            return Answer(text=NOT_FOUND, citations=[], found=False)
        embedded = np.asarray(await self._embedder.aembed([question, *(c.text for c in found)]))
        asked, vectors = embedded[0], embedded[1:]
        picked = pick(vectors @ asked, vectors, floor=self._floor, preferred=preference(found))
        chosen = [found[at] for at in picked]
        if not chosen:
            return Answer(text=NOT_FOUND, citations=[], found=False)
        chosen.sort(key=lambda candidate: (candidate.number, candidate.position))
        quotes = [f"“{candidate.text}” [{candidate.number}]" for candidate in chosen]
        return Answer(
            text="\n\n".join([HEADING, *quotes]),
            citations=sorted({candidate.number for candidate in chosen}),
            found=True,
        )
