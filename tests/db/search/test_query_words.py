"""search.query_words: what a question weighs, word by word."""

import math
from typing import Any

import psycopg
import pytest

from tests.corpus import add
from tests.rows import Row, rows_of, value_of


def words(db: psycopg.Connection[Any], query: str) -> dict[str, Row]:
    rows = rows_of(db, "search.query_words(%s::tsquery)", [query])
    return {row["lexeme"]: row for row in rows}


@pytest.fixture
def three(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Three chunks: bom in all of them, dak in two, fim in one."""
    add(kb, "bom dak fim", source="zat one")
    add(kb, "bom dak", source="zat two")
    add(kb, "bom", source="zat three")
    return kb


def test_a_rarer_word_weighs_more(three: psycopg.Connection[Any]) -> None:
    found = words(three, "'bom' | 'dak' | 'fim' | 'gub'")
    assert {w: r["chunks"] for w, r in found.items()} == {"bom": 3, "dak": 2, "fim": 1, "gub": 0}
    for row in found.values():
        n = row["chunks"]
        assert row["idf"] == pytest.approx(math.log(1 + (3 - n + 0.5) / (n + 0.5)), abs=1e-12)


def test_statistics_not_folded_yet_count_in_full(three: psycopg.Connection[Any]) -> None:
    before = words(three, "'bom' | 'dak' | 'fim' | 'gub'")
    three.execute("select search.fold_statistics()")
    assert words(three, "'bom' | 'dak' | 'fim' | 'gub'") == before
    add(three, "fim gub", source="zat four")
    assert words(three, "'fim'")["fim"]["chunks"] == 2
    assert words(three, "'gub'")["gub"]["chunks"] == 1


def test_a_word_that_only_a_synonym_brought_is_marked(three: psycopg.Connection[Any]) -> None:
    found = words(three, "'bom' | 'dak':D | 'fim':D | 'fim'")
    assert {w: r["expansion"] for w, r in found.items()} == {
        "bom": False,
        "dak": True,
        "fim": False,
    }


def test_an_identifier_is_marked(three: psycopg.Connection[Any]) -> None:
    found = words(three, "'#s36' | 'bom'")
    assert {w: r["identifier"] for w, r in found.items()} == {"#s36": True, "bom": False}


def test_a_word_to_exclude_is_not_a_word_to_find(three: psycopg.Connection[Any]) -> None:
    assert set(words(three, "'bom' & !'dak'")) == {"bom"}
    assert words(three, "!'dak'") == {}


def test_words_of_a_phrase_count_one_by_one(three: psycopg.Connection[Any]) -> None:
    assert set(words(three, "'bom' <-> 'dak' <2> 'fim'")) == {"bom", "dak", "fim"}


@pytest.mark.parametrize("folded", [False, True])
def test_a_prefix_stands_for_the_words_it_begins(
    three: psycopg.Connection[Any], folded: bool
) -> None:
    add(three, "bombast bomber dalk", source="zat four")
    if folded:
        three.execute("select search.fold_statistics()")
    assert set(words(three, "'bom':*")) == {"bom", "bombast", "bomber"}
    assert words(three, "'xyzzy':*") == {}


def test_a_prefix_stands_for_the_sixteen_most_common_words(kb: psycopg.Connection[Any]) -> None:
    for n in range(20):
        add(kb, " ".join(f"pre{chr(97 + m)}x" for m in range(n, 20)), source=f"zat {n}")
    found = words(kb, "'pre':*")
    # the nineteenth letter is in the most texts, the first in one
    assert set(found) == {f"pre{chr(97 + m)}x" for m in range(4, 20)}


@pytest.mark.parametrize(
    "quoted", ["it''s", "back\\\\slash", "a:b", "a|b&c", "(x", "naïve", "東京"]
)
def test_a_word_with_any_characters_is_read_back_as_it_was_written(
    kb: psycopg.Connection[Any], quoted: str
) -> None:
    lexeme = value_of(kb, "select tsvector_to_array(%s::tsvector)", [f"'{quoted}'"])[0]
    assert set(words(kb, f"'{quoted}' | 'bom'")) == {lexeme, "bom"}


def test_a_long_question_is_scored_by_its_rarest_words(three: psycopg.Connection[Any]) -> None:
    three.execute("set local kb.keyword_terms = 2")
    assert set(words(three, "'bom' | 'dak' | 'fim'")) == {"fim", "dak"}


def test_words_nobody_wrote_do_not_crowd_out_those_in_the_corpus(
    three: psycopg.Connection[Any],
) -> None:
    unknown = " | ".join(f"'unknown{n}'" for n in range(100))
    assert {"bom", "dak", "fim"} <= set(words(three, f"{unknown} | 'bom' | 'dak' | 'fim'"))


def test_words_typed_come_before_words_added(three: psycopg.Connection[Any]) -> None:
    three.execute("set local kb.keyword_terms = 1")
    assert set(words(three, "'bom' | 'fim':D")) == {"bom"}
