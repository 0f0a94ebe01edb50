"""`python -m bench growth`: how much slower a search becomes as the corpus grows.

Every size is loaded into a database of its own and kept until the end. Then the questions of all
sizes are asked in turn, one of each, so that a slow minute of the machine falls on all sizes alike.
With `--keep` the databases stay, and the next run asks them again, with the functions of then.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from bench.anatomy import vector_index_bytes
from bench.database import (
    NAME,
    BenchError,
    Connection,
    Say,
    Statement,
    bench_bed,
    connect,
    text,
    whole_number,
)
from bench.load import LoadReport, bring_up_to_date, load
from bench.measure import (
    DEPTH,
    KEYWORD_LEG,
    ROUNDS,
    SEARCH,
    Timing,
    exact_ids,
    ids_of,
    milliseconds,
    timing_of,
    vector_leg,
)
from bench.queries import Question, answerable, make_questions
from bench.report import to_rows, write
from bench.world import make_world

# the goal of the project: p95 of a size ÷ p95 of the one before
MOST_GROWTH = 2.0
SIZES = (45_000, 451_000, 2_000_000)
# fewer make no world with all its kinds of places
FEWEST_CHUNKS = 500
# exact answers read every vector: so many questions at most
MOST_RECALLED = 60


@dataclass(frozen=True, slots=True)
class Size:
    """One size: how the search and its legs took it, and what its vector leg found."""

    chunks: int
    timings: dict[str, Timing]
    recall: float
    worst_recall: float
    index_bytes: int
    # None: an earlier run loaded it
    load: LoadReport | None


@dataclass(frozen=True, slots=True)
class Growth:
    """All sizes of a run, ascending."""

    width: int
    seed: int
    sizes: list[Size]

    @property
    def steps(self) -> list[float]:
        """p95 of search_kb at each size ÷ that at the size before it."""
        p95 = [size.timings["search_kb"].p95 for size in self.sizes]
        return [after / before for before, after in pairwise(p95)]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A database full of chunks, and what is asked of it."""

    chunks: int
    db: Connection
    set_id: int
    report: LoadReport | None
    questions: list[Question]
    statements: Mapping[str, Statement]


def main(arguments: Sequence[str]) -> int:
    """0 when no step grows by more than the goal, else 1; errors are those of `python -m bench`."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    found = run(
        sizes=options.sizes, width=options.width, seed=options.seed,
        questions_per_cell=options.questions_per_cell, keep=options.keep, say=say,
    )  # fmt: skip
    table = to_table(found)
    write(options.json, json.dumps({**asdict(found), "steps": found.steps}, indent=1))
    if options.page:
        sizes = " ".join(str(size.chunks) for size in found.sizes)
        command = f"python -m bench growth --sizes {sizes} --width {found.width}"
        write(options.page, _PAGE.format(command=command, table=table))
    print(table)
    print(f"\nwritten to {options.json}")
    return int(any(step > MOST_GROWTH for step in found.steps))


def run(
    *, sizes: Sequence[int], width: int, seed: int = 1, questions_per_cell: int = 12,
    keep: bool = False, say: Say,
) -> Growth:  # fmt: skip
    """Load every size that no earlier run kept, then ask.

    Raises BenchError, and what the server and the deploy raise.
    """
    if len(set(sizes)) < len(sizes) or len(sizes) < 2 or min(sizes) < FEWEST_CHUNKS:
        raise BenchError(
            f"growth compares two sizes or more, all different and from {FEWEST_CHUNKS} on: "
            "give them in --sizes"
        )
    with ExitStack() as stack:
        loaded = [
            _load(
                stack,
                chunks,
                width=width,
                seed=seed,
                per_cell=questions_per_cell,
                keep=keep,
                say=say,
            )
            for chunks in sorted(sizes)
        ]
        say("timing the questions of all sizes in turn")
        timings = _time(loaded)
        return Growth(
            width=width,
            seed=seed,
            sizes=[_measured(one, timings[number], say=say) for number, one in enumerate(loaded)],
        )


def _load(
    stack: ExitStack, chunks: int, *, width: int, seed: int, per_cell: int, keep: bool, say: Say
) -> _Loaded:
    # the name says all that the corpus depends on
    name = f"{NAME}_growth_{chunks}_{width}_{seed}"
    bed = stack.enter_context(bench_bed(keep=keep, say=lambda _: None, name=name, reuse=keep))
    db = stack.enter_context(connect(bed.url))
    world = make_world(chunks=chunks, width=width, seed=seed)
    report = None
    # all rows of a load are committed at once
    held = whole_number(db, "select count(*) from corpus.chunk")
    if held == 0:
        say(f"loading {chunks:,} chunks of {width} dimensions")
        report = load(db, world, say=say)
    elif held != chunks:
        raise BenchError(
            f"the database {name} holds {held:,} chunks; run without --keep, or drop it"
        )
    set_id = whole_number(db, "select (embedding.active_set()).set_id")
    if report is None:
        say(f"{chunks:,} chunks of {width} dimensions are loaded; bringing them up to date")
        bring_up_to_date(db, set_id=set_id)
    questions = make_questions(db, world, set_id=set_id, per_cell=per_cell)
    floor = text(db, "select retrieval_floor from embedding.set where set_id = %s", [set_id])
    db.rollback()
    return _Loaded(
        chunks=chunks,
        db=db,
        set_id=set_id,
        report=report,
        questions=[question for _, question in answerable(questions)],
        statements={
            "search_kb": SEARCH,
            "vector leg": vector_leg(set_id, floor=floor),
            "keyword leg": KEYWORD_LEG,
        },
    )


def _time(loaded: Sequence[_Loaded]) -> list[dict[str, Timing]]:
    """For each size and statement; a question's time is the best of its rounds."""
    count = min(len(one.questions) for one in loaded)
    best: list[dict[str, list[float]]] = [
        {name: [float("inf")] * count for name in one.statements} for one in loaded
    ]
    # the first round warms caches and plans and is not counted
    for counted in range(ROUNDS + 1):
        for number in range(count):
            for one, times in zip(loaded, best, strict=True):
                for name, statement in one.statements.items():
                    spent = milliseconds(one.db, statement, one.questions[number])
                    if counted:
                        times[name][number] = min(times[name][number], spent)
    for one in loaded:
        one.db.rollback()
    return [{name: timing_of(name, spent) for name, spent in times.items()} for times in best]


