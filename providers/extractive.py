"""Answers without a language model: quotes what fits the question best, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from providers import relevance
from providers.inputs import is_blank
from providers.passages import Piece, pieces
from providers.protocols import Answer, Embedder, ProviderError, Source
from providers.visible import visible_text

HEADING = "Most relevant passages, quoted word for word:"
NOT_FOUND = (
    "I couldn't find this in the documents I can see. Try other words, or check that the right "
    "local authority or school is chosen."
)
# A piece is about something else when its cosine with the question, raised a little by the words
# they share, is below this. It belongs to the offline model.
LOCAL_FLOOR, RAISED_BY_WORDS = 0.46, 0.2
# Beside a piece that close, others may be further: a telephone number names no topic.
COMPANION_SLACK = 0.1
FEWEST, MOST, MOST_OF_SOURCE = 3, 5, 2
# What each sign is worth beside the others, found on questions about a sample of documents.
NEARNESS, WORDS, NAMED, RANK, IN_PASSAGE, COMPLETE = 0.4, 0.45, 0.1, 0.2, 0.1, 0.2
WHOLE_LIST = 0.05
# A piece this much worse than the best adds more noise than answer; less so among the first few.
NOT_WORSE, NOT_WORSE_AT_FIRST = 0.25, 0.5
# How much the words shared with a piece picked before count against one.
REPETITION = 0.05
# The search ranks ten sources or so; among two, the second is not the last by far.
LEAST_SPAN = 6
# Embedding is what costs time: the rest of the signs choose what is worth it.
MOST_EMBEDDED, LEAST_OF_SCOPE = 20, 3
MOST_EXPANSIONS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that may be quoted, the source it stands in, and its place there."""

    number: int
    position: int
    scope: str | None
    piece: Piece
    in_passage: bool


def candidates(sources: Sequence[Source]) -> list[Candidate]:
    """What can be quoted, each once: from the source whose own passage holds it, else the first."""
    found: dict[str, Candidate] = {}
    for source in sources:
        text = visible_text(source.text)
        passage = _folded(text if source.passage is None else visible_text(source.passage))
        for position, piece in enumerate(pieces(text)):
            key = _folded(piece.text)
            in_passage = _folded(piece.core) in passage
            before = found.get(key)
            if before is None or (in_passage and not before.in_passage):
                placed = replace(piece, topic=_joined(source.title, piece.topic))
                found[key] = Candidate(source.number, position, source.scope, placed, in_passage)
    return sorted(found.values(), key=lambda each: (each.number, each.position))


