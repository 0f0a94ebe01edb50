"""search_kb, rule 3: tags narrow both legs, and are dropped when nothing is left."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, near, search


@pytest.fixture
def tagged(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    add(kb, "Words on buses.", source="plain", vector=axis(3))
    add(kb, "Words on taxis.", source="taxi", tags=["transport"], vector=near(3, 0.7))
    add(kb, "Words on plans.", source="plan", tags=["ehcp", "exclusion"], vector=near(3, 0.6))
    return kb


def found(db: psycopg.Connection[Any], tags: list[str] | None, **asked: Any) -> list[str]:
    rows = search(db, tags=tags, **({"vector": axis(3), "words": "words"} | asked))
    assert len({row["topic_fallback_used"] for row in rows}) <= 1
    fallback = bool(rows and rows[0]["topic_fallback_used"])
    return [row["source"] for row in rows] + ["fallback"] * fallback


def test_a_tag_narrows_to_what_carries_it(tagged: psycopg.Connection[Any]) -> None:
    assert found(tagged, ["transport"]) == ["taxi"]
    assert found(tagged, ["exclusion"]) == ["plan"]


def test_a_tag_narrows_each_leg(tagged: psycopg.Connection[Any]) -> None:
    assert found(tagged, ["transport"], words=None) == ["taxi"]
    assert found(tagged, ["transport"], vector=None) == ["taxi"]


def test_several_tags_are_any_of_them(tagged: psycopg.Connection[Any]) -> None:
    for leg in ({}, {"words": None}, {"vector": None}):
        assert sorted(found(tagged, ["transport", "ehcp"], **leg)) == ["plan", "taxi"]
    tagged.execute("set local kb.exact_limit = 0")
    assert found(tagged, ["transport", "ehcp"], words=None) == ["taxi", "plan"]


def test_no_tag_does_not_narrow(tagged: psycopg.Connection[Any]) -> None:
    assert found(tagged, None) == found(tagged, []) == ["plain", "taxi", "plan"]


def test_tags_that_leave_nothing_are_dropped_and_it_says_so(
    tagged: psycopg.Connection[Any],
) -> None:
    assert found(tagged, ["unheard-of"]) == ["plain", "taxi", "plan", "fallback"]


def test_tags_that_leave_only_the_irrelevant_are_dropped_too(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "Words on buses.", source="near", vector=axis(3))
    add(kb, "Off the point.", source="far", tags=["transport"], vector=axis(50))
    assert found(kb, ["transport"]) == ["near", "fallback"]


def test_a_rejected_chunk_does_not_keep_a_tag_alive(tagged: psycopg.Connection[Any]) -> None:
    tagged.execute(
        "select corpus.set_status(array_agg(chunk_id), 'rejected') from corpus.chunk_fact "
        "where tags && '{transport}'"
    )
    assert found(tagged, ["transport"]) == ["plain", "plan", "fallback"]


def test_no_fallback_brings_back_what_is_out_of_scope(tagged: psycopg.Connection[Any]) -> None:
    add(tagged, "Words of Kent.", source="kent", la_code="E10000016", vector=axis(3))
    assert found(tagged, ["unheard-of"], la="E08000025") == ["plain", "taxi", "plan", "fallback"]


def test_retagging_shows_in_the_next_answer(tagged: psycopg.Connection[Any]) -> None:
    tagged.execute(
        "select corpus.set_tags(array_agg(chunk_id), '{transport}') from corpus.chunk_fact"
    )
    assert found(tagged, ["transport"]) == ["plain", "taxi", "plan"]


def test_nothing_at_all_is_nothing_with_tags_too(kb: psycopg.Connection[Any]) -> None:
    assert search(kb, words="words", vector=axis(3), tags=["transport"]) == []
