"""Every statement an evaluation sends to Postgres: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from bench.database import Connection, whole_number
from bench.judged import QuestionSet


@dataclass(frozen=True, slots=True)
class Figures:
    """Means of a run over questions of one kind; None where no question of it can have one."""

    kind: str
    questions: int
    ndcg_10: float | None
    recall_8: float | None
    recall_50: float | None
    mrr: float | None
    right_none: float | None
    forbidden_shown: int
    median_ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a question fared; its words are not in it."""

    question_key: str
    kind: str
    documents: list[str]
    ndcg_10: float | None
    recall_8: float | None
    nothing_was_right: bool | None
    forbidden_shown: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What one choice of fusion gives for a question."""

    question_key: str
    split: str
    ndcg_10: float
    recall_8: float
    reciprocal_rank: float


@dataclass(frozen=True, slots=True)
class Fusion:
    """A choice of fusion."""

    candidates: int
    rrf_k: float
    vector_weight: float
    keyword_weight: float


def load_set(db: Connection, questions: QuestionSet) -> int:
    """Replace the set by these questions, unless it holds them already."""
    return whole_number(
        db,
        "select eval.load_set(name => %(name)s, digest => %(digest)s, questions => %(rows)s)",
        {
            "name": questions.name,
            "digest": questions.digest,
            "rows": Jsonb([question.as_row() for question in questions.questions]),
        },
    )


def name_documents(db: Connection, set_name: str, documents: Mapping[str, int]) -> int:
    """Say which stored document each name means."""
    return whole_number(
        db,
        "select eval.name_documents(set_name => %(name)s, document_keys => %(keys)s,"
        " document_ids => %(ids)s)",
        {"name": set_name, "keys": list(documents), "ids": list(documents.values())},
    )


def store_vectors(db: Connection, set_name: str, vectors: Mapping[str, Sequence[float]]) -> int:
    """Store the vectors of questions, by their keys."""
    return whole_number(
        db,
        "select eval.store_vectors(set_name => %(name)s, question_keys => %(keys)s,"
        " vectors => %(vectors)s)",
        {
            "name": set_name,
            "keys": list(vectors),
            "vectors": [f"[{','.join(map(repr, vector))}]" for vector in vectors.values()],
        },
    )


def start_run(db: Connection, *, set_name: str, mode: str, settings: Mapping[str, str]) -> int:
    """Begin a run."""
    return whole_number(
        db,
        "select eval.start_run(set_name => %(name)s, mode => %(mode)s, settings => %(settings)s)",
        {"name": set_name, "mode": mode, "settings": Jsonb(dict(settings))},
    )


def answer(db: Connection, *, run_id: int, at_most: int) -> int:
    """Ask the next questions; how many are left."""
    return whole_number(
        db,
        "select eval.answer(run_id => %(run_id)s, at_most => %(at_most)s)",
        {"run_id": run_id, "at_most": at_most},
    )


def figures(db: Connection, *, run_id: int) -> list[Figures]:
    """Means over all questions, then by kind."""
    with db.cursor(row_factory=class_row(Figures)) as cursor:
        return cursor.execute(
            "select kind, questions, ndcg_10, recall_8, recall_50, mrr, right_none,"
            " forbidden_shown, median_ms from eval.figure where run_id = %s"
            " order by kind <> 'all', kind",
            [run_id],
        ).fetchall()


def outcomes(db: Connection, *, run_id: int) -> list[Outcome]:
    """How each question fared."""
    with db.cursor(row_factory=class_row(Outcome)) as cursor:
        return cursor.execute(
            "select question_key, kind, documents, ndcg_10, recall_8, nothing_was_right,"
            " forbidden_shown from eval.outcome where run_id = %s order by kind, question_key",
            [run_id],
        ).fetchall()


def keeps_runs(db: Connection) -> bool:
    """Whether runs can be kept in this database."""
    return bool(whole_number(db, "select (to_regclass('eval.run') is not null)::integer"))


def copy_run(source: Connection, target: Connection, *, run_id: int) -> int:
    """Keep a run in another database; its number there."""
    row = source.execute("select eval.export_run(run_id => %s)", [run_id]).fetchone()
    return whole_number(
        target,
        "select eval.import_run(exported => %s)",
        [Jsonb(None if row is None else row[0])],
    )


def previous_run(db: Connection, *, run_id: int) -> int | None:
    """The run to compare with."""
    with db.cursor(row_factory=scalar_row) as cursor:
        found: int | None = cursor.execute(
            "select eval.previous_run(run_id => %s)", [run_id]
        ).fetchone()
    return found


def fill_pool(
    db: Connection, *, set_name: str, depth: int, settings: Mapping[str, str], at_most: int
) -> int:
    """Run both legs of the next questions; how many are left."""
    return whole_number(
        db,
        "select eval.fill_pool(set_name => %(name)s, depth => %(depth)s,"
        " settings => %(settings)s, at_most => %(at_most)s)",
        {
            "name": set_name,
            "depth": depth,
            "settings": Jsonb(dict(settings)),
            "at_most": at_most,
        },
    )


def sweep(db: Connection, *, set_name: str, fusion: Fusion) -> list[Swept]:
    """Fuse the pooled legs in one way and judge it."""
    with db.cursor(row_factory=class_row(Swept)) as cursor:
        return cursor.execute(
            "select question_key, split, ndcg_10, recall_8, reciprocal_rank from eval.sweep("
            "set_name => %(name)s, candidates => %(candidates)s, rrf_k => %(rrf_k)s,"
            " vector_weight => %(vector_weight)s, keyword_weight => %(keyword_weight)s)",
            {
                "name": set_name,
                "candidates": fusion.candidates,
                "rrf_k": fusion.rrf_k,
                "vector_weight": fusion.vector_weight,
                "keyword_weight": fusion.keyword_weight,
            },
        ).fetchall()


def default_fusion(db: Connection) -> Fusion:
    """The fusion in force: settings, then the active embedding set."""
    with db.cursor(row_factory=class_row(Fusion)) as cursor:
        row = cursor.execute(
            "select config.value('kb.candidates')::integer as candidates,"
            " config.value('kb.rrf_k')::double precision as rrf_k,"
            " coalesce(config.value('kb.vector_weight')::double precision, s.vector_weight)"
            " as vector_weight,"
            " coalesce(config.value('kb.keyword_weight')::double precision, s.keyword_weight)"
            " as keyword_weight from embedding.active_set() as s"
        ).fetchone()
    if row is None:
        raise LookupError("the statement returned no row")
    return row
