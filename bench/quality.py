"""`python -m bench quality`: the accepted figures, and whether today's are as good."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import evaluate
from bench.calls import Figures
from bench.collection import read_collection
from bench.database import BenchError, Say
from bench.quality_page import to_page
from bench.scratch import Options, Scratch, scratch_collection, scratch_pack

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = Path(__file__).with_name("quality.json")
PAGE = ROOT / "docs" / "quality.md"
COLLECTIONS = ("scifact", "cranfield", "white_sharc")
PACK = "send"
# a metric may fall by so much before somebody has to look
MARGIN = 0.01
_METRICS = ("ndcg_10", "recall_8", "recall_50", "mrr", "right_none")
_DIGITS = 4

Accepted = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """A judged set: how it is loaded and in which ways it is answered."""

    name: str
    load: Callable[[], AbstractContextManager[Scratch]]
    ways: Sequence[evaluate.Way]


def subjects(say: Say, settings: Mapping[str, str]) -> tuple[list[Subject], list[str]]:
    """The pack, and the collections of the shared data where they are; the names left out."""
    options = Options(vectors=ROOT / "build" / "vectors.sqlite3", keep=False, say=say)
    found = [
        Subject(
            PACK,
            partial(scratch_pack, ROOT / "packs" / PACK, ROOT / "build" / "eval" / PACK, options),
            evaluate.pack_ways(evaluate.MODES, settings),
        )
    ]
    left_out = []
    for name in COLLECTIONS:
        folder = shared_data() / "ir" / name
        if not folder.is_dir():
            left_out.append(name)
            continue
        found.append(
            Subject(
                name,
                partial(_load, folder, options),
                evaluate.ranking_ways(evaluate.MODES, settings),
            )
        )
    return found, left_out


def _load(folder: Path, options: Options) -> AbstractContextManager[Scratch]:
    return scratch_collection(read_collection(folder), options)


def shared_data() -> Path:
    """The folder of shared data sets, whether or not it is there."""
    named = os.environ.get("PGKB_SHARED_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


def measure(chosen: Sequence[Subject], say: Say) -> Accepted:
    """Today's figures, in the form in which they are accepted."""
    found: Accepted = {}
    for subject in chosen:
        say(subject.name)
        with subject.load() as scratch, evaluate.history(say) as history:
            measured = evaluate.measure(scratch, subject.ways, say=say, history=history)
            found[subject.name] = {
                "questions": len(scratch.questions.questions),
                "digest": scratch.questions.digest.hex(),
                "ways": {
                    each.way.name: {figures.kind: _kept(figures) for figures in each.figures}
                    for each in measured
                },
            }
    return found


def _kept(figures: Figures) -> dict[str, Any]:
    kept: dict[str, Any] = {"questions": figures.questions}
    for metric in _METRICS:
        value = getattr(figures, metric)
        if value is not None:
            kept[metric] = round(value, _DIGITS)
    return kept | {"forbidden_shown": int(figures.forbidden_shown)}


def regressions(accepted: Accepted, found: Accepted) -> list[str]:
    """A line for every figure that fell by more than the margin and every forbidden document.

    Kinds of question are few each, so only the figures over all of a set's questions count.
    """
    lines = []
    for name, today in found.items():
        known = accepted.get(name)
        for way, kinds in today["ways"].items():
            if shown := kinds["all"]["forbidden_shown"]:
                lines.append(f"{name}, {way}: {shown} forbidden documents shown, must be 0")
        if known is None:
            lines.append(f"{name}: no figures were accepted; run python -m bench quality --accept")
        elif known["digest"] != today["digest"]:
            lines.append(
                f"{name}: the questions changed since its figures were accepted; look at the new "
                "ones and run python -m bench quality --accept"
            )
        else:
            lines += _fallen(name, known["ways"], today["ways"])
    return lines


def _fallen(name: str, accepted: Accepted, found: Accepted) -> list[str]:
    lines = []
    for way, kinds in accepted.items():
        for metric in _METRICS:
            old = kinds["all"].get(metric)
            new = found.get(way, {}).get("all", {}).get(metric)
            if old is not None and (new is None or old - new > MARGIN + 1e-9):
                now = "missing" if new is None else format(new, ".4f")
                lines.append(f"{name}, {way}: {metric} fell from {old:.4f} to {now}")
    return lines


def read_accepted(file: Path | None = None) -> Accepted:
    """The accepted figures, of bench/quality.json unless told otherwise; raises BenchError."""
    file = file or ACCEPTED
    try:
        accepted: Accepted = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        raise BenchError(
            f"{file} cannot be read: {problem}; take it from version control"
        ) from None
    return accepted


def accept(found: Accepted) -> None:
    """Make today's figures the accepted ones; sets not measured today keep theirs."""
    accepted = dict(sorted((read_accepted() | found).items()))
    ACCEPTED.write_text(json.dumps(accepted, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(to_page(accepted), encoding="utf-8")


def check(say: Say, settings: Mapping[str, str] | None = None) -> list[str]:
    """Measure and compare; the lines of what got worse."""
    chosen, left_out = subjects(say, settings or {})
    if left_out:
        say(f"left out: {', '.join(left_out)}; PGKB_SHARED_DATA names no folder that has them")
    return regressions(read_accepted(), measure(chosen, say))


def main(arguments: Sequence[str]) -> int:
    """0 as good as accepted, 1 something got worse; raises BenchError and what a deploy raises."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    settings = dict(options.set or ())
    if options.accept:
        if settings:
            raise BenchError("--accept takes the figures of the defaults; leave out --set")
        chosen, left_out = subjects(say, {})
        accept(measure(chosen, say))
        print(f"accepted: {', '.join(subject.name for subject in chosen)}")
        if left_out:
            print(f"left as they were: {', '.join(left_out)}")
        return 0
    return report(check(say, settings))


def report(worse: Sequence[str]) -> int:
    """Print what got worse; the exit code."""
    for line in worse:
        print(f"worse: {line}")
    if not worse:
        print("quality: as good as accepted")
    return int(bool(worse))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench quality",
        description="Answer the judged questions of the pack, and of the shared collections where "
        "PGKB_SHARED_DATA has them, and compare with the accepted figures in bench/quality.json. "
        f"Exit code 1 when a figure fell by more than {MARGIN} or a forbidden document is shown.",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="accept today's figures: rewrite bench/quality.json and docs/quality.md",
    )
    parser.add_argument(
        "--set", action="append", type=_setting, metavar="kb.NAME=VALUE",
        help="try a setting against the accepted figures",
    )  # fmt: skip
    return parser


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.startswith("kb.") and equals and value.strip()):
        raise argparse.ArgumentTypeError("write kb.NAME=VALUE")
    return name, value
