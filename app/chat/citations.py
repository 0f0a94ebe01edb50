"""Citation marks in a text that comes in pieces: whole, in one form, and pointing at a source."""

import re
from dataclasses import dataclass, field

# what a mark is made of, and how long one can be before it is plain text
_MADE_OF = frozenset("0123456789 ,;-–^SsOoUuRrCcEeNnDdAa†")
_LONGEST = 48
# three digits at most: [2014] is a year
_MARK = re.compile(
    r"[\[【]\^?\s*(?:sources?\s*)?(\d{1,3}(?:\s*(?:,|;|-|–|and)\s*\d{1,3})*)\s*(?:†[a-z ]*)?[\]】]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,3})\s*[-–]\s*(\d{1,3})")
_WIDEST_RANGE = 20
_OPENING, _CLOSING = "[【", "]】"


@dataclass(slots=True)
class CitationFilter:
    """Lets a text through with its marks as `[1]` or `[1][3]`, unknown numbers left out.

    However the text is cut into pieces, what comes out is the same, and no mark is ever cut:
    from an opening bracket on, and the spaces before it, text waits until it is clear what it is.
    """

    known: frozenset[int]
    cited: list[int] = field(default_factory=list)
    dropped: int = 0
    _held: str = ""

    def feed(self, piece: str) -> str:
        """What can be shown of it now."""
        out: list[str] = []
        for char in piece:
            out.append(self._step(char))
        return "".join(out)

    def end(self) -> str:
        """What was still held back when the text ended."""
        held, self._held = self._held, ""
        return held

    def _step(self, char: str) -> str:
        opened = self._held.lstrip(" ")
        if not opened:
            if (char == " " and len(self._held) < _LONGEST) or char in _OPENING:
                self._held += char
                return ""
            return self._let_go(char)
        if char in _CLOSING:
            self._held += char
            return self._judge()
        if char in _MADE_OF and len(opened) < _LONGEST:
            self._held += char
            return ""
        # no mark after all; the character itself may begin one
        return self.end() + self._step(char)

    def _let_go(self, char: str) -> str:
        return self.end() + char

    def _judge(self) -> str:
        held = self.end()
        opened = held.lstrip(" ")
        mark = _MARK.fullmatch(opened)
        if mark is None:
            return held
        numbers = _numbers(mark.group(1))
        shown = [number for number in numbers if number in self.known]
        self.dropped += len(numbers) - len(shown)
        self.cited += [number for number in shown if number not in self.cited]
        if not shown:
            return ""
        return held[: len(held) - len(opened)] + "".join(f"[{number}]" for number in shown)


def _numbers(listed: str) -> list[int]:
    """The numbers of a mark, each once, in order; `2-4` is three of them."""

    def spelled(span: re.Match[str]) -> str:
        low, high = int(span.group(1)), int(span.group(2))
        if not low <= high <= low + _WIDEST_RANGE:
            return f"{low},{high}"
        return ",".join(map(str, range(low, high + 1)))

    return list(dict.fromkeys(int(n) for n in re.findall(r"\d+", _RANGE.sub(spelled, listed))))
