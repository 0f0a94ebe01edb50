"""The words of the SEND pack, run by PostgreSQL as a question would be."""

import json
import re
from pathlib import Path

import psycopg
import pytest

from ingest.packs.files import COLUMNS, Pack, read_pack
from ingest.packs.loading import load_pack
from tests.packs.words import ADDED, NOT_ADDED, NOT_TOPICS, TOPICS

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"


@pytest.fixture(scope="module")
def pack() -> Pack:
    return read_pack(SEND)


@pytest.fixture
def loaded(db: psycopg.Connection) -> psycopg.Connection:
    """A database that holds the pack."""
    load_pack(db, SEND)
    return db


def expansions_of(db: psycopg.Connection, question: str) -> list[str]:
    row = db.execute("select terms.expand_query(question => %s)", (question,)).fetchone()
    assert row is not None
    return list(row[0])


def topics_of(db: psycopg.Connection, question: str) -> set[str]:
    row = db.execute("select terms.topics_for(question => %s)", (question,)).fetchone()
    assert row is not None
    return set(row[0])


def test_the_pack_has_the_rows_it_promises(pack: Pack) -> None:
    assert len(pack.synonyms) >= 90
    assert len(pack.topics) == 56
    assert {"ehcp", "tribunal", "exclusion", "annual-review", "ebsa", "ld"} <= pack.topics.keys(
        "slug"
    )


def test_every_phrase_fires_its_own_synonym(loaded: psycopg.Connection, pack: Pack) -> None:
    silent = loaded.execute(
        """
        select s.phrases, p.phrase
        from terms.synonym as s
        cross join lateral regexp_split_to_table(s.phrases, '; ') as p (phrase)
        where
            terms.fold_text(p.phrase) !~* s.pattern
            or coalesce(terms.fold_text(p.phrase) ~* s.unless, false)
        """
    ).fetchall()
    assert silent == []
    told = loaded.execute("select count(*) from terms.synonym").fetchone()
    assert told == (len(pack.synonyms),)


def test_every_topic_matches_two_examples_of_its_own(loaded: psycopg.Connection) -> None:
    columns = COLUMNS["topics.tsv"]
    for line in (SEND / "topics.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        topic = dict(zip(columns, line.split("\t"), strict=True))
        examples = topic["examples"].split(" | ")
        assert len(examples) >= 2, topic["slug"]
        for example in examples:
            assert topic["slug"] in topics_of(loaded, example), example


def test_what_parents_type_is_given_the_words_of_the_law(loaded: psycopg.Connection) -> None:
    missing = [
        (question, term) for question, term in ADDED if term not in expansions_of(loaded, question)
    ]
    assert missing == []


def test_a_word_in_another_sense_is_left_alone(loaded: psycopg.Connection, pack: Pack) -> None:
    assert len(NOT_ADDED) >= 30
    known = set(json.dumps([row.values["expansions"] for row in pack.synonyms]).split('"'))
    wrong = []
    for question, term in NOT_ADDED:
        assert term in known, f"{term} is no expansion: the trap would catch nothing"
        if term in expansions_of(loaded, question):
            wrong.append((question, term))
    assert wrong == []


def test_a_question_has_all_of_its_topics(loaded: psycopg.Connection) -> None:
    missing = [(q, wanted - topics_of(loaded, q)) for q, wanted in TOPICS]
    assert [pair for pair in missing if pair[1]] == []


def test_a_topic_is_not_seen_in_another_sense_of_its_word(loaded: psycopg.Connection) -> None:
    assert [(q, slug) for q, slug in NOT_TOPICS if slug in topics_of(loaded, q)] == []


@pytest.mark.parametrize(
    "typed",
    [
        "they won’t assess my son",
        "they won't assess my son",
        "THEY WON'T ASSESS MY SON",
        "they\u00a0won't  assess\nmy son",
    ],
)
def test_the_way_it_is_typed_does_not_matter(loaded: psycopg.Connection, typed: str) -> None:
    assert "refusal to assess" in expansions_of(loaded, typed)
    assert "refusal-to-assess" in topics_of(loaded, typed)


def test_a_question_off_the_subject_gets_nothing(loaded: psycopg.Connection) -> None:
    for question in (
        "which tyres suit a tractor on wet clay?",
        "what is the capital of France",
        "how long do I boil an egg",
        "asdf qwer zxcv",
    ):
        assert expansions_of(loaded, question) == []
        assert topics_of(loaded, question) == set()


def test_word_edges_stand_around_the_choice_and_not_around_each_word(pack: Pack) -> None:
    # every pattern is compiled for every question, and edges are what makes that slow
    for table in (pack.synonyms, pack.topics):
        for row in table:
            for column in ("pattern", "unless"):
                pattern = str(row.values.get(column) or "")
                assert r"\b" not in pattern, f"line {row.line}: a backspace, not a word edge"
                assert len(re.findall(r"\|\\[my]", _top_level(pattern))) <= 3, (
                    f"{table.path.name} line {row.line}: write \\m(a|b)\\M, not \\ma\\M|\\mb\\M"
                )


def _top_level(pattern: str) -> str:
    """The pattern without what stands in brackets."""
    kept, depth, escaped = [], 0, False
    for character in pattern:
        if not escaped:
            depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            kept.append(character)
        escaped = character == "\\" and not escaped
    return "".join(kept)


def test_citations_name_their_act(pack: Pack) -> None:
    # a bare section number means a different thing in every Act
    for table in (pack.synonyms, pack.topics):
        for row in table:
            assert not re.match(r"s{1,2}\.", str(row.values["citation"])), row.line
