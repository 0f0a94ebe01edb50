"""A run in pictures. The library is an extra (`bench`), imported when something is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import DEPTH
from bench.results import Results
from bench.targets import Target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OURS, _OTHER, _BAD = "#1f6f8b", "#9aa5ab", "#b3452c"
_SIZE = (9.0, 5.0)
PARTS = ("latency", "recall", "clients", "targets")


def draw(results: Results, targets: Sequence[Target], folder: Path, name: str) -> str:
    """Write PNG files beside the figures; returns what was drawn, or why nothing was."""
    try:
        import matplotlib
    except ImportError:
        return "none, matplotlib is not installed (pip install '.[bench]')"
    # no window: the bench runs where there is no screen
    matplotlib.use("Agg")
    title = f"{results.chunks:,} chunks x {results.width} dimensions"
    drawn = {part: folder / f"{name}-{part}.png" for part in PARTS}
    with _picture(drawn["latency"], title) as axes:
        _latency(axes, results)
    with _picture(drawn["recall"], title) as axes:
        _recall(axes, results)
    with _picture(drawn["clients"], title) as axes:
        _clients(axes, results)
    with _picture(drawn["targets"], title) as axes:
        _targets(axes, targets)
    return ", ".join(path.name for path in drawn.values())


@contextmanager
def _picture(path: Path, title: str) -> Iterator[Axes]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=_SIZE, layout="constrained")
    yield axes
    axes.set_title(title)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _latency(axes: Axes, results: Results) -> None:
    """Bars from p50 to p99 on a logarithmic scale."""
    timings = [*results.latency.total, *(peer.query for peer in results.peers.peers)][::-1]
    for place, timing in enumerate(timings):
        ours = timing.name in ("search_kb", "vector leg", "keyword leg")
        colour = _OURS if ours else _OTHER
        axes.plot([timing.p50, timing.p99], [place, place], color=colour, linewidth=6, alpha=0.5)
        axes.plot(timing.p50, place, "o", color=colour)
        axes.plot(timing.p95, place, "|", color=colour, markersize=16, markeredgewidth=2)
    axes.set_yticks(range(len(timings)), [timing.name for timing in timings])
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds: p50 (dot), p95 (line), p99 (end)")


def _recall(axes: Axes, results: Results) -> None:
    """Mean and worst question by selectivity."""
    labels = [f"{band.share * 100:g} %\n{band.by}" for band in results.bands]
    places = range(len(labels))
    axes.bar(places, [band.mean for band in results.bands], color=_OURS, label="mean")
    axes.plot(places, [band.worst for band in results.bands], "v", color=_BAD, label="worst")
    axes.set_xticks(places, labels)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel(f"recall@{DEPTH} of the vector leg")
    axes.legend(loc="lower right")


def _clients(axes: Axes, results: Results) -> None:
    """Searches a second by number of clients."""
    clients = [level.clients for level in results.throughput]
    axes.plot(clients, [level.per_second for level in results.throughput], "o-", color=_OURS)
    axes.set_xticks(clients)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("clients")
    axes.set_ylabel("searches a second")


def _targets(axes: Axes, targets: Sequence[Target]) -> None:
    """How often each goal is reached: right of 1 is better than asked."""
    shown = [target for target in targets if target.value and target.goal][::-1]
    reached = [
        (target.value or 0) / target.goal if target.at_least else target.goal / (target.value or 1)
        for target in shown
    ]
    axes.barh(
        range(len(shown)),
        [factor - 1 for factor in reached],
        left=1,
        color=[_OURS if target.met else _BAD for target in shown],
    )
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(shown)), [target.key for target in shown])
    axes.set_xscale("log")
    axes.set_xlabel("times the goal")
