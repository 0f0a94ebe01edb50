"""What was measured, as a table for people and JSON for programs."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.bands import Band
from bench.database import Connection, text
from bench.measure import DEPTH, Recall, Timing
from bench.pages import PagesWritten
from bench.peers import Peers
from bench.results import Results
from bench.targets import Target
from bench.upkeep import ColdStart

LEAST_RECALL = 0.95
_PAGE = """\
# How fast, how complete, how large

This page is the output of

```
{command}
```

What each figure is, what it is compared with and how the corpus is made is in
[bench/README.md](../bench/README.md). Milliseconds are those of one machine; the ratios are the
result. Where a target is missed, the reason stands under the table (`bench/reasons.toml`).
"""
FORCED = "vector leg, index forced"


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


def to_json(results: Results, targets: Sequence[Target]) -> str:
    """Everything, with the targets and the verdict on top."""
    found = failures(results)
    return json.dumps(
        {
            "format": 2,
            "ok": not found,
            "failures": found,
            "targets": {
                target.key: {"value": target.value, "goal": target.goal, "met": target.met}
                for target in targets
            },
            **{key: value for key, value in asdict(results).items() if key != "plain"},
            "flat_table_index_bytes": results.plain.index_bytes,
            "flat_table_index_seconds": results.plain.index_seconds,
        },
        indent=2,
    )


def write(path: Path, content: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(content.rstrip("\n") + "\n")
    scratch.replace(path)


def to_table(results: Results, targets: Sequence[Target], reasons: Mapping[str, str]) -> str:
    """Markdown for people."""
    latency = results.latency
    parts = [
        f"# pgkb bench: {results.chunks:,} chunks x {results.width} dimensions, "
        f"seed {results.seed}",
        ", ".join(f"{name} {value}" for name, value in results.machine.items())
        + f"; {results.seconds:.0f} s in all",
        "Ratios are the result: both sides ran in this run. Goals are for 451,000 chunks x 1536 "
        "on two cores.",
        _table(("target", "measured", "goal", ""), map(_target_row, targets)),
        *_misses(targets, reasons),
        _band_table(results.bands),
        _recall_table(results.recall),
        _recall_table([results.keyword_recall]),
        _timings("latency, ms", latency.total),
        _timings("by kind", [*latency.by_kind, *latency.without_answer]),
        _timings("by scope", latency.by_scope),
        f"slowest search: {latency.worst_question}",
        _table(
            ("clients", "searches a second", "p50 ms", "p95 ms"),
            (
                (str(t.clients), f"{t.per_second:.1f}", f"{t.p50:.1f}", f"{t.p95:.1f}")
                for t in results.throughput
            ),
        ),
        f"over HTTP at one client, {results.http.questions} questions with cached vectors: "
        f"search_text in SQL {results.http.sql_p50:.1f} ms, POST /api/search "
        f"{results.http.http_p50:.1f} ms (p95 {results.http.http_p95:.1f}); it also resolves the "
        f"place and records the search, and costs {results.http.overhead_p50:.1f} ms more",
        _peer_table(results.peers, results),
        _table(
            ("pages written by a change of", "chunks", "vector index", "all"),
            (_pages_row(written) for written in results.pages),
        ),
        f"VACUUM after deleting {results.vacuum.deleted:,} chunks ({results.vacuum.share:.1%}): "
        f"{results.vacuum.seconds:.2f} s, flat table with halfvec HNSW "
        f"{results.vacuum.flat_seconds:.2f} s",
        _cold_line(results.cold_start),
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
            [
                *((name, f"{size / 1_000_000:.1f}") for name, size in results.bytes.items()),
                ("flat table's halfvec HNSW", f"{results.plain.index_bytes / 1_000_000:.1f}"),
            ],
        ),
        f"load {results.load.seconds:.1f} s, {results.load.chunks_per_second:,.0f} chunks a second "
        f"without the vector index (texts {results.load.text_index_seconds:.1f} s; vector index "
        f"{results.load.vector_index_seconds:.1f} s, flat table's halfvec HNSW "
        f"{results.plain.index_seconds:.1f} s); chunk_text "
        f"{results.chunking_mb_per_second:.1f} MB/s",
    ]  # fmt: skip
    parts += [f"FAILED: {line}" for line in failures(results)]
    return "\n\n".join(parts)


def to_page(table: str, command: str) -> str:
    """docs/performance.md: the tables of a run and how to make them again."""
    title, rest = table.split("\n", 1)
    return f"{_PAGE.format(command=command)}\n#{title}\n{rest}"


def _target_row(target: Target) -> tuple[str, ...]:
    sign = ">=" if target.at_least else "<="
    if target.value is None:
        return (target.name, "not measured", f"{sign} {target.goal:g}", target.note)
    verdict = "met" if target.met else "MISSED"
    return (
        target.name,
        f"{target.value:.3f}" if target.value < 10 else f"{target.value:.0f}",
        f"{sign} {target.goal:g}",
        f"{verdict}, {target.note}" if target.note else verdict,
    )


def _misses(targets: Sequence[Target], reasons: Mapping[str, str]) -> list[str]:
    missed = [target for target in targets if target.met is False]
    if not missed:
        return []
    return [
        "\n".join(
            f"- {target.name}: {reasons.get(target.key, 'no reason given yet')}"
            for target in missed
        )
    ]


def _band_table(bands: Sequence[Band]) -> str:
    return _table(
        (f"recall@{DEPTH} by selectivity", "let through", "questions", "mean", "worst",
         "p50 ms", "p95 ms", "scopes read by"),
        (
            (
                f"{band.share * 100:g} %, {band.by}", f"{band.let_through:.2%}",
                str(band.questions),
                f"{band.mean:.3f}", f"{band.worst:.2f}", f"{band.p50:.1f}", f"{band.p95:.1f}",
                ", ".join(f"{plan} {count}" for plan, count in band.plans.items()),
            )
            for band in bands
        ),
    )  # fmt: skip


def _peer_table(peers: Peers, results: Results) -> str:
    ingest = results.ingest
    ours = (
        "pgkb", f"{results.chunks:,}", str(results.latency.total[0].questions)
        if peers.search_kb is None else str(peers.search_kb.questions), "",
        *(
            ("", "") if peers.search_kb is None
            else (f"{peers.search_kb.p50:.1f}", f"{peers.search_kb.p95:.1f}")
        ),
        f"{ingest.per_second:.0f}", f"{results.vector_index_bytes / 1_000_000:.0f}",
    )  # fmt: skip
    table = _table(
        ("beside peers", "chunks", "questions", "answered", "p50 ms", "p95 ms",
         "added a second", "index MB"),
        [
            ours,
            *(
                (
                    peer.name, f"{peers.chunks:,}", str(peer.query.questions), str(peer.answered),
                    f"{peer.query.p50:.1f}", f"{peer.query.p95:.1f}",
                    f"{peer.add_per_second:.0f}", f"{peer.index_bytes / 1_000_000:.0f}",
                )
                for peer in peers.peers
            ),
        ],
    )  # fmt: skip
    return f"{table}\n\npeers: {peers.reason}" if peers.reason else table


def _cold_line(cold: ColdStart) -> str:
    if cold.first is None:
        return f"cold start: not measured, {cold.reason}"
    return (
        f"cold start (server restarted, files still in the system's cache): connect and first "
        f"search {cold.first:.0f} ms, second {cold.second:.0f} ms, connect and first search of "
        f"another session {cold.new_session:.0f} ms; warm {cold.warm:.1f} ms"
    )


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
        return (written.change, str(written.chunks), "not measured", written.reason)
    return (
        written.change,
        f"{written.chunks:,}",
        str(written.vector_index_pages),
        str(sum(written.by_relation.values())),
    )


def _timings(title: str, timings: Sequence[Timing]) -> str:
    return _table(
        (title, "questions", "p50", "p95", "p99", "worst"),
        (
            (
                t.name, str(t.questions),
                f"{t.p50:.1f}", f"{t.p95:.1f}", f"{t.p99:.1f}", f"{t.worst:.1f}",
            )
            for t in timings
        ),
    )  # fmt: skip


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
