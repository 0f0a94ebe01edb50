"""search_kb, rule 9: no authority known."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, near, search

ASK: dict[str, Any] = {"words": "transport", "vector": axis(3)}


def found(db: psycopg.Connection[Any], **asked: Any) -> dict[str, bool]:
    """Source to whether the answer says that all areas were searched."""
    return {r["source"]: r["no_la_broad_fallback_used"] for r in search(db, **ASK, **asked)}


@pytest.fixture
def areas(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    add(kb, "Birmingham transport.", source="birmingham", la_code="E08000025", vector=axis(3))
    add(kb, "Kent transport.", source="kent", la_code="E10000016", vector=near(3, 0.8))
    add(kb, "School transport.", source="school", school_urn="990001", vector=axis(3))
    add(kb, "Private transport.", source="ann", owner="ann", vector=axis(3))
    return kb


def test_national_text_answers_alone_when_it_can(areas: psycopg.Connection[Any]) -> None:
    add(areas, "National transport.", source="national", vector=near(3, 0.4))
    assert found(areas) == {"national": False}


def test_all_areas_answer_when_national_text_has_nothing_and_it_says_so(
    areas: psycopg.Connection[Any],
) -> None:
    add(areas, "National on other things.", source="national", vector=axis(50))
    assert found(areas) == {"birmingham": True, "kent": True}


@pytest.mark.parametrize(
    "asked", [{"la": "E08000038"}, {"home_la": "E08000038"}, {"urn": "990003"}]
)
def test_a_known_place_never_falls_back_to_other_areas(
    areas: psycopg.Connection[Any], asked: dict[str, str]
) -> None:
    assert found(areas, **asked) == {}


def test_codes_of_blanks_are_no_place(areas: psycopg.Connection[Any]) -> None:
    assert found(areas, la=" ", home_la="", urn=" ") == {"birmingham": True, "kent": True}


def test_ones_private_text_is_an_answer_without_other_areas(
    areas: psycopg.Connection[Any],
) -> None:
    assert found(areas, principals=["ann"]) == {"ann": False}


def test_all_areas_obey_states_and_tags(areas: psycopg.Connection[Any]) -> None:
    add(
        areas,
        "Kent taxis.",
        source="kent-taxi",
        la_code="E10000016",
        tags=["transport"],
        vector=near(3, 0.7),
    )
    assert found(areas, tags=["transport"]) == {"kent-taxi": True}
    rows = search(areas, **ASK, tags=["unheard-of"])
    assert {r["source"] for r in rows} == {"birmingham", "kent", "kent-taxi"}
    assert all(r["topic_fallback_used"] and r["no_la_broad_fallback_used"] for r in rows)
    areas.execute(
        "select corpus.set_status(array_agg(c.chunk_id), 'rejected') from corpus.chunk as c "
        "join corpus.document as d using (document_id) where d.source = 'birmingham'"
    )
    assert found(areas) == {"kent": True, "kent-taxi": True}


def test_nothing_anywhere_is_no_row(areas: psycopg.Connection[Any]) -> None:
    assert search(areas, words="xyzzy", vector=axis(200)) == []
