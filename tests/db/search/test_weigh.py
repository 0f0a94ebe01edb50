"""search.weigh: rule 7, mild weights after fusion, each visible."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import add
from tests.db.search.hits import ranked
from tests.rows import Row, array_of, rows_of, value_of
from tests.sandbox import refused

TODAY = date(2026, 3, 1)


def weigh(
    db: psycopg.Connection[Any],
    *chunks: int,
    la: str | None = None,
    home_la: str | None = None,
    urn: str | None = None,
    principals: list[str] | None = None,
    topics: list[str] | None = None,
) -> dict[int, Row]:
    scopes = rows_of(db, "search.visible_scopes(%s, %s, %s, %s)", [la, home_la, urn, principals])
    rows = rows_of(
        db,
        "search.weigh({hits}, {scopes}, %s, %s)",
        [topics, TODAY],
        hits=array_of("search.ranked_hit", [ranked(c, score=None, boost=None) for c in chunks]),
        scopes=array_of("search.visible_scope", scopes),
    )
    return {row["chunk_id"]: row for row in rows}


def default(db: psycopg.Connection[Any], name: str) -> float:
    return float(value_of(db, "select default_value from config.settings where name = %s", [name]))


def test_the_score_is_the_fused_score_times_every_weight(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = add(
        kb,
        "Kent text.",
        source="a",
        la_code="E10000016",
        authority="statutory",
        tags=["transport"],
        effective_date=date(2025, 3, 1),
    ).chunk_ids
    row = weigh(kb, chunk, la="E10000016", topics=["transport"])[chunk]
    assert row["freshness"] == pytest.approx(0.9, abs=1e-4)
    assert row["authority_weight"] == 1.1
    boost = default(kb, "kb.topic_boost") * default(kb, "kb.local_boost")
    assert row["boost"] == pytest.approx(boost)
    assert row["score"] == pytest.approx(0.01 * row["freshness"] * 1.1 * boost, rel=1e-12)
    assert row["rrf_raw"] == 0.01
    assert row["scope"] == "la"


def test_law_outweighs_authority_outweighs_charity_outweighs_school_outweighs_upload(
    kb: psycopg.Connection[Any],
) -> None:
    kinds = ("statutory", "la", "charity", "school", "user_upload")
    chunks = [
        add(kb, f"Text {kind}.", source=kind, title=f"Title {kind}", authority=kind).chunk_ids[0]
        for kind in kinds
    ]
    rows = weigh(kb, *chunks)
    weights = [rows[chunk]["authority_weight"] for chunk in chunks]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == len(kinds)


def test_an_unknown_kind_and_an_unknown_date_weigh_nothing(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = add(kb, "Text.", source="a").chunk_ids
    row = weigh(kb, chunk)[chunk]
    assert (row["freshness"], row["authority_weight"], row["boost"]) == (1, 1, 1)
    assert row["score"] == row["rrf_raw"]


def test_a_topic_of_the_question_raises_only_what_is_tagged_with_it(
    kb: psycopg.Connection[Any],
) -> None:
    (tagged,) = add(kb, "One.", source="a", tags=["transport"]).chunk_ids
    (other,) = add(kb, "Two.", source="b", tags=["ehcp"]).chunk_ids
    (plain,) = add(kb, "Three.", source="c").chunk_ids
    rows = weigh(kb, tagged, other, plain, topics=["transport", "exclusion"])
    raised = default(kb, "kb.topic_boost")
    assert raised > 1
    assert {c: r["boost"] for c, r in rows.items()} == {tagged: raised, other: 1, plain: 1}
    assert {r["boost"] for r in weigh(kb, tagged, other, plain).values()} == {1}
    assert {r["boost"] for r in weigh(kb, tagged, topics=[]).values()} == {1}


def test_the_persons_own_area_and_school_are_raised_over_national_and_shared_text(
    kb: psycopg.Connection[Any],
) -> None:
    chunks = {
        "national": add(kb, "A.", source="a").chunk_ids[0],
        "la": add(kb, "B.", source="b", la_code="E08000025").chunk_ids[0],
        "home_la": add(kb, "C.", source="c", la_code="E10000016").chunk_ids[0],
        "school": add(kb, "D.", source="d", school_urn="990001").chunk_ids[0],
        "shared": add(kb, "E.", source="e", owner="ann").chunk_ids[0],
    }
    rows = weigh(
        kb,
        *chunks.values(),
        la="E08000025",
        home_la="E10000016",
        urn="990001",
        principals=["ann"],
    )
    local = default(kb, "kb.local_boost")
    assert local > 1
    assert {rows[c]["scope"]: rows[c]["boost"] for c in chunks.values()} == {
        "national": 1,
        "la": local,
        "home_la": local,
        "school": local,
        "shared": 1,
    }


def test_a_chunk_outside_the_scopes_is_dropped_here_at_the_latest(
    kb: psycopg.Connection[Any],
) -> None:
    (chunk,) = add(kb, "Kent text.", source="a", la_code="E10000016").chunk_ids
    assert weigh(kb, chunk, la="E08000025") == {}


def test_a_future_date_outranks_nothing(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = add(kb, "A.", source="a", effective_date=date(2027, 3, 1)).chunk_ids
    assert weigh(kb, chunk)[chunk]["freshness"] == 1


def test_each_weight_is_a_setting(kb: psycopg.Connection[Any]) -> None:
    (chunk,) = add(
        kb,
        "Kent text.",
        source="a",
        la_code="E10000016",
        tags=["transport"],
        effective_date=date(1950, 1, 1),
    ).chunk_ids
    kb.execute("set local kb.topic_boost = 2")
    kb.execute("set local kb.local_boost = 3")
    kb.execute("set local kb.freshness_floor = 1")
    row = weigh(kb, chunk, la="E10000016", topics=["transport"])[chunk]
    assert (row["boost"], row["freshness"]) == (6, 1)
    kb.execute("set local kb.topic_boost = 'a lot'")
    with refused(kb, "ST002"):
        weigh(kb, chunk, la="E10000016")