def _folded(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _joined(title: str, topic: str) -> str:
    if not topic or topic == title:
        return title
    return f"{title}. {topic}"


def signs(
    question: str,
    expansions: Sequence[str],
    found: Sequence[Candidate],
    shared: Sequence[float],
) -> NDArray[np.float64]:
    """What each candidate is worth as far as words, place and shape tell.

    ``shared`` is the share of the question's words that each one holds.
    """
    first, last = found[0].number, found[-1].number
    span = max(last - first, LEAST_SPAN)
    return np.asarray(
        [
            WORDS * share
            + NAMED * relevance.named(expansions, each.piece.text)
            + relevance.cues(question, each.piece.text)
            + RANK * (1 - (each.number - first) / span)
            + IN_PASSAGE * each.in_passage
            + COMPLETE * each.piece.complete
            + WHOLE_LIST * ("\n" in each.piece.text)
            for each, share in zip(found, shared, strict=True)
        ]
    )


def worth_embedding(worth: NDArray[np.float64], found: Sequence[Candidate]) -> list[int]:
    """Indexes of the best candidates, some of every scope among them."""
    order = [int(at) for at in np.argsort(-worth, kind="stable")]
    kept = order[:MOST_EMBEDDED]
    for scope in {each.scope for each in found}:
        kept += [at for at in order if found[at].scope == scope][:LEAST_OF_SCOPE]
    return sorted(set(kept))


@dataclass(frozen=True, slots=True)
class Choice:
    """What is known of the candidates when choosing among them; one item of each for each."""

    found: Sequence[Candidate]
    closeness: NDArray[np.float64]  # to the question; decides whether to quote at all
    merit: NDArray[np.float64]  # decides what to quote
    floor: float  # of closeness

    def pick(self) -> list[int]:
        """Indexes of up to five that are close, good, unlike each other, and of every scope.

        Empty when no candidate's closeness reaches the floor.
        """
        picked: list[int] = []
        order = sorted(range(len(self.found)), key=lambda at: -self.merit[at])
        # the best of each scope first: one's own area beside the law, whatever ranks higher
        for scope in dict.fromkeys(self.found[at].scope for at in order):
            self._add(
                picked,
                [
                    at
                    for at in order
                    if self.closeness[at] >= self.floor and self.found[at].scope == scope
                ],
            )
        while picked and len(picked) < MOST:
            worse = NOT_WORSE_AT_FIRST if len(picked) < FEWEST else NOT_WORSE
            least = max(self.merit[at] for at in picked) - worse
            near = self.floor - COMPANION_SLACK
            if not self._add(
                picked,
                [at for at in order if self.closeness[at] >= near and self.merit[at] >= least],
            ):
                break
        return picked[:MOST]

    def _add(self, picked: list[int], allowed: Sequence[int]) -> bool:
        """Add the best of those allowed that can stand beside the others, if any can.

        One that goes on where a picked one ends takes its place.
        """
        scores = {at: score for at in allowed if (score := self._score(at, picked)) is not None}
        if not scores:
            return False
        best = max(scores, key=scores.__getitem__)
        picked[:] = [other for other in picked if not self._holds(best, other)]
        picked.append(best)
        return True

    def _score(self, at: int, picked: Sequence[int]) -> float | None:
        new = self.found[at]
        others = [other for other in picked if not self._holds(at, other)]
        if sum(self.found[other].number == new.number for other in others) >= MOST_OF_SOURCE:
            return None
        like = 0.0
        for other in others:
            old = self.found[other].piece
            # items of one list share the words that lead into it
            if not set(new.piece.parts).isdisjoint(old.parts):
                return None
            if relevance.says_the_same(new.piece.text, old.text):
                return None
            like = max(like, relevance.likeness(new.piece.text, old.text))
        return float(self.merit[at]) - REPETITION * like

    def _holds(self, at: int, other: int) -> bool:
        """Whether one quotation is the other with more around it."""
        return set(self.found[other].piece.parts) < set(self.found[at].piece.parts)


class ExtractiveAnswerer:
    """An Answerer that quotes three to five pieces, each followed by its source's number.

    Where fewer are close enough it quotes fewer; where none is, it says so. ``floor`` is the least
    closeness; see LOCAL_FLOOR.
    """

    def __init__(self, embedder: Embedder, *, floor: float = LOCAL_FLOOR) -> None:
        self._embedder = embedder
        self._floor = floor

    async def answer(
        self, *, question: str, sources: Sequence[Source], expansions: Sequence[str] = ()
    ) -> Answer:
        """Quote the best pieces in reading order; ``expansions`` are other words for the question.

        Raises ProviderError for a blank question and whatever the embedder raises.
        """
        if is_blank(question):
            raise ProviderError("the question is blank: ask it in words", code="blank_input")
        found = candidates(sources)
        if not found:
            return Answer(text=NOT_FOUND, citations=[], found=False)
        choice = await self._choice(question, expansions, found)
        chosen = [choice.found[at] for at in choice.pick()]
        if not chosen:
            return Answer(text=NOT_FOUND, citations=[], found=False)
        chosen.sort(key=lambda each: (each.number, each.position))
        quotes = [f"“{each.piece.text}” [{each.number}]" for each in chosen]
        return Answer(
            text="\n\n".join([HEADING, *quotes]),
            citations=sorted({each.number for each in chosen}),
            found=True,
        )

    async def _choice(
        self, question: str, expansions: Sequence[str], found: Sequence[Candidate]
    ) -> Choice:
        shared = relevance.shared_words(question, [each.piece for each in found])
        worth = signs(question, expansions, found, shared)
        kept = worth_embedding(worth, found)
        asked = [question]
        if expansions:
            asked.append(f"{question} ({'; '.join(expansions[:MOST_EXPANSIONS])})")
        told = [f"{found[at].piece.topic}: {found[at].piece.text}" for at in kept]
        embedded = np.asarray(await self._embedder.aembed([*asked, *told]))
        nearness = (embedded[len(asked) :] @ embedded[: len(asked)].T).max(axis=1)
        return Choice(
            found=[found[at] for at in kept],
            closeness=nearness + RAISED_BY_WORDS * np.asarray(shared)[kept],
            merit=worth[kept] + NEARNESS * nearness,
            floor=self._floor,
        )
