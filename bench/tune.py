"""Try many ways to fuse the two legs on one half of the questions, and see what the other says."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench import calls
from bench.calls import Fusion, Swept
from bench.database import BenchError, Connection, Say
from bench.scratch import Scratch

VECTOR_SHARES = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
RRF_KS = (20.0, 60.0, 100.0)
CANDIDATES = (50, 100, 200)
_DRAWS = 10_000
_BATCH = 25
_EVERY = 10.0


@dataclass(frozen=True, slots=True)
class Means:
    """Means over one half of the questions."""

    ndcg_10: float
    recall_8: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Point:
    """A way to fuse and what it gives on both halves."""

    fusion: Fusion
    is_default: bool
    tune: Means
    held_out: Means


@dataclass(frozen=True, slots=True)
class Tuned:
    """All points, best on the tuning half first.

    `gain` is what the best one adds to the default's nDCG@10 on the held-out half, `p_value` how
    often chance alone would add or take as much.
    """

    set_name: str
    tune_questions: int
    held_out_questions: int
    points: Sequence[Point]
    gain: float
    p_value: float


def grid(
    shares: Sequence[float] = VECTOR_SHARES,
    rrf_ks: Sequence[float] = RRF_KS,
    candidates: Sequence[int] = CANDIDATES,
) -> list[Fusion]:
    """Every combination; a share of 0.7 weighs the vector leg 0.7 and the keyword leg 0.3."""
    return [
        Fusion(depth, k, round(share, 6), round(1 - share, 6))
        for depth, k, share in product(candidates, rrf_ks, shares)
    ]


def tune(
    scratch: Scratch, points: Sequence[Fusion], *, settings: Mapping[str, str], say: Say
) -> Tuned:
    """Sweep the points; both legs run once per question, fusion once per point."""
    db = scratch.db
    default = calls.default_fusion(db)
    chosen = list(dict.fromkeys([*points, default]))
    depth = max(point.candidates for point in chosen)
    _fill(db, scratch, depth, settings, say)
    swept: dict[Fusion, list[Swept]] = {}
    told = time.monotonic()
    for number, point in enumerate(chosen):
        swept[point] = calls.sweep(db, set_name=scratch.set_name, fusion=point)
        if time.monotonic() - told > _EVERY:
            told = time.monotonic()
            say(f"{number + 1:,} of {len(chosen):,} combinations")
    for half in ("tune", "held-out"):
        if not any(each.split == half for each in swept[default]):
            raise BenchError(
                f"no judged question with an answer is in the half {half}; give more questions"
            )
    ranked = sorted(
        (
            Point(point, point == default, _means(each, "tune"), _means(each, "held-out"))
            for point, each in swept.items()
        ),
        # of equals the default: nothing is gained by leaving it
        key=lambda point: (-point.tune.ndcg_10, not point.is_default),
    )
    best, usual = (_ndcg(swept[each], "held-out") for each in (ranked[0].fusion, default))
    return Tuned(
        set_name=scratch.set_name,
        tune_questions=len(_ndcg(swept[default], "tune")),
        held_out_questions=len(usual),
        points=ranked,
        gain=float(np.mean(best) - np.mean(usual)),
        p_value=randomisation_test(best, usual),
    )


def randomisation_test(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 1) -> float:
    """Two-sided paired randomisation test of the difference of the means (Fisher 1935)."""
    differences = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    observed = abs(differences.sum())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(_DRAWS, len(differences)))
    # rounding must not decide whether a draw is as large as what was observed
    as_large = np.abs(signs @ differences) >= observed - 1e-9
    return float((as_large.sum() + 1) / (_DRAWS + 1))


def _fill(
    db: Connection, scratch: Scratch, depth: int, settings: Mapping[str, str], say: Say
) -> None:
    count = len(scratch.questions.questions)
    told = time.monotonic()
    while left := calls.fill_pool(
        db, set_name=scratch.set_name, depth=depth, settings=settings, at_most=_BATCH
    ):
        db.commit()
        if time.monotonic() - told > _EVERY:
            told = time.monotonic()
            say(f"legs: {count - left:,} of {count:,} questions")
    db.commit()
    db.autocommit = True
    db.execute("analyze eval.pool, eval.pool_chunk")
    db.autocommit = False


def _ndcg(swept: Sequence[Swept], split: str) -> list[float]:
    return [each.ndcg_10 for each in swept if each.split == split]


def _means(swept: Sequence[Swept], split: str) -> Means:
    half = [each for each in swept if each.split == split]
    return Means(
        ndcg_10=float(np.mean([each.ndcg_10 for each in half])),
        recall_8=float(np.mean([each.recall_8 for each in half])),
        mrr=float(np.mean([each.reciprocal_rank for each in half])),
    )
