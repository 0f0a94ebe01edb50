"""What calls to a provider use up: counted by whoever pays, without a word to whoever calls.

    with metered() as usage:
        vectors = embedder.embed(texts)
    usage.tokens_of(0)  # of the first text; 0 from a provider that bills nothing

The count holds also when the call fails halfway: what was answered was billed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

# No request costs more; a service that says so is not believed.
_MOST_TOKENS = 100_000_000


@dataclass(slots=True)
class Usage:
    """Tokens that one call used, by the place of each text in it."""

    by_text: dict[int, int] = field(default_factory=dict)

    def tokens_of(self, text: int) -> int:
        """The tokens billed for a text of the call."""
        return self.by_text.get(text, 0)


_meter: ContextVar[Usage | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[Usage]:
    """Count what one call to an embedder uses within the block."""
    usage = Usage()
    token = _meter.set(usage)
    try:
        yield usage
    finally:
        _meter.reset(token)


def note(billed: object, *, texts: Sequence[int], estimates: Sequence[int]) -> None:
    """Charge one request to its texts.

    `billed` is what the service says it used, shared out as our estimates are; where it says
    nothing sensible the estimates themselves count.
    """
    usage = _meter.get()
    if usage is None or not texts:
        return
    total = sum(estimates)
    if type(billed) is not int or not 0 <= billed <= _MOST_TOKENS:
        billed = total
    before = 0
    charged = 0
    for text, estimate in zip(texts, estimates, strict=True):
        # rounded where the shares end, so that they add up to what was billed
        before += estimate
        share = billed * before // total - charged if total else 0
        charged += share
        usage.by_text[text] = usage.tokens_of(text) + share
