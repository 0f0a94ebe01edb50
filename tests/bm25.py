"""BM25 by the book, in Python: what the keyword leg is measured against.

Score of a text = sum over the words of the question of
idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (N - n + 0.5) /
(n + 0.5)), with N texts, n of them holding the word, tf times in this one.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# made up, so that no stemmer and no stop list touches them
_COMMON = "bom dak fim gub hod jat kib lom mub nak pif rud sab tog vit wom yub zat"
_RARE = "blom dralk frim glub hond jalt krib lomp mubt nark pilf rund sabt togm vilt womp"
WORDS = [word for words in (_COMMON, _RARE) for word in words.split(" ")]


@dataclass(frozen=True, slots=True)
class Bm25:
    """Statistics of a set of texts; a text is the list of its words."""

    texts: Mapping[int, Sequence[str]]
    k1: float = 1.2
    b: float = 0.75

    def idf(self, word: str) -> float:
        """How much a word tells; more, the fewer texts hold it."""
        holding = sum(word in text for text in self.texts.values())
        return math.log(1 + (len(self.texts) - holding + 0.5) / (holding + 0.5))

    def score(self, text_id: int, question: Mapping[str, float]) -> float:
        """The score of one text; the question gives each word its weight."""
        counts = Counter(self.texts[text_id])
        mean = sum(len(text) for text in self.texts.values()) / len(self.texts)
        length = 1 - self.b + self.b * len(self.texts[text_id]) / mean
        total = 0.0
        for word, weight in question.items():
            if tf := counts[word]:
                total += weight * self.idf(word) * tf * (self.k1 + 1) / (tf + self.k1 * length)
        return total

    def scores(self, question: Mapping[str, float]) -> dict[int, float]:
        """The scores of every text that holds a word of the question."""
        return {
            text_id: self.score(text_id, question)
            for text_id, text in self.texts.items()
            if set(text) & set(question)
        }


def invented_texts(count: int, *, seed: int) -> list[list[str]]:
    """Texts of 5 to 60 invented words, some words common and some rare."""
    draw = random.Random(seed)  # noqa: S311 - texts, not secrets
    weights = [1 / (1 + n) for n in range(len(WORDS))]
    return [draw.choices(WORDS, weights, k=draw.randint(5, 60)) for _ in range(count)]
