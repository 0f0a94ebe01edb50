"""Latency and recall of the search beside the baselines, question by question in one loop."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from psycopg import sql

from bench import baseline
from bench.baseline import Baseline
from bench.database import Connection, Statement, text
from bench.queries import KINDS, ODD_KINDS, SCOPES, Question, answerable

DEPTH = 20
TS_RANK = "ts_rank_cd"
TWINS = "the same, without the filter"
ROUNDS = 3
# these read so much that a few questions must do
MOST_RANKED_BY_WORDS = 16
MOST_SCORED_BY_HAND = 60
TIE = 1e-9

SEARCH = (
    "select * from public.search_kb(query_vec => %(vector)s, tsquery => %(tsquery)s::tsquery, "
    "la => %(la)s, home_la => %(home_la)s, urn => %(urn)s, tags => %(tags)s, as_of => %(as_of)s)"
)
KEYWORD_LEG = (
    "select * from search.keyword_leg(tsquery => %(tsquery)s::tsquery, "
    "scope_ids => %(scope_ids)s::bigint[], statuses => '{approved,pending}', "
    "tags => %(tags)s::text[], candidates => config.value('kb.candidates')::integer)"
)
# the formula of search.keyword_leg without its shortcuts
EVERY_BM25 = """
with word as materialized (
    select w.lexeme, w.idf from search.query_words(%(tsquery)s::tsquery) as w
),
setting as materialized (
    select
        config.value('kb.bm25_k1')::float8 as k1,
        config.value('kb.bm25_b')::float8 as b,
        (select sum(z.tokens) / sum(z.chunks) from search.scope_size as z where z.scope_id = 0)
        as mean_length
)
select
    t.chunk_id,
    sum(
        w.idf * m.tf * (s.k1 + 1) / (m.tf + s.k1 * (1 - s.b + s.b * t.token_count / s.mean_length))
    )::float8
from search.text_index as t
inner join corpus.chunk_fact as f on t.chunk_id = f.chunk_id
cross join setting as s
cross join lateral (
    select u.lexeme, coalesce(cardinality(u.positions), 1)::float8 as tf
    from unnest(t.lexemes) as u
) as m
inner join word as w on m.lexeme = w.lexeme
where
    t.scope_id = any(%(scope_ids)s::bigint[])
    and f.status in ('approved', 'pending')
    and (%(tags)s::text[] is null or f.tags && %(tags)s::text[])
group by t.chunk_id
"""


@dataclass(frozen=True, slots=True)
class Timing:
    """A statement's times in milliseconds over questions, each the best of its rounds."""

    name: str
    questions: int
    p50: float
    p95: float
    p99: float
    worst: float


@dataclass(frozen=True, slots=True)
class Latency:
    """Answerable questions in all, by kind and by scope; those without an answer apart."""

    total: list[Timing]
    by_kind: list[Timing]
    by_scope: list[Timing]
    without_answer: list[Timing]
    worst_question: str


