"""How the end of one line and the beginning of the next are put together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_WORD_AT_END = re.compile(r"[^\W\d_]+$")
_WORD_AT_START = re.compile(r"^[^\W\d_]+")
_OPEN_RANGE = re.compile(r"\w[–—-]$")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD = re.compile(r"[^\W\d_]+")
# "pre- and post-natal": the hyphen stands for a word that follows later.
_LINKS = frozenset(["and", "or", "to", "und", "oder", "et", "ou"])
# No word is longer, and searching a whole paragraph for its last word would take long.
_TAIL = 80


@dataclass(frozen=True, slots=True)
class Seam:
    """What stands between two lines, and whether the hyphen that ends the first one goes."""

    glue: str
    drops_hyphen: bool = False


class Words:
    """The words of a document, to tell a hyphen of its layout from one of its language."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._plain: set[str] = set()
        self._compound: set[str] = set()
        for text in texts:
            lower = text.casefold()
            self._plain.update(_WORD.findall(lower))
            self._compound.update(_COMPOUND.findall(lower))

    def seam(self, above: str, below: str, *, hyphen: bool) -> Seam:
        """How `below` continues `above`; `hyphen` tells of one that was taken off already."""
        above = above[-_TAIL:]
        written = len(above) > 1 and above[-1] in "-‐" and above[-2].isalpha()
        if not (hyphen or written):
            open_range = _OPEN_RANGE.search(above) and below[:1].isdigit()
            cjk = _CJK.match(above[-1:]) and _CJK.match(below[:1])
            return Seam("" if open_range or cjk else " ")
        head = _WORD_AT_END.search(above[:-1] if written else above)
        tail = _WORD_AT_START.match(below)
        if tail is not None and tail.group() in _LINKS:
            return Seam(" " if written else "- ")
        stays = (
            head is None
            or tail is None
            or (not tail.group()[0].islower() and not head.group().isupper())
            or self._is_compound(head.group().casefold(), tail.group().casefold())
        )
        return Seam("-" if stays else "", drops_hyphen=written)

    def _is_compound(self, head: str, tail: str) -> bool:
        """Whether the rest of the document speaks for `head-tail` rather than `headtail`."""
        if f"{head}{tail}" in self._plain:
            return False
        if f"{head}-{tail}" in self._compound:
            return True
        long_enough = len(head) >= 4 and len(tail) >= 5
        return long_enough and head in self._plain and tail in self._plain
