"""search.similarities: how similar named chunks are, whichever leg found them."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near, stage
from tests.rows import rows_of


def similarities(
    db: psycopg.Connection[Any], chunks: list[int], *, set_id: int = 1
) -> dict[int, float]:
    rows = rows_of(
        db, "search.similarities(%s::halfvec, %s, %s)", [literal(axis(4)), set_id, chunks]
    )
    assert len(rows) == len({row["chunk_id"] for row in rows})
    return {row["chunk_id"]: row["similarity"] for row in rows}


def test_live_and_superseded_chunks_have_their_cosine(kb: psycopg.Connection[Any]) -> None:
    old = add(kb, "Old text.", source="a", vector=near(4, 0.6)).chunk_ids
    new = add(kb, "New text.", source="a", vector=near(4, 0.3)).chunk_ids
    opposite = add(kb, "Opposite.", source="b", vector=near(4, -1.0)).chunk_ids
    assert similarities(kb, [*old, *new, *opposite]) == pytest.approx(
        {old[0]: 0.6, new[0]: 0.3, opposite[0]: -1.0}, abs=1e-3
    )


def test_a_chunk_without_a_vector_in_the_set_is_left_out(kb: psycopg.Connection[Any]) -> None:
    added = add(kb, "Text.", source="a").chunk_ids
    staged = stage(kb, "Staged.", source="b")
    (row,) = kb.execute(
        "select chunk_id from corpus.chunk where version_id = %s", [staged["version_id"]]
    ).fetchall()
    assert set(similarities(kb, [*added, row[0], -1])) == set(added)
    assert similarities(kb, added, set_id=2) == {}
    assert similarities(kb, []) == {}
