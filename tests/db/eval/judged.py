"""A set of judged questions for tests, with vectors that a test decides."""

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.corpus import Vector, literal
from tests.rows import rows_of, value_of

SET = "tiny"


def question(key: str, words: str, **facts: Any) -> dict[str, Any]:
    """A question as eval.load_set takes it; `relevant` maps documents to grades."""
    relevant = facts.pop("relevant", {})
    graded = [{"document": name, "grade": grade} for name, grade in relevant.items()]
    return {"id": key, "question": words, "relevant": graded, **facts}


def load(db: psycopg.Connection[Any], *questions: dict[str, Any], digest: bytes = b"1") -> int:
    """eval.load_set; the number of the set."""
    number: int = value_of(
        db, "select eval.load_set(%s, %s, %s)", [SET, digest, Jsonb(list(questions))]
    )
    return number


def name(db: psycopg.Connection[Any], **documents: int) -> None:
    """eval.name_documents."""
    db.execute(
        "select eval.name_documents(%s, %s, %s)",
        [SET, list(documents), list(documents.values())],
    )


def embed(db: psycopg.Connection[Any], **vectors: Vector) -> None:
    """eval.store_vectors, by question."""
    db.execute(
        "select eval.store_vectors(%s, %s, %s)",
        [SET, list(vectors), [literal(vector) for vector in vectors.values()]],
    )


def run(
    db: psycopg.Connection[Any], mode: str = "hybrid", **settings: str
) -> dict[str, dict[str, Any]]:
    """Start a run, answer everything; outcomes by question. `rrf_k=…` is kb.rrf_k."""
    chosen = {f"kb.{key}": value for key, value in settings.items()}
    run_id = value_of(db, "select eval.start_run(%s, %s, %s)", [SET, mode, Jsonb(chosen)])
    assert value_of(db, "select eval.answer(%s)", [run_id]) == 0
    found = rows_of(db, "(select * from eval.outcome where run_id = %s)", [run_id])
    return {row["question_key"]: row for row in found}
