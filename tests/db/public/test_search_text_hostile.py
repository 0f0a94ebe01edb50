"""search_text: whatever is typed is answered in less than 200 ms, with all words of a pack."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from ingest.packs.files import read_pack
from tests.bulk_corpus import QUESTION
from tests.conftest import REPOSITORY
from tests.corpus import literal
from tests.work import ServerWork

SECONDS = 0.2


@pytest.fixture
def talkative(large: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """A few thousand chunks, and every synonym and topic of the SEND pack."""
    pack = read_pack(REPOSITORY / "packs" / "send")
    for call, rows in (("load_synonyms", pack.synonyms), ("load_topics", pack.topics)):
        large.execute(
            f"select terms.{call}('send', %s)".encode(), [Jsonb([row.values for row in rows])]
        )
    return large


TEXTS = {
    "a question": "my son was kicked out of school and they won't assess him for an ehcp",
    "a long letter": "he was kicked out and they won't assess him for an ehcp. " * 70,
    "emoji": "\U0001f600" * 5_000,
    "80,000 words": "tribunal " * 80_000,
    "80,000 different words": " ".join(f"word{n}" for n in range(80_000)),
    "words all documents hold": "passage subject nation " * 20_000,
    "dashes only": "-" * 100_000,
    "dashes apart": "- " * 50_000,
    "dashed words": "not-" * 20_000,
    "open brackets": "(" * 50_000,
    "brackets": "[({<>})]" * 10_000,
    "a 3,000-letter token": "x" * 3_000,
    "many of them": ("y" * 3_000 + " ") * 30,
    "quotes": "'" * 50_000,
    "operators": "& | ! <-> :* " * 8_000,
    "sections": "s.36(1)(a) " * 9_000,
    "numbers": "9.69." * 20_000,
    "case numbers": "INC-48211 " * 9_000,
    "slashes": "a/b/c/" * 20_000,
    "no-break spaces": "\u00a0" * 80_000 + "?",
    "zero-width spaces": "\u200b" * 80_000 + "?",
    "a letter that folds to eighteen": "\ufdfa" * 80_000,
    "right to left": "\u202e\u05e9\u05dc\u05d5\u05dd " * 10_000,
    "combining marks": "e" + "\u0301" * 50_000,
}


def seconds(db: psycopg.Connection[Any], text: str) -> float:
    """The fastest of a few searches as search_text makes them, with a vector at hand."""
    fastest = float("inf")
    for _ in range(5):
        with ServerWork(db) as work:
            db.execute(
                "select count(*) from search_kb(query_vec => %(vector)s::vector, "
                "tsquery => terms.build_tsquery(%(text)s, terms.expand_query(%(text)s)), "
                "topics => terms.topics_for(%(text)s), la => 'E10000016')",
                {"text": text, "vector": literal(QUESTION.tolist())},
            )
        fastest = min(fastest, work.seconds)
        if fastest < SECONDS / 2:
            break
    return fastest


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_is_searched_for_in_less_than_200_ms(
    talkative: psycopg.Connection[Any], text: str
) -> None:
    assert seconds(talkative, text) < SECONDS
    # and by way of the one statement people type; no endpoint answers here, so by words alone
    talkative.execute("select count(*) from search_text(%s)", [text])