@dataclass(frozen=True, slots=True)
class Recall:
    """Share of the true best `DEPTH` that was found: mean, the worst question, and in parts: by
    scope for vectors, by kind for words."""

    name: str
    mean: float
    worst: float
    worst_question: str
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Connections that differ in their settings."""

    search: Connection
    bare: Connection
    iterative: Connection


def vector_leg(set_id: int, *, floor: str) -> sql.Composed:
    """The vector leg of one embedding set."""
    return sql.SQL(
        "select (unnest(v.hits)).chunk_id from search.vector_leg("
        "query => %(half_vector)s, set_id => {set_id}, "
        "scopes => %(scopes)s::search.visible_scope[], statuses => '{{approved,pending}}', "
        "tags => %(tags)s::text[], candidates => config.value('kb.candidates')::integer, "
        "floor => {floor}::float8) as v"
    ).format(set_id=sql.Literal(set_id), floor=sql.Literal(floor))


def exact_ids(set_id: int) -> sql.Composed:
    """The true nearest chunks. Written here, not asked of the search, and in no index's terms: the
    distance plus nothing is no expression an index was made for."""
    return sql.SQL(
        "select v.chunk_id from {table} as v "
        "inner join corpus.chunk_fact as f on v.chunk_id = f.chunk_id "
        "where v.scope_id = any(%(scope_ids)s::bigint[]) "
        "and f.status in ('approved', 'pending') "
        "and (%(tags)s::text[] is null or f.tags && %(tags)s::text[]) "
        "order by (v.embedding <=> %(half_vector)s) + 0, v.chunk_id limit {depth}"
    ).format(table=sql.Identifier("embedding", f"vector_{set_id}"), depth=sql.Literal(DEPTH))


def measure_latency(
    sessions: Sessions,
    questions: Sequence[Question],
    *,
    plain: Baseline,
    set_id: int,
    rounds: int = ROUNDS,
) -> Latency:
    """Each question runs through everything in turn, so that a slow minute falls on all alike.

    All but the ranking by words alone, which comes afterwards: it reads so much that the indexes of
    the others would be read from the system's cache anew, and theirs are times of warm ones.
    """
    floor = text(
        sessions.search, "select retrieval_floor from embedding.set where set_id = %s", [set_id]
    )
    leg = vector_leg(set_id, floor=floor)
    conversational = [n for n, q in enumerate(questions) if q.kind == "conversational"]
    ranked_by_words = set(conversational[:MOST_RANKED_BY_WORDS])
    statements: dict[str, tuple[Connection, Statement]] = {
        "search_kb": (sessions.search, SEARCH),
        "vector leg": (sessions.search, leg),
        "keyword leg": (sessions.search, KEYWORD_LEG),
        "bare HNSW": (sessions.bare, plain.vector_statement),
        "bare HNSW, iterative": (sessions.iterative, plain.vector_statement),
    }
    by_words = {TS_RANK: (sessions.search, baseline.WORD_STATEMENT)}
    best: dict[str, dict[int, float]] = {name: {} for name in (*statements, *by_words)}
    for timed, numbers in (
        (statements, range(len(questions))),
        (by_words, sorted(ranked_by_words)),
    ):
        # the first round warms caches and plans and is not counted
        for counted in range(rounds + 1):
            for number in numbers:
                for name, (db, statement) in timed.items():
                    if name != "search_kb" and questions[number].kind in ODD_KINDS:
                        continue
                    spent = milliseconds(db, statement, questions[number])
                    if counted:
                        best[name][number] = min(spent, best[name].get(number, spent))
    for db in (sessions.search, sessions.bare, sessions.iterative):
        db.rollback()

    usual = [n for n, _ in answerable(questions)]

    def timing(label: str, name: str, among: Iterable[int] = usual) -> Timing:
        return timing_of(label, [best[name][n] for n in among if n in best[name]])

    slowest = max(usual, key=lambda n: best["search_kb"][n])
    return Latency(
        total=[timing(name, name) for name in best],
        by_kind=[
            timing(f"{name}: {kind}", name, [n for n in usual if questions[n].kind == kind])
            for name in ("search_kb", "keyword leg")
            for kind in KINDS
        ],
        by_scope=[
            timing(f"{name}: {scope}", name, [n for n in usual if questions[n].scope == scope])
            for name in ("search_kb", "vector leg")
            for scope in SCOPES
        ],
        without_answer=[
            timing(kind, "search_kb", [n for n, q in enumerate(questions) if q.kind == kind])
            for kind in ODD_KINDS
        ]
        + [timing(TWINS, "search_kb", {q.twin for q in questions if q.twin is not None})],
        worst_question=_label(questions, slowest),
    )


def measure_recall(
    sessions: Sessions, questions: Sequence[Question], *, plain: Baseline, set_id: int
) -> list[Recall]:
    """The vector leg as planned and forced through the index, and the baselines, against an exact
    scan of everything the person may see."""
    leg = vector_leg(set_id, floor="-1")
    exact = exact_ids(set_id)
    asked = answerable(questions)
    truth = {n: ids_of(sessions.search, exact, q) for n, q in asked}
    found: dict[str, dict[int, list[int]]] = {
        "vector leg as planned": {n: ids_of(sessions.search, leg, q) for n, q in asked}
    }
    sessions.search.execute("set kb.exact_limit = 0")
    found["vector leg, index forced"] = {n: ids_of(sessions.search, leg, q) for n, q in asked}
    sessions.search.execute("reset kb.exact_limit")
    for name, db in (
        ("bare HNSW", sessions.bare),
        ("bare HNSW, iterative", sessions.iterative),
    ):
        found[name] = {n: ids_of(db, plain.vector_statement, q) for n, q in asked}
    for db in (sessions.search, sessions.bare, sessions.iterative):
        db.rollback()
    shares = {
        name: {n: len(set(truth[n]) & set(ids[n][:DEPTH])) / len(truth[n]) for n in ids if truth[n]}
        for name, ids in found.items()
    }
    return [
        _recall(name, share, questions, part=lambda question: question.scope)
        for name, share in shares.items()
    ]


def measure_keyword_recall(db: Connection, questions: Sequence[Question]) -> Recall:
    """The keyword leg against BM25 of every chunk the person may see, over the first questions.

    Equal scores count as equally right, whichever of them were found.
    """
    asked = answerable(questions)
    shares: dict[int, float] = {}
    for number, question in asked[:MOST_SCORED_BY_HAND]:
        every: dict[int, float] = dict(db.execute(EVERY_BM25, question.arguments()).fetchall())
        if not every:
            continue
        best = sorted(every.values(), reverse=True)[:DEPTH]
        found = [row[0] for row in db.execute(KEYWORD_LEG, question.arguments())][: len(best)]
        right = sum(every.get(chunk_id, 0.0) >= best[-1] - TIE for chunk_id in found)
        shares[number] = right / len(best)
    db.rollback()
    return _recall("keyword leg", shares, questions, part=lambda question: question.kind)


def _recall(
    name: str,
    shares: Mapping[int, float],
    questions: Sequence[Question],
    *,
    part: Callable[[Question], str],
) -> Recall:
    parts: dict[str, list[float]] = {}
    for number, share in shares.items():
        parts.setdefault(part(questions[number]), []).append(share)
    worst = min(shares, key=lambda number: shares[number])
    return Recall(
        name=name,
        mean=float(np.mean(list(shares.values()))),
        worst=shares[worst],
        worst_question=_label(questions, worst),
        parts={key: float(np.mean(values)) for key, values in parts.items()},
    )


def ids_of(db: Connection, statement: sql.Composed, question: Question) -> list[int]:
    """The chunks a statement gives for a question, in its order."""
    return [row[0] for row in db.execute(statement, question.arguments())]


def milliseconds(db: Connection, statement: Statement, question: Question) -> float:
    """What it took until the last row was here."""
    arguments = question.arguments()
    started = time.perf_counter()
    db.execute(statement, arguments).fetchall()
    return (time.perf_counter() - started) * 1000


def search_times(db: Connection, questions: Sequence[Question]) -> list[float]:
    """Milliseconds of search_kb for each, the best of its rounds after one that warms."""
    best = [float("inf")] * len(questions)
    for counted in range(ROUNDS + 1):
        for number, question in enumerate(questions):
            spent = milliseconds(db, SEARCH, question)
            if counted:
                best[number] = min(best[number], spent)
    db.rollback()
    return best


def timing_of(name: str, times: Sequence[float]) -> Timing:
    """Their percentiles."""
    return Timing(
        name=name,
        questions=len(times),
        p50=float(np.percentile(times, 50)),
        p95=float(np.percentile(times, 95)),
        p99=float(np.percentile(times, 99)),
        worst=max(times),
    )


def _label(questions: Sequence[Question], number: int) -> str:
    """Enough to find it again: its number under this seed, never a person's words."""
    question = questions[number]
    return f"no. {number}: {question.kind}, {question.scope}"
