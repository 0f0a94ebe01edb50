"""`pgkb load`: the public registers of schools, postcodes and authorities, as published."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    import psycopg

    from ingest.registers.files import OnProgress
    from ingest.registers.loading import LoadReport

File = Annotated[Path, typer.Argument(help="CSV as published; also .gz or .zip.", metavar="FILE")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, keep nothing.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

# refused rows named on the screen; --json has the first thousand
_MOST_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="Load a register: schools, postcodes or authorities.", rich_markup_mode=None
    )
    group.command("schools", help="Schools, or the links between them, as GIAS gives them.")(
        schools
    )
    group.command("postcodes", help="Every postcode and its district (ONSPD).")(postcodes)
    group.command("authorities", help="Education authorities and their successors.")(authorities)
    app.add_typer(group, name="load")


def schools(file: File, dry_run: DryRun = False, as_json: AsJson = False) -> int:
    """Add, correct and close schools; exit code 1 when a row was refused."""
    from ingest.registers.loading import load_schools

    with _connection() as db, _progress_bar() as show:
        report = load_schools(db, file, dry_run=dry_run, on_progress=show)
    return _told(report, as_json=as_json)


def postcodes(
    file: File,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Accept a file with far fewer postcodes than known.")
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> int:
    """Replace the known postcodes at one stroke; exit code 1 when a row was refused."""
    from ingest.registers.loading import load_postcodes

    with _connection() as db, _progress_bar() as show:
        report = load_postcodes(db, file, shrink=shrink, dry_run=dry_run, on_progress=show)
    return _told(report, as_json=as_json)


def authorities(file: File, dry_run: DryRun = False, as_json: AsJson = False) -> int:
    """Add and correct authorities, all of the file's or none."""
    from ingest.registers.loading import load_authorities

    with _connection() as db:
        report = load_authorities(db, file, dry_run=dry_run)
    return _told(report, as_json=as_json)


def summary(report: "LoadReport") -> str:
    """`22,010 schools read: 22,004 added, 6 unchanged`."""
    counts = [
        f"{count:,} {word}"
        for word in ("added", "changed", "unchanged", "closed", "removed", "outside", "refused")
        if (count := getattr(report, word))
    ]
    kept = " (dry run: nothing was kept)" if report.dry_run else ""
    return f"{report.read:,} {report.register} read: {', '.join(counts) or 'nothing to do'}{kept}"


def _told(report: "LoadReport", *, as_json: bool) -> int:
    if as_json:
        print_json(report)
    else:
        for problem in report.problems[:_MOST_SHOWN]:
            say(f"refused   line {problem.line}: {problem.reason}")
        if report.refused > _MOST_SHOWN:
            rest = plural(report.refused - _MOST_SHOWN, "more line")
            note(f"{rest} refused; --json names the first thousand")
        say(summary(report))
    return int(report.refused > 0)


@contextmanager
def _connection() -> "Iterator[psycopg.Connection]":
    from ingest.connect import connect

    with connect(wiring.database_url()) as db:
        yield db


@contextmanager
def _progress_bar() -> "Iterator[OnProgress | None]":
    """A bar on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("reading", total=None)

        def show(done: int, size: int) -> None:
            # the server still has to merge what was read
            bar.update(
                task,
                completed=done,
                total=size,
                description="reading" if done < size else "merging",
            )

        yield show
