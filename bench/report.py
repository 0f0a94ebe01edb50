"""What was measured, as a table for people and JSON for programs."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.anatomy import FunctionCost
from bench.baseline import Baseline
from bench.database import Connection, text
from bench.load import LoadReport
from bench.measure import DEPTH, TS_RANK, Latency, Recall, Timing
from bench.pages import CHANGED_CHUNKS, PagesWritten

LEAST_RECALL = 0.95
FORCED = "vector leg, index forced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Two figures of the same run divided; `goal` is for 451,000 chunks at 1536 dimensions."""

    name: str
    value: float
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """One run."""

    chunks: int
    width: int
    seed: int
    machine: dict[str, str]
    seconds: float
    load: LoadReport
    latency: Latency
    recall: list[Recall]
    keyword_recall: Recall
    pages: list[PagesWritten]
    functions: list[FunctionCost]
    chunking_mb_per_second: float
    bytes: dict[str, int]
    vector_index_bytes: int
    plain: Baseline


def ratios(results: Results) -> list[Ratio]:
    """What the run says whatever the machine."""
    total = {timing.name: timing for timing in results.latency.total}
    kinds = {timing.name: timing for timing in results.latency.by_kind}
    twelve, hundred = kinds["keyword leg: conversational"], kinds["keyword leg: 100 words"]
    made: list[tuple[str, float, float, str]] = [
        (
            "search_kb p95 / bare HNSW p95",
            total["search_kb"].p95, total["bare HNSW"].p95, "<= 2.5",
        ),
        (
            "search_kb p50 / bare HNSW p50",
            total["search_kb"].p50, total["bare HNSW"].p50, "",
        ),
        (
            "vector leg p95 / bare HNSW p95",
            total["vector leg"].p95, total["bare HNSW"].p95, "",
        ),
        (
            "ts_rank_cd p50 / keyword leg p50, 12 words",
            total[TS_RANK].p50, twelve.p50, ">= 150",
        ),
        (
            "keyword leg p95: 100 words / 12 words",
            hundred.p95, twelve.p95, "<= 2",
        ),
        (
            "search_kb p50: unanswerable / answerable",
            results.latency.unanswerable.p50, total["search_kb"].p50, "<= 1",
        ),
        (
            "vector index bytes / flat table's HNSW bytes",
            results.vector_index_bytes, results.plain.index_bytes, "<= 0.15",
        ),
        (
            "vector index build / flat table's HNSW build",
            results.load.vector_index_seconds, results.plain.index_seconds, "<= 0.35",
        ),
    ]  # fmt: skip
    return [Ratio(name=name, value=over / under, goal=goal) for name, over, under, goal in made]


def failures(results: Results) -> list[str]:
    """What makes the run fail; empty when all is well."""
    found = [
        f"recall@{DEPTH} of the {recall.name} is {recall.mean:.3f}, under {LEAST_RECALL}"
        for recall in results.recall
        if recall.name == FORCED and recall.mean < LEAST_RECALL
    ]
    found += [
        f"a change of {written.change} wrote {written.vector_index_pages} pages of the vector index"
        for written in results.pages
        if written.vector_index_pages
    ]
    return found


def machine(db: Connection) -> dict[str, str]:
    """What ran the bench."""
    return {
        "postgres": text(db, "show server_version"),
        "pgvector": text(db, "select extversion from pg_extension where extname = 'vector'"),
        "cores": str(os.cpu_count() or 1),
        "shared_buffers": text(db, "show shared_buffers"),
    }


def to_json(results: Results) -> str:
    """Everything, with the ratios and the verdict on top."""
    found = failures(results)
    return json.dumps(
        {
            "format": 1,
            "ok": not found,
            "failures": found,
            "ratios": {ratio.name: round(ratio.value, 4) for ratio in ratios(results)},
            **{key: value for key, value in asdict(results).items() if key != "plain"},
            "flat_table_index_bytes": results.plain.index_bytes,
            "flat_table_index_seconds": results.plain.index_seconds,
        },
        indent=2,
    )


def write_json(results: Results, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(to_json(results) + "\n")
    scratch.replace(path)


def to_table(results: Results) -> str:
    """Markdown for people."""
    latency = results.latency
    parts = [
        f"# pgkb bench: {results.chunks:,} chunks x {results.width} dimensions, "
        f"seed {results.seed}",
        ", ".join(f"{name} {value}" for name, value in results.machine.items())
        + f"; {results.seconds:.0f} s in all",
        "Ratios are the result: both sides ran in this run, in turn. Goals are for 451,000 chunks "
        "x 1536.",
        _table(
            ("ratio", "value", "goal"),
            ((ratio.name, f"{ratio.value:.2f}", ratio.goal) for ratio in ratios(results)),
        ),
        _recall_table(results.recall),
        _recall_table([results.keyword_recall]),
        _table(
            (f"pages written by {CHANGED_CHUNKS:,} changes", "vector index", "all"),
            (_pages_row(written) for written in results.pages),
        ),
        _timings("latency, ms", latency.total),
        _timings("by kind", [*latency.by_kind, latency.unanswerable]),
        _timings("by scope", latency.by_scope),
        f"slowest search: {latency.worst_question}",
        _table(
            ("one search, ms", "calls", "total", "own"),
            (
                (cost.name, f"{cost.calls:.1f}", f"{cost.total:.2f}", f"{cost.own:.2f}")
                for cost in results.functions
            ),
        )
        if results.functions
        else "cost of functions: not measured, needs a superuser",
        _table(
            ("stored", "MB"),
            ((name, f"{size / 1_000_000:.1f}") for name, size in results.bytes.items()),
        ),
        f"load {results.load.seconds:.1f} s (texts {results.load.text_index_seconds:.1f} s, vector "
        f"index {results.load.vector_index_seconds:.1f} s); chunk_text "
        f"{results.chunking_mb_per_second:.1f} MB/s",
    ]  # fmt: skip
    parts += [f"FAILED: {line}" for line in failures(results)]
    return "\n\n".join(parts)


def _recall_table(recalls: Sequence[Recall]) -> str:
    """Recalls that have the same parts."""
    return _table(
        (f"recall@{DEPTH}", "mean", "worst", *recalls[0].parts),
        (
            (
                recall.name,
                f"{recall.mean:.3f}",
                f"{recall.worst:.2f}",
                *(f"{share:.3f}" for share in recall.parts.values()),
            )
            for recall in recalls
        ),
    )


def _pages_row(written: PagesWritten) -> tuple[str, ...]:
    if written.by_relation is None:
        return (written.change, "not measured", written.reason)
    return (
        written.change,
        str(written.vector_index_pages),
        str(sum(written.by_relation.values())),
    )


def _timings(title: str, timings: Sequence[Timing]) -> str:
    return _table(
        (title, "questions", "p50", "p95", "worst"),
        (
            (t.name, str(t.questions), f"{t.p50:.1f}", f"{t.p95:.1f}", f"{t.worst:.1f}")
            for t in timings
        ),
    )


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table that also reads well unrendered."""
    lines = [header, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]

    def row(cells: tuple[str, ...]) -> str:
        first, *rest = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join([first, *rest])} |"

    rule = "|".join(["", *("-" * (width + 2) for width in widths), ""])
    return "\n".join([row(lines[0]), rule, *map(row, lines[1:])])
