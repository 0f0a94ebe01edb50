"""search_kb, rule 11: the answer as a whole."""

from typing import Any

import psycopg

from tests.corpus import add, axis, near, search


def found(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


def paragraphs(name: str, count: int) -> str:
    return "\n\n".join(
        f"{name} paragraph {n} speaks of transport at some length, so that it is a passage."
        for n in range(count)
    )


def small_passages(db: psycopg.Connection[Any]) -> None:
    db.execute("set local kb.chunk_size = 100")
    db.execute("set local kb.chunk_overlap = 0")


def test_one_long_document_leaves_room_for_others(kb: psycopg.Connection[Any]) -> None:
    small_passages(kb)
    add(kb, paragraphs("Long", 12), source="long", vector=near(3, 0.9))
    add(kb, "Another text.", source="other", vector=near(3, 0.5))
    rows = search(kb, vector=axis(3))
    assert found(rows) == ["long"] * 3 + ["other"]
    assert len({r["chunk_id"] for r in rows}) == len(rows)


def test_the_same_text_in_two_places_is_one_row(kb: psycopg.Connection[Any]) -> None:
    for la in (None, "E10000016", "E08000025"):
        add(kb, "The very same text.", source="same", la_code=la, vector=near(3, 0.9))
    rows = search(kb, vector=axis(3), la="E10000016", home_la="E08000025")
    assert len(rows) == 1
    assert rows[0]["scope"] == "la", "the local copy is boosted, so it stays"


def test_duplicates_do_not_use_up_the_answer(kb: psycopg.Connection[Any]) -> None:
    for la in (None, "E10000016", "E08000025"):
        add(kb, "The very same text.", source="same", la_code=la, vector=near(3, 0.9))
    add(kb, "Another text.", source="other", vector=near(3, 0.6))
    rows = search(kb, vector=axis(3), la="E10000016", home_la="E08000025", top_k=2)
    assert found(rows) == ["same", "other"]


def test_a_rejected_neighbour_is_not_in_the_context(kb: psycopg.Connection[Any]) -> None:
    small_passages(kb)
    added = add(kb, paragraphs("Some", 3), source="some", vector=axis(60))
    first, middle, last = added.chunk_ids
    kb.execute(
        "update embedding.vector set embedding = (select array_agg((n = 3)::int order by n)::"
        "vector::halfvec from generate_series(0, 383) as n) where chunk_id = %s",
        [middle],
    )
    (row,) = search(kb, vector=axis(3))
    assert all(f"paragraph {n}" in row["context"] for n in range(3))
    kb.execute("select corpus.set_status(%s, 'rejected')", [[first]])
    kb.execute("select corpus.set_status(%s, 'flagged')", [[last]])
    (row,) = search(kb, vector=axis(3))
    assert row["context"] == row["content"]


def test_the_context_can_be_switched_off(kb: psycopg.Connection[Any]) -> None:
    small_passages(kb)
    add(kb, paragraphs("Some", 8), source="some", vector=near(3, 0.9))
    kb.execute("set local kb.chunk_expansion_enabled = off")
    assert all(r["context"] == r["content"] for r in search(kb, vector=axis(3)))


def test_every_column_of_a_result_is_filled(kb: psycopg.Connection[Any]) -> None:
    added = add(
        kb,
        "Womp on transport.",
        source="https://council.example/womp",
        title="Womp rules",
        la_code="E10000016",
        tags=["transport"],
        vector=near(3, 0.9),
    )
    (row,) = search(kb, words="womp", vector=axis(3), la="E10000016")
    assert row["chunk_id"] == added.chunk_ids[0]
    assert row["document_id"] == added.document_id
    assert (row["title"], row["source"]) == ("Womp rules", "https://council.example/womp")
    assert (row["content"], row["chunk_index"], row["version"]) == ("Womp on transport.", 0, 1)
    assert (row["la_code"], row["school_urn"], row["scope"]) == ("E10000016", None, "la")
    assert (row["tags"], row["authority"], row["matched_by"]) == (["transport"], "la", "hybrid")
    assert (row["vector_rank"], row["bm25_rank"]) == (1, 1)
    assert row["created_at"] is not None
    assert not any(
        row[flag] for flag in ("topic_fallback_used", "no_la_broad_fallback_used", "school_boosted")
    )
