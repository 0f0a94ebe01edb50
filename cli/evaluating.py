"""`pgkb eval` and `pgkb tune`: how good the search is, and which fusion would be better."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.errors import CliError
from cli.output import note, print_json, say

if TYPE_CHECKING:
    from bench.evaluate import Measured
    from bench.scratch import Scratch
    from bench.tune import Tuned

_SHOWN_POINTS = 20

Folder = Annotated[
    Path | None,
    typer.Argument(help="Folder with corpus.jsonl, queries.jsonl and qrels.tsv.", metavar="DIR"),
]
Pack = Annotated[
    str | None, typer.Option("--pack", help="A pack's sample and judged questions, e.g. send.")
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N questions.")]
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting kb.NAME=VALUE; may be given several times."),
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Keep the database pgkb_eval for a closer look.")
]
Vectors = Annotated[
    Path, typer.Option("--vectors", help="File that keeps vectors from one run to the next.")
]
Whole = Annotated[
    bool, typer.Option("--whole", help="One passage a document, up to 8,000 characters.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
_VECTORS = Path("build") / "vectors.sqlite3"


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("eval", help="Measure retrieval with judged questions.")(evaluate)
    app.command("tune", help="Sweep weights, k and candidates over judged questions.")(tune)


def evaluate(
    folder: Folder = None,
    pack: Pack = None,
    mode: Annotated[
        list[str] | None, typer.Option("--mode", help="vector, keyword or hybrid; default: all.")
    ] = None,
    limit: Limit = None,
    settings: Setting = None,
    whole: Whole = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="Name the questions that were answered badly.")
    ] = False,
    keep: Keep = False,
    vectors: Vectors = _VECTORS,
    as_json: Json = False,
) -> None:
    """Measure in a database of its own and print the table."""
    from bench import evaluate as work

    modes = tuple(mode or work.MODES)
    for name in modes:
        if name not in work.MODES:
            raise CliError(f'--mode is "{name}". Give one of {", ".join(work.MODES)}')
    if pack is not None and (whole or limit is not None):
        raise CliError("--whole and --limit are for a DIR. Leave them out with --pack")
    changed = _settings_of(settings)
    ways = (work.ranking_ways if pack is None else work.pack_ways)(modes, changed)
    with (
        _refusals(),
        _corpus(folder, pack, limit=limit, whole=whole, keep=keep, vectors=vectors) as scratch,
        work.history(note) as history,
    ):
        measured = work.measure(scratch, ways, say=note, history=history)
        for line in scratch.notes:
            note(line)
    if as_json:
        print_json({"set": scratch.set_name, "notes": scratch.notes, "ways": measured})
        return
    say(work.to_table(measured, by_kind=pack is not None))
    if failures:
        _show_failures(measured[-1])


def tune(
    folder: Folder = None,
    pack: Pack = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", help="Shares of the vector leg, e.g. 0.3,0.5; 1 is vector only."),
    ] = None,
    rrf_k: Annotated[str | None, typer.Option("--k", help="Values of k, e.g. 20,60.")] = None,
    candidates: Annotated[
        str | None, typer.Option("--candidates", help="Depths of a leg, e.g. 50,100.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Chooses which questions are in which half.")
    ] = 1,
    limit: Limit = None,
    settings: Setting = None,
    whole: Whole = False,
    keep: Keep = False,
    vectors: Vectors = _VECTORS,
    as_json: Json = False,
) -> None:
    """Sweep on one half of the questions, report the other beside it."""
    from bench import tune as work
    from bench.evaluate import FLOORS_OFF

    points = work.grid(
        _numbers("--weights", weights, work.VECTOR_SHARES, 0, 1),
        _numbers("--k", rrf_k, work.RRF_KS, 1, 1000),
        [int(n) for n in _numbers("--candidates", candidates, work.CANDIDATES, 1, 1000)],
    )
    if pack is not None and (whole or limit is not None):
        raise CliError("--whole and --limit are for a DIR. Leave them out with --pack")
    changed = {**(FLOORS_OFF if pack is None else {}), **_settings_of(settings)}
    with (
        _refusals(),
        _corpus(
            folder, pack, limit=limit, whole=whole, keep=keep, vectors=vectors, seed=seed,
            train=True,
        ) as scratch,
    ):  # fmt: skip
        tuned = work.tune(scratch, points, settings=changed, say=note)
        for line in scratch.notes:
            note(line)
    if as_json:
        print_json(tuned)
        return
    _show_points(tuned)


@contextmanager
def _refusals() -> Iterator[None]:
    """What the bench refuses is a refusal of the command."""
    from bench.database import BenchError

    try:
        yield
    except BenchError as refused:
        raise CliError(str(refused)) from None


def _corpus(
    folder: Path | None,
    pack: str | None,
    *,
    limit: int | None,
    whole: bool,
    keep: bool,
    vectors: Path,
    seed: int = 1,
    train: bool = False,
) -> "AbstractContextManager[Scratch]":
    """The corpus that was named, loaded into a database of its own."""
    from bench.collection import read_collection
    from bench.scratch import Options, scratch_collection, scratch_pack

    if (folder is None) == (pack is None):
        raise CliError("name one corpus: `pgkb eval DIR` or `pgkb eval --pack send`")
    options = Options(vectors=vectors, keep=keep, say=_clock())
    if folder is not None:
        collection = read_collection(folder, limit=limit, seed=seed, train=train)
        return scratch_collection(collection, options, whole=whole)
    pack_dir = _pack_dir(str(pack))
    return scratch_pack(pack_dir, Path("build") / "eval" / pack_dir.resolve().name, options)


def _pack_dir(pack: str) -> Path:
    """A folder, or the name of a pack of this checkout."""
    beside = Path(__file__).resolve().parent.parent / "packs" / pack
    for folder in (Path(pack), beside):
        if (folder / "pack.toml").is_file():
            return folder
    raise CliError(f'there is no pack "{pack}". Name a folder that holds pack.toml, or send')


def _clock() -> Callable[[str], None]:
    started = time.monotonic()
    return lambda line: note(f"{time.monotonic() - started:6.1f} s  {line}")


def _settings_of(given: Sequence[str] | None) -> dict[str, str]:
    settings = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not (name.startswith("kb.") and equals and value.strip()):
            raise CliError(f'--set is "{each}". Write kb.NAME=VALUE, e.g. --set kb.rrf_k=20')
        settings[name.strip()] = value.strip()
    return settings


def _numbers(
    option: str, given: str | None, usual: Sequence[float], lowest: float, highest: float
) -> list[float]:
    if given is None:
        return list(usual)
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        numbers = [lowest - 1]
    if not all(lowest <= number <= highest for number in numbers):
        raise CliError(
            f'{option} is "{given}". Give numbers from {lowest} to {highest} with commas between'
        )
    return numbers


def _show_failures(measured: "Measured") -> None:
    from bench.evaluate import failures_of

    say(f"\nanswered badly by {measured.way.name}:")
    for line in failures_of(measured) or ["none"]:
        say(f"  {line}")


def _show_points(tuned: "Tuned") -> None:
    rows: list[tuple[Any, ...]] = [
        ("rank", "candidates", "k", "vector", "keyword", "tune nDCG", "held-out", "R@8", "MRR")
    ]
    for rank, point in enumerate(tuned.points, start=1):
        if rank <= _SHOWN_POINTS or point.is_default:
            fusion, held_out = point.fusion, point.held_out
            rows.append(
                (
                    rank, fusion.candidates, f"{fusion.rrf_k:g}", f"{fusion.vector_weight:g}",
                    f"{fusion.keyword_weight:g}", f"{point.tune.ndcg_10:.4f}",
                    f"{held_out.ndcg_10:.4f}", f"{held_out.recall_8:.4f}", f"{held_out.mrr:.4f}",
                    "default" if point.is_default else "",
                )
            )  # fmt: skip
    for row in rows:
        say("  ".join(f"{cell:>10}" for cell in row).rstrip())
    verdict = "beyond chance" if tuned.p_value < 0.05 else "no more than chance gives"
    say(
        f"{tuned.set_name}: tuned on {tuned.tune_questions:,} questions, held out "
        f"{tuned.held_out_questions:,}; the best adds {tuned.gain:+.4f} nDCG@10 to the default on "
        f"the held-out half, p = {tuned.p_value:.3f}: {verdict}"
    )
