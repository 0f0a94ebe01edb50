"""The large corpus: a few thousand chunks, enough for the vector index to matter."""

from typing import Any

import numpy as np
import psycopg

from tests.bulk import Vectors, add_passages, around, directions
from tests.corpus import load_reference

NATIONAL = 2000
KENT = 200
# tagged, and away from the question: what an index scan finds last
RARE = 24


def questions(count: int, *, seed: int = 1) -> Vectors:
    """Questions as people ask them: about a subject of the national text, so near a cluster."""
    centres = directions(40, seed=1)
    return np.concatenate(
        [around(centres[n], 1, cosine=0.7, seed=seed * 77 + n) for n in range(count)]
    )


def clustered(count: int, *, clusters: int, seed: int) -> Vectors:
    """Vectors in clusters, as texts about a few subjects have."""
    centres = directions(clusters, seed=seed)
    each = -(-count // clusters)
    parts = [
        around(centre, each, cosine=0.75, seed=seed * 1000 + n) for n, centre in enumerate(centres)
    ]
    drawn = np.concatenate(parts)
    return np.asarray(drawn[np.random.default_rng(seed).permutation(len(drawn))][:count])


QUESTION: Vectors = questions(1)[0]


def fill(db: psycopg.Connection[Any]) -> None:
    """National text, one authority's and, tagged, the rare ones."""
    load_reference(db)
    add_passages(
        db,
        [f"national passage {n} about subject{n % 40}" for n in range(NATIONAL)],
        clustered(NATIONAL, clusters=40, seed=1),
        source="national",
    )
    add_passages(
        db,
        [f"kent passage {n} about subject{n % 40}" for n in range(KENT)],
        clustered(KENT, clusters=20, seed=2),
        source="kent",
        la_code="E10000016",
    )
    add_passages(
        db,
        [f"rare passage {n} about subject{n % 40}" for n in range(RARE)],
        around(-QUESTION, RARE, cosine=0.4, seed=3),
        source="rare",
        tags=["transport"],
    )
    db.execute("select search.fold_statistics()")
    db.commit()
    # so that the planner knows the sizes, as it does wherever autovacuum runs
    db.execute("analyze")
    db.commit()
