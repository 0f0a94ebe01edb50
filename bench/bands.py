"""Recall of the vector leg by selectivity: how much of the corpus a filter lets through."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from psycopg import sql

from bench.database import Connection, whole_number
from bench.measure import DEPTH, exact_ids
from bench.queries import Question, answerable
from bench.world import TOPIC_COUNT, topic_slug

SHARES = (1.0, 0.1, 0.01, 0.001)
PER_BAND = 24
_EVERYTHING = 1.0
# how far from the share aimed at a filter may be
_LEAST, _MOST = 0.9, 1.1


@dataclass(frozen=True, slots=True)
class Band:
    """Questions under filters that let this share of the corpus through, by place or by tag.

    `share` is the share aimed at, `let_through` what it came to on average; `plans` count how the
    scopes were read, in the words of search.scope_plan.
    """

    share: float
    by: str
    questions: int
    let_through: float
    mean: float
    worst: float
    p50: float
    p95: float
    plans: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Filter:
    scope_ids: list[int]
    tags: list[str] | None


def measure_bands(
    db: Connection,
    questions: Sequence[Question],
    *,
    set_id: int,
    seed: int,
    per_band: int = PER_BAND,
) -> list[Band]:
    """Vectors of questions about anything under filters that have nothing to do with them, which
    is hardest for an index: what is near is mostly not let through."""
    rng = np.random.default_rng([seed, 4])
    sizes: dict[int, int] = dict(
        db.execute(
            "select s.scope_id, s.chunks from search.scope_size as s where s.scope_id > 0 "
            "order by s.scope_id"
        ).fetchall()
    )
    tagged = _tag_shares(db)
    asked = [q for _, q in answerable(questions)]
    bands = []
    for share in SHARES:
        for by in ("place",) if share == _EVERYTHING else ("place", "tag"):
            filters = [
                _by_place(rng, sizes, share)
                if by == "place"
                else _by_tag(rng, sizes, tagged, share)
                for _ in range(per_band)
            ]
            chosen = [asked[at] for at in rng.integers(0, len(asked), per_band)]
            bands.append(_band(db, set_id, share, by, list(zip(chosen, filters, strict=True))))
    db.rollback()
    return bands


def _tag_shares(db: Connection) -> dict[str, float]:
    """Share of the visible chunks that have each tag."""
    total = whole_number(db, "select count(*) from corpus.chunk_fact")
    return {
        slug: whole_number(
            db, "select count(*) from corpus.chunk_fact where %s = any(tags)", [slug]
        )
        / total
        for slug in map(topic_slug, range(TOPIC_COUNT))
    }


def _by_place(rng: np.random.Generator, sizes: dict[int, int], share: float) -> _Filter:
    """Places drawn by lot that together hold about this share."""
    if share == _EVERYTHING:
        return _Filter(list(sizes), None)
    wanted = share * sum(sizes.values())
    chosen: list[int] = []
    held = 0
    for scope_id in rng.permutation(list(sizes)).tolist():
        if held + sizes[scope_id] <= _MOST * wanted:
            chosen.append(scope_id)
            held += sizes[scope_id]
        if held >= _LEAST * wanted:
            break
    # a tiny corpus has no place so small
    return _Filter(chosen or [min(sizes, key=lambda scope_id: sizes[scope_id])], None)


def _by_tag(
    rng: np.random.Generator, sizes: dict[int, int], tagged: dict[str, float], share: float
) -> _Filter:
    """As many tags as make the share over all places, or one tag over as many places as do."""
    slugs = rng.permutation([slug for slug, part in tagged.items() if part > 0]).tolist()
    tags = [slugs.pop()]
    while sum(tagged[tag] for tag in tags) < _LEAST * share and slugs:
        tags.append(slugs.pop())
    held = sum(tagged[tag] for tag in tags)
    return _Filter(_by_place(rng, sizes, min(_EVERYTHING, share / held)).scope_ids, tags)


def _band(
    db: Connection, set_id: int, share: float, by: str, asked: Sequence[tuple[Question, _Filter]]
) -> Band:
    total = whole_number(db, "select count(*) from corpus.chunk_fact")
    exact = exact_ids(set_id)
    leg = sql.SQL(
        "select array(select h.chunk_id from unnest(v.hits) as h order by h.rank, h.chunk_id), "
        "array(select p.plan from unnest(v.plans) as p) from search.vector_leg("
        "query => %(half_vector)s, set_id => {set_id}, scopes => array("
        "select row(s.scope_id, 'la', s.chunks)::search.visible_scope "
        "from search.scope_size as s where s.scope_id = any(%(scope_ids)s::bigint[])), "
        "statuses => '{{approved,pending}}', tags => %(tags)s::text[], "
        "candidates => config.value('kb.candidates')::integer, floor => -1) as v"
    ).format(set_id=sql.Literal(set_id))
    shares, times, passed = [], [], []
    plans: Counter[str] = Counter()
    for question, narrowed in asked:
        arguments = question.arguments() | {
            "scope_ids": narrowed.scope_ids, "tags": narrowed.tags,
        }  # fmt: skip
        truth = [row[0] for row in db.execute(exact, arguments)]
        if not truth:
            continue
        db.execute(leg, arguments)
        started = time.perf_counter()
        row = db.execute(leg, arguments).fetchone()
        times.append((time.perf_counter() - started) * 1000)
        if row is None:
            raise LookupError("the statement returned no row")
        shares.append(len(set(truth) & set(row[0][:DEPTH])) / len(truth))
        plans.update(row[1])
        passed.append(
            whole_number(
                db,
                "select count(*) from corpus.chunk_fact as f where f.scope_id = any(%s) "
                "and f.status in ('approved', 'pending') and (%s::text[] is null or f.tags && %s)",
                [narrowed.scope_ids, narrowed.tags, narrowed.tags],
            )
            / total
        )
    return Band(
        share=share,
        by=by,
        questions=len(shares),
        let_through=float(np.mean(passed)) if passed else 0.0,
        mean=float(np.mean(shares)) if shares else 1.0,
        worst=min(shares, default=1.0),
        p50=float(np.percentile(times, 50)) if times else 0.0,
        p95=float(np.percentile(times, 95)) if times else 0.0,
        plans=dict(plans),
    )
