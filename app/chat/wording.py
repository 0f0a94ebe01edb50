"""Sentences that this service says itself, beside those of the loaded pack."""

import textwrap
from collections.abc import Sequence

from app.answering import BROAD_FALLBACK
from app.calls import Scope
from app.chat.calls import Wording
from providers.extractive import NOT_FOUND

NO_QUOTE = (
    "I found no sentence that answers this by itself. The documents nearest to the question are "
    "listed as sources."
)
SOURCES_ONLY = "The sources could not be quoted just now; the passages found are listed with them."

_LONGEST_SUBJECT = 80

# what did not work, in words for people
DEGRADED = {
    "embedding_failed": "The question could not be compared by meaning, so only its words counted.",
    "model_failed": "The language model did not answer, so this quotes the documents instead.",
    "model_stopped": "The language model broke off, so this quotes the documents instead.",
    "rewrite_failed": "The question was not reworded, so it was searched for as it was asked.",
    "rerank_failed": "The reranker did not answer, so sources stand in the order of the search.",
    "not_kept": "This answer is not kept, so a next question cannot lean on it.",
}


def disclaimer(wording: Wording | None) -> str:
    """Said before an answer that drew on every area."""
    return wording.no_area_disclaimer if wording else BROAD_FALLBACK


def not_found(wording: Wording | None, *, searched: Sequence[str], scope: Scope) -> str:
    """Said when nothing was found, with where and what for it was searched."""
    places = [place for place in (scope.school_name, scope.la_name, scope.home_la_name) if place]
    where = f" and those of {', '.join(places)}" if places else ""
    asked = dict.fromkeys(_shortened(each) for each in searched)
    what = "; ".join(f"“{each}”" for each in asked if each)
    said = wording.not_found if wording else NOT_FOUND
    return f"{said}\n\nSearched the national documents{where}{f' for {what}' if what else ''}."


def _shortened(text: str) -> str:
    """So much of a question that its subject is known again: nobody wants all of it read back."""
    return textwrap.shorten(text, _LONGEST_SUBJECT, placeholder=" …").removeprefix("…").lstrip()
