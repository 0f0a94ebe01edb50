"""What is sent to a model: checked texts, cut into parts and packed under the service's limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from providers.protocols import ProviderError


@dataclass(frozen=True, slots=True)
class Part:
    """A text, or a piece of one that is too long for the model; ``item`` is the text's index."""

    item: int
    text: str
    tokens: int


def is_blank(text: str) -> bool:
    """True when nothing in the text can be seen: only spaces, controls or zero-width characters."""
    return not any(char.isprintable() and not char.isspace() for char in text)


def check_texts(texts: Sequence[str]) -> list[str]:
    """The texts, safe to encode as UTF-8. Raises ProviderError naming the first blank one."""
    if isinstance(texts, str):
        raise TypeError("pass a list of texts, not one text")
    for item, text in enumerate(texts):
        if is_blank(text):
            raise ProviderError(
                f"text {item} of {len(texts)} is blank; leave it out before embedding",
                code="blank_input",
                item=item,
            )
    # half of a surrogate pair cannot be encoded and would fail deep inside the client
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def estimate_tokens(text: str) -> int:
    """The tokens a byte-pair model makes of the text, rather too many than too few.

    English takes about four characters a token, so three is on the safe side; other scripts take
    up to one token for each byte of a character but its first.
    """
    narrow = sum(char < "\x80" for char in text)
    wide = len(text.encode("utf-8")) - len(text)
    return narrow // 3 + wide + 1


def split_text(text: str, *, limit: int) -> list[str]:
    """Pieces of the text that each stay under ``limit`` tokens; together they are the text."""
    if estimate_tokens(text) <= limit or len(text) < 2:
        return [text]
    middle = len(text) // 2
    # a cut between two words harms meaning least
    space = max(text.rfind(" ", middle // 2, middle), text.rfind("\n", middle // 2, middle))
    cut = middle if space < 0 else space + 1
    return split_text(text[:cut], limit=limit) + split_text(text[cut:], limit=limit)


def parts_of(texts: Sequence[str], *, limit: int) -> list[Part]:
    """Every text as one part, or as several when it is longer than ``limit`` tokens."""
    return [
        Part(item, piece, estimate_tokens(piece))
        for item, text in enumerate(texts)
        for piece in split_text(text, limit=limit)
        if not is_blank(piece)
    ]


def pack(parts: Sequence[Part], *, max_items: int, max_tokens: int) -> Iterator[list[Part]]:
    """Groups of parts, in order, each under both limits; a part above ``max_tokens`` goes alone."""
    batch: list[Part] = []
    tokens = 0
    for part in parts:
        if batch and (len(batch) == max_items or tokens + part.tokens > max_tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(part)
        tokens += part.tokens
    if batch:
        yield batch
