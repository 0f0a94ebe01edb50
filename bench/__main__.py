"""`python -m bench`: generate, load, measure, report; then the quality of the answers."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from bench import anatomy, baseline, churn, pages, quality, report
from bench.database import BenchError, Say, bench_database, connect
from bench.load import load
from bench.measure import Sessions, measure_keyword_recall, measure_latency, measure_recall
from bench.queries import make_questions
from bench.report import Results
from bench.world import make_world
from db.deploy import DeployError
from db.server import ServerError
from ingest.errors import IngestError
from ingest.pack import PackError
from ingest.sample import SampleError
from providers.protocols import ProviderError

_OK, _FAILED, _REFUSED, _STOPPED = 0, 1, 2, 130
WIDTHS = (384, 1536)
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
        return _measure(_parser().parse_args(given))
    except _REFUSALS as problem:
        return _refuse(str(problem))
    except psycopg.Error as problem:
        return _refuse(f"the server refused: {' '.join(str(problem).split())}")
    except KeyboardInterrupt:
        print("bench: stopped", file=sys.stderr)
        return _STOPPED


def _measure(options: argparse.Namespace) -> int:
    results = run(options)
    report.write_json(results, options.json)
    print(report.to_table(results))
    print(f"\nwritten to {options.json}\n")
    worse = quality.report(quality.check(_say_from(time.monotonic())))
    return _FAILED if report.failures(results) or worse else _OK


def _say_from(started: float) -> Say:
    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    return say


def run(options: argparse.Namespace) -> Results:
    """One bench, from an empty database to its results."""
    started = time.monotonic()
    say = _say_from(started)
    world = make_world(chunks=options.chunks, width=options.width, seed=options.seed)
    with (
        bench_database(keep=options.keep, say=lambda _: None) as url,
        connect(url) as db,
    ):
        say(f"loading {options.chunks:,} chunks of {options.width} dimensions")
        loaded = load(db, world, say=say)
        say("copying them into the flat table they are compared with")
        plain = baseline.build(db, set_id=loaded.set_id, width=options.width)
        questions = make_questions(
            db, world, set_id=loaded.set_id, per_cell=options.questions_per_cell
        )
        db.rollback()
        with (
            baseline.vector_session(url, iterative=False) as bare,
            baseline.vector_session(url, iterative=True) as iterative,
        ):
            sessions = Sessions(search=db, bare=bare, iterative=iterative)
            say(f"timing {len(questions)} questions")
            latency = measure_latency(sessions, questions, plain=plain, set_id=loaded.set_id)
            say("recall")
            recall = measure_recall(sessions, questions, plain=plain, set_id=loaded.set_id)
        keyword_recall = measure_keyword_recall(db, questions)
        say("cost of functions, chunking, pages written")
        functions = anatomy.measure_functions(db, questions)
        chunking = anatomy.measure_chunking(db)
        stored = anatomy.measure_bytes(db, set_id=loaded.set_id)
        index_bytes = anatomy.vector_index_bytes(db, set_id=loaded.set_id)
        written = pages.measure_pages(db, set_id=loaded.set_id)
        machine = report.machine(db)
    return Results(
        chunks=options.chunks,
        width=options.width,
        seed=options.seed,
        machine=machine,
        seconds=time.monotonic() - started,
        load=loaded,
        latency=latency,
        recall=recall,
        keyword_recall=keyword_recall,
        pages=written,
        functions=functions,
        chunking_mb_per_second=chunking,
        bytes=stored,
        vector_index_bytes=index_bytes,
        plain=plain,
    )


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
        default=12,
        metavar="N",
        help="questions for each of 20 pairs of kind and scope (default: 12)",
    )
    parser.add_argument("--keep", action="store_true", help="keep the database for a closer look")
    parser.add_argument(
        "--json", type=Path, default=Path("build/bench.json"), metavar="FILE",
        help="where the results are written (default: build/bench.json)",
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
