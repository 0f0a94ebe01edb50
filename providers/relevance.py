"""How well a piece answers a question, as far as its words show: no model is asked."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from providers.passages import Piece

DIGITS = re.compile(r"\d+")
WORD = re.compile(r"[a-z0-9£](?:[a-z0-9'’.-]*[a-z0-9])?")
# Words of most questions, whatever they ask; the people they are about are among them.
COMMON = frozenset(
    re.findall(
        r"[a-z']+",
        """a about after all also am an and any are as at be been before but by can can't could did
        do does don't for from get go had has have he help her herself him himself his how i if in
        into is it its just know like many may me might more much must my myself need needs no not
        of on one or our out over per please say should so some tell than that the their them then
        there these they this those to too up us very was we were what when where which who whom
        why will with would you your boy child children daughter girl kid kids son""",
    )
)
SAME = 0.7  # likeness of two texts that say the same
ENDINGS = (
    ("ments", ""),
    ("ment", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
    ("e", ""),
)
DOUBLED = frozenset(2 * letter for letter in "bdgmnprt")

DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
COUNT = (
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
)
NUMBER = rf"(?:one|{COUNT})"
SPAN = r"(?:minutes?|hours?|days?|weeks?|months?|years?|times?|sessions?|terms?)"
CLOCK = r"\b\d{1,2}(?:[.:]\d\d)? ?[ap]m\b|\bnoon\b"


@dataclass(frozen=True, slots=True)
class Cue:
    """A way of asking, what an answer to it usually holds, and how much that counts."""

    asked: re.Pattern[str]
    given: re.Pattern[str]
    worth: float


def _cue(asked: str, given: str, worth: float) -> Cue:
    return Cue(re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE), worth)


CUES = (
    _cue(
        r"\bhow (?:long|soon|often|many|late|old)\b|\bwhen\b|\bdeadlines?\b|\btime limits?\b|"
        r"\bwhat (?:time|day|date|age)\b",
        rf"\b{NUMBER}\b[^.;]{{0,25}}\b{SPAN}\b|\b{DAY}\b|\b\d{{1,2}} {MONTH}\b|{CLOCK}",
        0.1,
    ),
    _cue(r"\bhow many\b", rf"\b{COUNT}\b", 0.1),
    _cue(
        r"\bhow (?:far|near|close)\b|\bdistances?\b",
        rf"\b{NUMBER}\b[^.;]{{0,25}}\b(?:miles?|metres?|kilometres?|km)\b",
        0.1,
    ),
    _cue(
        r"\bhow much\b|\bcosts?\b|\b(?:i|we|to) pay\b|\bprices?\b|\bcharged?s?\b|\bfees?\b|"
        r"\brates?\b|£",
        r"£ ?\d|\b\d+p\b|\bfree\b|\bno (?:charge|fee|cost)\b|\bwithout charge\b",
        0.12,
    ),
    _cue(
        r"\bwho\b|\bphone\b|\bnumber\b|\bcontact\b|\be-?mail\b|\bring\b|\bcall\b|\btalk to\b|"
        r"\bspeak to\b|\bhelp\b",
        r"\b\d{3,5} \d{3} ?\d{3,4}\b|\b0\d{9,10}\b|\S@\S",
        0.25,
    ),
    _cue(
        r"\bhow (?:do|can|should|would|to)\b|\bwhat (?:can|should|do|must) (?:i|we)\b|"
        r"\bwhat to do\b",
        r"\b(?:you|parents?|famil(?:y|ies)) (?:can|may|should)\b|^(?:ask|write|ring|call|apply|"
        r"tell|contact|fill|send|keep|quote|say|complete|register|e-?mail|report|use|attach|put|"
        r"go)\b|\bstage one\b|\bapply\b",
        0.12,
    ),
)


def words(text: str) -> set[str]:
    """The words that carry a text's meaning, without their endings."""
    return {_stem(word) for word in WORD.findall(text.lower()) if word not in COMMON}


def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s").removesuffix("'")
    if word.endswith("ss"):
        return word
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + instead
            break
    # planned, plan; but not call
    return word[:-1] if word[-2:] in DOUBLED else word


def shared_words(question: str, found: Sequence[Piece]) -> list[float]:
    """For each piece with its topic: the share of the question's words in it, 0 to 1.

    A word that few pieces hold counts for more than one that many hold.
    """
    asked = words(question)
    told = [words(piece.text) for piece in found]
    held = Counter(word for each in told for word in each & asked)
    weight = {word: math.log(1 + len(found) / (0.5 + held[word])) for word in asked}
    most = sum(weight.values()) or 1.0
    return [
        sum(weight[word] for word in (each | words(piece.topic)) & asked) / most
        for each, piece in zip(told, found, strict=True)
    ]


def likeness(one: str, other: str) -> float:
    """The share of their words that two texts have in common, 0 to 1."""
    left, right = words(one), words(other)
    return len(left & right) / max(len(left | right), 1)


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts share most of their words, and all of their numbers."""
    return likeness(one, other) >= SAME and set(DIGITS.findall(one)) == set(DIGITS.findall(other))


def named(expansions: Sequence[str], text: str) -> float:
    """How many of the phrases stand in the text: 0 for none, 0.5 for one, 1 for more."""
    folded = " ".join(text.casefold().split())
    count = sum(
        bool(re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", folded))
        for phrase in expansions
    )
    return min(count, 2) / 2


def cues(question: str, text: str) -> float:
    """What the text gains by holding what such a question asks for: a time, a price, a way."""
    return sum(cue.worth for cue in CUES if cue.asked.search(question) and cue.given.search(text))
