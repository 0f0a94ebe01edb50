"""Many chunks at once, still through the real path: staged, embedded, published."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg

from tests.corpus import WIDTH, Added, stage

Vectors = npt.NDArray[np.float64]
# the shortest passage a setting allows, with no overlap: one chunk for each passage
_ONE_CHUNK_EACH = {"kb.chunk_size": "100", "kb.chunk_overlap": "0", "kb.chunk_minimum": "0"}


def directions(count: int, *, seed: int, width: int = WIDTH) -> Vectors:
    """`count` random unit vectors, the same for the same seed."""
    drawn = np.random.default_rng(seed).standard_normal((count, width))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def around(centre: Vectors, count: int, *, cosine: float, seed: int) -> Vectors:
    """`count` unit vectors with this cosine to `centre`, spread evenly about it."""
    noise = directions(count, seed=seed, width=centre.shape[-1])
    noise -= np.outer(noise @ centre, centre)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    return np.asarray(cosine * centre + np.sqrt(1 - cosine**2) * noise)


def text_of(vector: Sequence[float] | Vectors) -> str:
    """The text form pgvector reads."""
    return "[" + ",".join(f"{x:.7g}" for x in vector) + "]"


def add_passages(
    db: psycopg.Connection[Any],
    passages: Sequence[str],
    vectors: Vectors,
    *,
    source: str,
    set_name: str | None = None,
    **facts: Any,
) -> Added:
    """One document with one chunk for each passage, each with its vector, published.

    A passage is at most 100 characters; it is filled up with dots, which are no words.
    """
    assert all(len(passage) <= 100 for passage in passages)
    body = "\n\n".join(f"{passage} ".ljust(100, ".") for passage in passages)
    for name, value in _ONE_CHUNK_EACH.items():
        db.execute("select set_config(%s, %s, false)", (name, value))
    staged = stage(db, body, source=source, **facts)
    assert staged["chunk_count"] == len(passages) == len(vectors), staged
    for name in _ONE_CHUNK_EACH:
        db.execute("select set_config(%s, '', false)", (name,))
    rows = db.execute(
        "select chunk_id from corpus.chunk where version_id = %s order by chunk_index",
        [staged["version_id"]],
    ).fetchall()
    ids = [row[0] for row in rows]
    db.execute(
        "select embedding.store_vectors(%s, %s, %s)",
        [ids, [text_of(vector) for vector in vectors], set_name],
    )
    db.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    db.execute("select queue.finish_task(%s, %s)", [staged["task_id"], staged["lease_token"]])
    db.commit()
    return Added("staged", staged["document_id"], staged["version_id"], ids)
