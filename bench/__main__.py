"""`python -m bench`: generate, load, measure, report; then the quality of the answers."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from bench import churn, growth, memory, plots, quality, report, targets
from bench.database import BenchError, Say
from bench.peers import MOST_CHUNKS
from bench.run import Options, run
from db.deploy import DeployError
from db.server import ServerError
from ingest.errors import IngestError
from ingest.packs.loading import PackError
from ingest.sample import SampleError
from providers.protocols import ProviderError

_OK, _FAILED, _REFUSED, _STOPPED = 0, 1, 2, 130
WIDTHS = (384, 1536)
# the size the targets are for
FULL = (451_000, 1536)
QUESTIONS_PER_CELL = 12
# errors whose message already is the line for people
_REFUSALS = (
    BenchError, DeployError, ServerError, SampleError, PackError, IngestError, ProviderError,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """0 all well, 1 recall, written pages or quality are not as they must be, 2 refused."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["quality"]:
            return quality.main(given[1:])
        if given[:1] == ["churn"]:
            return churn.main(given[1:])
        if given[:1] == ["growth"]:
            return growth.main(given[1:])
        if given[:1] == ["memory"]:
            return memory.main(given[1:])
        return _measure(_parser().parse_args(given))
    except _REFUSALS as problem:
        return _refuse(str(problem))
    except psycopg.Error as problem:
        return _refuse(f"the server refused: {' '.join(str(problem).split())}")
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return _STOPPED


def _measure(options: argparse.Namespace) -> int:
    chunks, width = FULL if options.full else (options.chunks, options.width)
    results = run(
        Options(
            chunks=chunks,
            width=width,
            seed=options.seed,
            questions_per_cell=options.questions_per_cell,
            keep=options.keep,
            peer_chunks=options.peer_chunks,
        ),
        _say_from(time.monotonic()),
    )
    found = targets.targets(results, targets.next_smaller(options.out, results))
    table = report.to_table(results, found, targets.reasons())
    name = f"{chunks}x{width}"
    report.write(options.out / f"{name}.json", report.to_json(results, found))
    report.write(options.out / f"{name}.md", table)
    if options.page:
        report.write(options.page, report.to_page(table, _command(options, chunks, width)))
    print(table)
    drawn = plots.draw(results, found, options.out, name)
    print(f"\nwritten to {options.out}/{name}.json and .md; plots: {drawn}\n")
    failed = bool(report.failures(results))
    if options.no_quality:
        return _FAILED if failed else _OK
    worse = quality.report(quality.check(_say_from(time.monotonic())))
    return _FAILED if failed or worse else _OK


def _command(options: argparse.Namespace, chunks: int, width: int) -> str:
    said = f"python -m bench --chunks {chunks} --width {width} --seed {options.seed}"
    if options.questions_per_cell != QUESTIONS_PER_CELL:
        said += f" --questions-per-cell {options.questions_per_cell}"
    if options.peer_chunks != MOST_CHUNKS:
        said += f" --peer-chunks {options.peer_chunks}"
    return f"{said} --page {options.page}"


def _say_from(started: float) -> Say:
    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    return say


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure the search beside simple baselines on a made-up corpus, in a "
        "database of its own (pgkb_bench) that is dropped and rebuilt. Uses the server of "
        "PGKB_DATABASE_URL, else the embedded one. Then the quality of the answers, as "
        "`python -m bench quality` measures it. Exit code 1 when recall, the pages a status "
        "update writes or the quality are not as they must be.",
    )
    parser.add_argument(
        "--chunks",
        type=_AtLeast(500),
        default=20_000,
        metavar="N",
        help="size of the corpus (default: 20000)",
    )
    parser.add_argument(
        "--width", type=int, choices=WIDTHS, default=WIDTHS[0], help="dimensions (default: 384)"
    )
    parser.add_argument(
        "--seed",
        type=_AtLeast(0),
        default=1,
        metavar="N",
        help="the same seed gives the same corpus and questions (default: 1)",
    )
    parser.add_argument(
        "--questions-per-cell",
        type=_AtLeast(1),
        default=QUESTIONS_PER_CELL,
        metavar="N",
        help=f"questions for each of 20 pairs of kind and scope (default: {QUESTIONS_PER_CELL})",
    )
    parser.add_argument(
        "--full", action="store_true", help="451,000 chunks of 1536 dimensions: takes hours"
    )
    parser.add_argument(
        "--peer-chunks",
        type=_AtLeast(100),
        default=MOST_CHUNKS,
        metavar="N",
        help=f"the peers get at most so many of the chunks (default: {MOST_CHUNKS})",
    )
    parser.add_argument(
        "--no-quality", action="store_true", help="leave out the quality of the answers"
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write docs/performance.md, or another page"
    )
    parser.add_argument("--keep", action="store_true", help="keep the database for a closer look")
    parser.add_argument(
        "--out", type=Path, default=Path("build/bench"), metavar="DIR",
        help="where NxWIDTH.json, .md and plots are written (default: build/bench)",
    )  # fmt: skip
    return parser


class _AtLeast:
    """A whole number, not smaller than this."""

    def __init__(self, least: int) -> None:
        self.least = least

    def __call__(self, text: str) -> int:
        number = int(text) if text.lstrip("-").isdecimal() else self.least - 1
        if number < self.least:
            raise argparse.ArgumentTypeError(f"give a whole number from {self.least}")
        return number


def _refuse(line: str) -> int:
    print(f"bench: {line}", file=sys.stderr)
    return _REFUSED


if __name__ == "__main__":
    sys.exit(main())
