"""search.rank_candidates: both legs, fusion, weights and floor; every candidate with its reason."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near
from tests.rows import Row, array_of, rows_of, value_of


def ranking(
    db: psycopg.Connection[Any],
    words: str | None = None,
    *,
    vector: list[float] | None = None,
    la: str | None = None,
    urn: str | None = None,
    count: int = 50,
    statuses: str = "{approved,pending}",
) -> Row:
    """One attempt, as it is."""
    scopes = rows_of(db, "search.visible_scopes(la => %s, urn => %s)", [la, urn])
    (row,) = rows_of(
        db,
        "search.rank_candidates(request => search.resolve_request(query_vec => %s::vector, "
        "tsquery => terms.build_tsquery(%s), statuses => %s::text[]), scopes => {scopes}, "
        "tags => null, candidates => %s)",
        [vector and literal(vector), words, statuses, count],
        scopes=array_of("search.visible_scope", scopes),
    )
    return row


def candidates(db: psycopg.Connection[Any], *words: str, **asked: Any) -> dict[str, Row]:
    """Candidates by source, in their order."""
    rows: list[Row] = ranking(db, *words, **asked)["hits"]
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
        "school3": 6,
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


def test_a_keyword_only_search_has_the_asked_schools_best_beside_a_full_leg(
    four: psycopg.Connection[Any],
) -> None:
    for n in range(4):
        add(
            four,
            f"Pupils and {'womp ' * (n + 1)}.",
            source=f"school{n}",
            title=f"School {n}q",
            school_urn="990001",
            vector=axis(61),
        )
    for n in range(3):
        add(four, "womp " * (9 + n), source=f"full{n}", title=f"T{n}q", vector=axis(62))
    rows = candidates(four, "womp", urn="990001", count=3)
    assert {s: r["bm25_rank"] for s, r in rows.items()} == {
        "full2": 1, "full1": 2, "full0": 3, "school3": 4, "school2": 5, "school1": 6, "school0": 7,
    }  # fmt: skip
    # with a vector it is the vector that finds them
    assert "school3" not in candidates(four, "womp", vector=axis(3), urn="990001", count=3)
    four.execute("set local kb.school_boost_limit = 0")
    assert set(candidates(four, "womp", urn="990001", count=3)) == {"full0", "full1", "full2"}


def test_it_says_how_much_each_leg_brought(four: psycopg.Connection[Any]) -> None:
    row = ranking(four, "womp", vector=axis(3))
    assert (row["vector_hits"], row["keyword_hits"], len(row["hits"])) == (3, 2, 4)
    row = ranking(four, "womp", vector=axis(3), count=1)
    assert (row["vector_hits"], row["keyword_hits"]) == (1, 1)
    assert [p["label"] for p in row["plans"]] == ["national"]
    assert min(row["vector_ms"], row["keyword_ms"], row["rank_ms"]) >= 0


def test_a_leg_cut_among_relevant_chunks_says_that_more_would_pass(
    four: psycopg.Connection[Any],
) -> None:
    # hybrid and vector pass the floor, faint does not
    for count, more in ((1, True), (2, True), (3, False), (4, False)):
        assert ranking(four, vector=axis(3), count=count)["more_would_pass"] is more, count
    assert ranking(four, "womp", count=1)["more_would_pass"] is True
    assert ranking(four, "womp", count=3)["more_would_pass"] is False
