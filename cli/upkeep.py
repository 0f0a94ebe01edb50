"""`pgkb upkeep` and `pgkb rebuild-index`: what the plans of schema dba say, done."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import CliError
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from ingest.upkeep.calls import BandRecall, BuildProgress, PlannedStep
    from ingest.upkeep.plans import Done, OnProgress, OnStep

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, do nothing.")]
Force = Annotated[
    bool, typer.Option("--force", help="Build also where memory or disk seems too small.")
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", help="maintenance_work_mem of the builds, e.g. 2GB.", metavar="SIZE"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command(
        "upkeep", help="Fold, list postings, build and rebuild indexes, vacuum, audit recall."
    )(upkeep)
    app.command("rebuild-index", help="Rebuild indexes while they are searched.")(rebuild_index)


def upkeep(
    dry_run: DryRun = False,
    sample: Annotated[
        int,
        typer.Option("--sample", min=0, max=10_000, help="Questions of the recall audit; 0: none."),
    ] = 50,
    memory: Memory = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """For a nightly job; exit code 1 when a step failed or was left out, or recall is an alert."""
    from ingest.upkeep import plans as work

    with _shown(quiet=as_json) as (on_step, on_progress):
        steps, recall = work.upkeep(
            wiring.database_url(),
            sample=sample,
            options=work.Options(
                dry_run=dry_run,
                force=force,
                memory=memory,
                free_disk=_free_disk(),
                on_step=on_step,
                on_progress=on_progress,
            ),
        )
    failed = _failed(steps) or any(band.alert for band in recall)
    if as_json:
        print_json({"ok": not failed, "steps": steps, "recall": recall})
        return int(failed)
    _tell(steps)
    for band in recall:
        say(_recall_words(band))
    return int(failed)


def rebuild_index(
    name: Annotated[
        str | None, typer.Argument(help="The index, as dba.index_health names it.", metavar="NAME")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every vector index.")] = False,
    dry_run: DryRun = False,
    memory: Memory = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Safe to repeat, also after a kill; exit code 1 when a step failed."""
    from ingest.upkeep import plans as work

    if everything == (name is not None):
        raise CliError(
            "give the NAME of one index or --all. "
            "In psql, `select index_name from dba.index_health` lists them"
        )
    with _shown(quiet=as_json) as (on_step, on_progress):
        steps = work.rebuild(
            wiring.database_url(),
            index_name=name,
            options=work.Options(
                dry_run=dry_run,
                force=force,
                memory=memory,
                free_disk=_free_disk(),
                on_step=on_step,
                on_progress=on_progress,
            ),
        )
    if as_json:
        print_json({"ok": not _failed(steps), "steps": steps})
    else:
        _tell(steps)
    return int(_failed(steps))


def _failed(steps: "list[Done]") -> bool:
    return any(step.outcome in {"failed", "left out"} for step in steps)


def _free_disk() -> int | None:
    """What the disk of the embedded server has left; None for another server, whose disk only
    its own machine knows.
    """
    from db import server

    return None if wiring.own_database() else shutil.disk_usage(server.home()).free


def _tell(steps: "list[Done]") -> None:
    for step in steps:
        spent = f"{step.seconds:8.1f} s" if step.outcome in {"done", "failed"} else ""
        say(f"{step.outcome:<9}{spent:<11}{step.statement}")
        if step.outcome == "planned":
            say(f"{'':<20}{step.why}")
        if step.reason:
            say(f"{'':<20}→ {step.reason}")
    say(f"{plural(len(steps), 'step')}, {sum(step.seconds for step in steps):.1f} s")


def _recall_words(band: "BandRecall") -> str:
    if band.mean_recall is None or band.worst_recall is None:
        return f"recall   {band.band:<11}nothing to find"
    alert = "  ALERT: below kb.recall_alert" if band.alert else ""
    return (
        f"recall   {band.band:<11}{band.mean_recall:.3f}, worst {band.worst_recall:.2f}, "
        f"{band.mean_ms:.1f} ms, {band.plans}{alert}"
    )


@contextmanager
def _shown(*, quiet: bool) -> "Iterator[tuple[OnStep | None, OnProgress | None]]":
    """What is at work, on stderr: a bar on a terminal, else a line for each step."""
    if not sys.stderr.isatty():
        yield None if quiet else lambda step: note(f"{step.task} {step.target}"), None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("planning", total=None)

        def begin(step: "PlannedStep") -> None:
            bar.reset(task, description=f"{step.task} {step.target}", total=None)

        def show(found: "BuildProgress") -> None:
            waiting = ", waits for older transactions" if found.waits else ""
            bar.update(
                task,
                description=f"{found.index_name}: {found.phase}{waiting}",
                total=1 if found.done is not None else None,
                completed=found.done or 0,
            )

        yield begin, show
