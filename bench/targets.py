"""What the search should come to, beside what it came to."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.measure import TS_RANK, TWINS
from bench.queries import BEFORE_ALL, UNUSED_TAG
from bench.results import Results

REASONS = Path(__file__).with_name("reasons.toml")
# two sizes a target of growth compares
_NEXT_SIZE = (3, 12)
PLANNED = "vector leg as planned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A figure that should be at least, or at most, the goal; None was not measured."""

    key: str
    name: str
    value: float | None
    goal: float
    at_least: bool
    note: str = ""

    @property
    def met(self) -> bool | None:
        """None when not measured."""
        if self.value is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


@dataclass(frozen=True, slots=True)
class Smaller:
    """An earlier run at the next smaller size of the same width."""

    chunks: int
    p95: float


def targets(results: Results, smaller: Smaller | None) -> list[Target]:
    """Goals are for 451,000 chunks of 1536 dimensions on two cores, everything warm."""
    total = {timing.name: timing for timing in results.latency.total}
    kinds = {timing.name: timing for timing in results.latency.by_kind}
    odd = {timing.name: timing for timing in results.latency.without_answer}
    recall = {found.name: found for found in results.recall}[PLANNED]
    twelve, hundred = kinds["keyword leg: conversational"], kinds["keyword leg: 100 words"]
    pages = [w.vector_index_pages for w in results.pages]
    rates = {level.clients: level.per_second for level in results.throughput}
    langchain = [p for p in results.peers.peers if p.name.startswith("langchain")]
    found = [
        _most(
            "latency", "search_kb p95 / bare HNSW p95",
            total["search_kb"].p95 / total["bare HNSW"].p95, 2.5,
        ),
        _least("recall", "recall@20 of its vector leg, all questions", recall.mean, 0.99),
        _least(
            "keyword", f"{TS_RANK} p50 / keyword leg p50, 12 words",
            total[TS_RANK].p50 / twelve.p50, 150,
        ),
        _most(
            "long-question", "keyword leg p95: 100 words / 12 words", hundred.p95 / twelve.p95, 2
        ),
    ]  # fmt: skip
    found += [
        _least(
            f"recall-{share:g}", f"recall@20 at {share * 100:g} % selectivity, by place or tag",
            min((band.mean for band in results.bands if band.share == share), default=None), goal,
        )
        for share, goal in ((1.0, 0.99), (0.1, 0.99), (0.01, 0.995), (0.001, 1.0))
    ]  # fmt: skip
    found += [
        _least(
            "recall-worst", "recall@20 of the worst question of all",
            min([recall.worst, *(band.worst for band in results.bands)]), 0.90,
        ),
        _most(
            "index-bytes", "vector index bytes / halfvec HNSW bytes",
            results.vector_index_bytes / results.plain.index_bytes, 0.15,
        ),
        _most(
            "index-build", "vector index build / halfvec HNSW build",
            results.load.vector_index_seconds / results.plain.index_seconds, 0.35,
        ),
        _most(
            "pages", "HNSW pages written by status, tags, supersede",
            None if None in pages else float(sum(p or 0 for p in pages)), 0,
        ),
        _most(
            "vacuum", "VACUUM after deleting 5 % / halfvec HNSW's",
            results.vacuum.seconds / results.vacuum.flat_seconds, 0.15,
        ),
        _least(
            "ingest", "bulk ingest / langchain-postgres add, chunks per second",
            results.ingest.per_second / langchain[0].add_per_second if langchain else None, 5,
            note=results.peers.reason,
        ),
        _least("clients", "8 clients / 1 client, searches per second", rates[8] / rates[1], 1.7),
        _most(
            "http", "POST /api/search less search_text, ms p50 at one client",
            results.http.overhead_p50, 5,
        ),
        _most(
            "growth", "search_kb p95 / that of the next smaller size",
            total["search_kb"].p95 / smaller.p95 if smaller else None, 2,
            note=f"against {smaller.chunks:,} chunks, another run" if smaller
            else "no run of the next smaller size in the folder",
        ),
        _most(
            "unsatisfiable",
            "p50 under a filter nothing meets (the slower of tag and day) / the same without",
            max(odd[UNUSED_TAG].p50, odd[BEFORE_ALL].p50) / odd[TWINS].p50, 1,
        ),
    ]  # fmt: skip
    return found


def _least(key: str, name: str, value: float | None, goal: float, note: str = "") -> Target:
    return Target(key=key, name=name, value=value, goal=goal, at_least=True, note=note)


def _most(key: str, name: str, value: float | None, goal: float, note: str = "") -> Target:
    return Target(key=key, name=name, value=value, goal=goal, at_least=False, note=note)


def next_smaller(folder: Path, results: Results) -> Smaller | None:
    """The largest run of this width in the folder that a target of growth compares with."""
    found = []
    for path in folder.glob(f"*x{results.width}.json"):
        stored = json.loads(path.read_text())
        if _NEXT_SIZE[0] <= results.chunks / stored["chunks"] <= _NEXT_SIZE[1]:
            total = {timing["name"]: timing for timing in stored["latency"]["total"]}
            found.append(Smaller(stored["chunks"], total["search_kb"]["p95"]))
    return max(found, key=lambda run: run.chunks, default=None)


def reasons(path: Path = REASONS) -> Mapping[str, str]:
    """Why a target is missed, by its key; written by hand."""
    return {key: str(value) for key, value in tomllib.loads(path.read_text()).items()}
