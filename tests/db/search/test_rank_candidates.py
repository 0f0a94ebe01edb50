"""search.rank_candidates: both legs, fusion, weights and floor; every candidate with its reason."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near
from tests.rows import Row, array_of, rows_of, value_of


def candidates(
    db: psycopg.Connection[Any],
    words: str | None = None,
    *,
    vector: list[float] | None = None,
    la: str | None = None,
    urn: str | None = None,
    count: int = 50,
    statuses: str = "{approved,pending}",
) -> dict[str, Row]:
    """Rows by source, in their order."""
    scopes = rows_of(db, "search.visible_scopes(la => %s, urn => %s)", [la, urn])
    rows = rows_of(
        db,
        "search.rank_candidates(query => %s::halfvec, tsquery => terms.build_tsquery(%s), "
        "embedding_set => embedding.active_set(), scopes => {scopes}, statuses => %s::text[], "
        "candidates => %s)",
        [vector and literal(vector), words, statuses, count],
        scopes=array_of("search.visible_scope", scopes),
    )
    assert [r["score"] for r in rows] == sorted((r["score"] for r in rows), reverse=True)
    names = {
        row[0]: row[1]
        for row in db.execute(
            "select c.chunk_id, d.source from corpus.chunk as c "
            "join corpus.document as d using (document_id)"
        )
    }
    return {names[row["chunk_id"]]: row for row in rows}


@pytest.fixture
def four(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    add(kb, "Alpha womp.", source="hybrid", vector=near(3, 0.9))
    add(kb, "Beta.", source="vector", vector=near(3, 0.8))
    add(kb, "Womp and dralk.", source="keyword", vector=axis(60))
    add(kb, "Gamma.", source="faint", vector=near(3, 0.25))
    return kb


def test_kept_and_dropped_candidates_are_there_with_the_reason(
    four: psycopg.Connection[Any],
) -> None:
    rows = candidates(four, "womp", vector=axis(3))
    assert {s: r["matched_by"] for s, r in rows.items()} == {
        "hybrid": "hybrid",
        "vector": "vector",
        "keyword": "keyword",
        "faint": "vector",
    }
    assert {s for s, r in rows.items() if r["dropped_because"]} == {"faint"}
    assert "floor" in rows["faint"]["dropped_because"]


def test_a_keyword_hit_is_told_how_similar_it_is(four: psycopg.Connection[Any]) -> None:
    row = candidates(four, "womp", vector=near(3, 0.9, towards=60))["keyword"]
    assert row["similarity"] == pytest.approx(0.436, abs=1e-2)
    row = candidates(four, "womp")["keyword"]
    assert row["similarity"] is None


def test_what_the_retrieval_floor_dropped_is_no_candidate(four: psycopg.Connection[Any]) -> None:
    four.execute("set local kb.retrieval_floor = 0.5")
    assert set(candidates(four, vector=axis(3))) == {"hybrid", "vector"}


def test_each_leg_brings_no_more_than_asked_for(four: psycopg.Connection[Any]) -> None:
    rows = candidates(four, "womp dralk", vector=axis(3), count=1)
    assert set(rows) == {"hybrid", "keyword"}


def test_the_asked_schools_best_are_candidates_beside_a_full_leg(
    four: psycopg.Connection[Any],
) -> None:
    for n in range(4):
        add(
            four,
            f"School {n}q.",
            source=f"school{n}",
            title=f"School {n}q",
            school_urn="990001",
            vector=near(3, 0.33 - n / 50),
        )
    rows = candidates(four, vector=axis(3), urn="990001", count=2)
    assert {s: r["vector_rank"] for s, r in rows.items()} == {
        "hybrid": 1,
        "vector": 2,
        "school0": 3,
        "school1": 4,
        "school2": 5,
    }
    assert set(candidates(four, vector=axis(3), count=2)) == {"hybrid", "vector"}


def test_states_and_scopes_hold(four: psycopg.Connection[Any]) -> None:
    add(four, "Kent womp.", source="kent", la_code="E10000016", vector=axis(3))
    assert "kent" not in candidates(four, "womp", vector=axis(3))
    assert "kent" in candidates(four, "womp", vector=axis(3), la="E10000016")
    assert candidates(four, "womp", vector=axis(3), statuses="{approved}") == {}
    four.execute(
        "select corpus.set_status(%s, 'approved')",
        [value_of(four, "select array_agg(chunk_id) from corpus.chunk where content ~ 'Beta'")],
    )
    assert set(candidates(four, "womp", vector=axis(3), statuses="{approved}")) == {"vector"}


def test_nothing_to_search_for_is_no_candidate(four: psycopg.Connection[Any]) -> None:
    assert candidates(four) == {}
    assert candidates(four, "the of", vector=None) == {}
