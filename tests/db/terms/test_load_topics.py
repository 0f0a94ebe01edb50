"""terms.load_topics: the topics of a pack are replaced as a whole."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask, ask_rows, refused

GOOD = {"slug": "transport", "pattern": r"\ytaxi\y"}


def _load(db: psycopg.Connection, *rows: dict[str, Any], pack: str = "send") -> int:
    count: int = ask(db, "select terms.load_topics(%s, %s)", pack, Jsonb(list(rows)))
    return count


def _slugs(db: psycopg.Connection) -> list[str]:
    return [row[0] for row in ask_rows(db, "select slug from terms.topic order by slug")]


def test_a_load_replaces_the_topics_of_its_pack_and_no_other(
    reference: psycopg.Connection,
) -> None:
    _load(reference, {"slug": "leave", "pattern": "leave"}, pack="hr")
    assert _load(reference, GOOD) == 1
    assert _slugs(reference) == ["leave", "transport"]
    assert ask(reference, "select name from terms.topic where slug = 'transport'") == "transport"


@pytest.mark.parametrize("pattern", ["(", "", None, "a*"])
def test_a_bad_pattern_is_refused_by_its_slug_and_the_old_topics_stay(
    reference: psycopg.Connection, pattern: str | None
) -> None:
    before = _slugs(reference)
    with refused(reference, "TE001", "transport"):
        _load(reference, GOOD | {"pattern": pattern})
    assert _slugs(reference) == before


def test_every_load_makes_older_cached_questions_unusable(
    reference: psycopg.Connection,
) -> None:
    before = ask(reference, "select embedding.expansion_revision()")
    _load(reference, GOOD)
    assert ask(reference, "select embedding.expansion_revision()") > before


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("transport", "two rows"),
        ("exclusion", 'pack "send"'),
        ("School Bus", "small letters"),
        ("-", "small letters"),
        ("", "small letters"),
        (None, "small letters"),
    ],
)
def test_a_slug_that_is_taken_or_unusable_is_refused_in_one_line(
    reference: psycopg.Connection, slug: str | None, words: str
) -> None:
    before = _slugs(reference)
    reference.execute("delete from terms.topic where slug = 'transport'")
    with refused(reference, "TE003", words):
        _load(reference, GOOD, GOOD | {"slug": slug}, pack="hr")
    assert [slug for slug in before if slug != "transport"] == _slugs(reference)


def test_a_pack_may_take_over_a_topic_that_another_left(reference: psycopg.Connection) -> None:
    _load(reference)
    assert _load(reference, GOOD, pack="hr") == 1
