"""Does each sentence of an answer stand in the sources it cites? Words and numbers tell.

No model judges: the same answer gets the same marks. It finds what is made up (a number, a name, a
subject no source speaks of), not a sentence turned round (`must not` for `must`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from providers.protocols import Source
from providers.relevance import words
from providers.sentences import sentences, split_block

# the share of a sentence's words that must stand in its sources
LEAST_SHARE = 0.5
# with fewer words of meaning, no number and no mark nothing is claimed: "Here is what to do:"
FEWEST_WORDS = 3

_MARK = re.compile(r"\[(\d{1,3})\]")
_LEADING_MARKS = re.compile(r"(?:\[\d{1,3}\]\s*)+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# not "one": it is seldom a number
_COUNTS = {
    word: str(value)
    for value, word in enumerate(
        re.findall(
            r"\w+",
            "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen twenty",
        ),
        start=2,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of the answer, `answer[start:end]`, and whether its sources bear it out.

    `supported` is None where nothing is claimed. `reason` says what is missing: no_citation,
    number or words.
    """

    start: int
    end: int
    citations: list[int]
    supported: bool | None
    reason: str | None = None


def check(answer: str, sources: Sequence[Source]) -> list[CheckedSentence]:
    """Every sentence of the answer. One without a mark of its own rests on the next mark in its
    paragraph.
    """
    texts = {source.number: f"{source.title}\n{source.text}" for source in sources}
    checked: list[CheckedSentence] = []
    for paragraph in re.finditer(r"[^\n]+(?:\n(?!\s*\n)[^\n]+)*", answer):
        spans = _sentences(answer, paragraph.start(), paragraph.end())
        following: list[int] = []
        found = []
        for start, end in reversed(spans):
            own = [int(number) for number in _MARK.findall(answer[start:end])]
            following = own or following
            found.append(_judge(answer, start, end, following, texts))
        checked += reversed(found)
    return checked


def best_passages(
    answer: str, checked: Sequence[CheckedSentence], passages: Mapping[int, str]
) -> dict[int, list[str]]:
    """For each source the sentences of its passage that the answer's sentences come from."""
    found: dict[int, list[str]] = {}
    split = {number: sentences(text) for number, text in passages.items()}
    for sentence in checked:
        if not sentence.supported:
            continue
        said = _meaning(answer[sentence.start : sentence.end])
        for number in sentence.citations:
            told = split.get(number, [])
            best = max(told, key=lambda each: len(said & words(each)), default="")
            if len(said & words(best)) >= LEAST_SHARE * min(len(said), len(words(best)) or 1):
                found.setdefault(number, []).append(best)
    return found


def _sentences(answer: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where each sentence is; marks after a full stop belong to the sentence before them."""
    spans: list[tuple[int, int]] = []
    at = start
    for line in answer[start:end].split("\n"):
        first_of_line = len(spans)
        cursor = at
        for piece in split_block(line.strip()):
            if not piece:
                continue
            begin = answer.index(piece, cursor)
            cursor = begin + len(piece)
            leading = _LEADING_MARKS.match(piece)
            if leading and len(spans) > first_of_line:
                spans[-1] = (spans[-1][0], begin + len(leading.group().rstrip()))
                begin += leading.end()
            if begin < cursor:
                spans.append((begin, cursor))
        at += len(line) + 1
    return spans


def _judge(
    answer: str, start: int, end: int, citations: list[int], texts: Mapping[int, str]
) -> CheckedSentence:
    said = answer[start:end]
    meaning, numbers = _meaning(said), _numbers(_without_marks(said))
    listed = list(dict.fromkeys(citations))

    def judged(supported: bool | None, reason: str | None = None) -> CheckedSentence:
        return CheckedSentence(start, end, listed, supported, reason)

    says_little = len(meaning) < FEWEST_WORDS or said.rstrip().endswith("?")
    if says_little and not numbers and not _MARK.search(said):
        return judged(None)
    told = "\n".join(texts[number] for number in listed if number in texts)
    if not told:
        return judged(supported=False, reason="no_citation")
    if not numbers <= _numbers(told):
        return judged(supported=False, reason="number")
    if len(meaning & words(told)) < LEAST_SHARE * len(meaning):
        return judged(supported=False, reason="words")
    return judged(supported=True)


def _without_marks(text: str) -> str:
    return _MARK.sub(" ", text)


def _meaning(text: str) -> set[str]:
    return {word for word in words(_without_marks(text)) if not word[:1].isdigit()}


def _numbers(text: str) -> set[str]:
    """The numbers in a text, `six` among them, each without separators."""
    digits = {found.replace(",", "").rstrip(".") for found in _NUMBER.findall(text)}
    return digits | {_COUNTS[found.lower()] for found in _COUNT.findall(text)}
