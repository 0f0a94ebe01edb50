"""Which links lead to the policies people look for, by the words of the link or of its address.

The words are the pack's (`policy_pages.tsv`); here is only how they are compared. Addresses are
read as words too: /our-school/SENPolicy2025.pdf says "our school sen policy 2025 pdf".
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_EDGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Za-z])")
_NO_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class PolicyPage:
    """A kind of policy; a phrase that begins with `=` must be all that is said."""

    slug: str
    name: str
    phrases: Sequence[str]
    unless: Sequence[str] = ()


def policy_of(pages: Iterable[PolicyPage], *, text: str, url: str) -> str | None:
    """The slug of the first kind that a link's words or address name, None when it names none."""
    parts = urlsplit(url)
    said = [
        _words(text),
        _words(unquote(parts.path.rpartition("/")[2])),
        _words(unquote(parts.path)),
    ]
    for page in pages:
        if any(_says(words, phrase) for words in said for phrase in page.unless):
            continue
        if any(_says(words, phrase) for words in said for phrase in page.phrases):
            return page.slug
    return None


def _says(words: str, phrase: str) -> bool:
    wanted = _words(phrase)
    if not wanted:
        return False
    return words == wanted if phrase.startswith("=") else f" {wanted} " in f" {words} "


def _words(text: str) -> str:
    """The words of a text in lower case, a space between; letters lose their accents."""
    apart = _EDGE.sub(" ", text.replace("'", "").replace("’", ""))
    plain = unicodedata.normalize("NFKD", apart).encode("ascii", "ignore").decode().lower()
    return _NO_WORD.sub(" ", plain.replace("&", " and ")).strip()