def _measured(one: _Loaded, timings: dict[str, Timing], *, say: Say) -> Size:
    say(f"recall of {one.chunks:,} chunks")
    leg = vector_leg(one.set_id, floor="-1")
    exact = exact_ids(one.set_id)
    shares = [
        len(set(truth) & set(ids_of(one.db, leg, question)[:DEPTH])) / len(truth)
        for question in one.questions[:MOST_RECALLED]
        if (truth := ids_of(one.db, exact, question))
    ]
    index_bytes = vector_index_bytes(one.db, set_id=one.set_id)
    one.db.rollback()
    return Size(
        chunks=one.chunks,
        timings=timings,
        recall=sum(shares) / len(shares),
        worst_recall=min(shares),
        index_bytes=index_bytes,
        load=one.report,
    )


def to_table(found: Growth) -> str:
    """What people read: a row for each size, then the steps beside the goal."""
    steps = [None, *found.steps]

    def step_of(step: float | None) -> str:
        if step is None:
            return ""
        return f"{step:.2f} {'met' if step <= MOST_GROWTH else 'MISSED'}"

    columns: list[tuple[str, Callable[[Size], str]]] = [
        ("chunks", lambda size: f"{size.chunks:,}"),
        *(
            (f"{name} p50 / p95 ms", _p50_p95(name))
            for name in ("search_kb", "vector leg", "keyword leg")
        ),
        ("recall@20", lambda size: f"{size.recall:.3f}"),
        ("worst", lambda size: f"{size.worst_recall:.2f}"),
        ("vector index MB", lambda size: f"{size.index_bytes / 1e6:,.0f}"),
        ("load s", lambda size: "" if size.load is None else f"{size.load.seconds:,.0f}"),
    ]
    rows = [
        (*(cell(size) for _, cell in columns), step_of(step))
        for size, step in zip(found.sizes, steps, strict=True)
    ]
    header = (*(name for name, _ in columns), f"search_kb p95 grew, goal <= {MOST_GROWTH:g}")
    title = f"## {found.width} dimensions, seed {found.seed}"
    return "\n".join([title, "", to_rows(header, rows)])


def _p50_p95(name: str) -> Callable[[Size], str]:
    return lambda size: f"{size.timings[name].p50:.1f} / {size.timings[name].p95:.1f}"


_PAGE = """\
# How a search grows with the corpus

This page is the output of

```
{command} --page docs/growth.md
```

Each size has a database of its own, and the questions of all sizes were asked in turn in one loop:
the ratios are the result, milliseconds are those of one machine. [performance.md](performance.md)
measures one size beside baselines.

{table}
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench growth",
        description="Load several sizes of the made-up corpus, ask the questions of all in turn, "
        "and report how much slower the search becomes from one to the next. Exit code 1 when a "
        f"step is more than {MOST_GROWTH:g} times. Disk: about 9 kB a chunk at 1536 dimensions.",
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--width", type=int, choices=(384, 1536), default=1536)
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--questions-per-cell", type=int, default=12, metavar="N")
    parser.add_argument(
        "--keep", action="store_true",
        help="keep the databases, and use those that an earlier run kept",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, default=Path("build/growth.json"), metavar="FILE")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write docs/growth.md, or another"
    )
    return parser
