"""`pgkb reembed`: another embedding model or width, with no second of worse answers."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import wiring
from cli.errors import CliError, not_blank
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from ingest.embedding.calls import FillProgress
    from ingest.embedding.reembed import NewSet, OnStep, Report, Step

_PURPOSE = "Embed everything with another model while searches go on, then switch to it."


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reembed", help=_PURPOSE)(reembed)


def reembed(
    set_name: Annotated[
        str | None, typer.Option("--set", help="Embedding set to fill.", metavar="NAME")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model of a set that is new.")
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option("--provider", help="Its provider: local, openai, azure, compatible."),
    ] = None,
    width: Annotated[int | None, typer.Option("--width", help="Its dimensions.")] = None,
    batch: Annotated[int, typer.Option("--batch", help="Chunks in a call to the provider.")] = 64,
    per_second: Annotated[
        float | None, typer.Option("--per-second", help="Chunks a second at most.")
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", help="Calls at once.")] = 1,
    no_switch: Annotated[
        bool, typer.Option("--no-switch", help="Fill and index only; --switch follows later.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what there is to embed, change nothing.")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Show how far each set is.")] = False,
    switch: Annotated[
        bool, typer.Option("--switch", help="Only switch, to a --set that is filled.")
    ] = False,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the set that was active before.")
    ] = False,
    stop: Annotated[
        str | None, typer.Option("--stop", help="Keep this set up no longer.", metavar="NAME")
    ] = None,
    drop: Annotated[
        str | None, typer.Option("--drop", help="Remove this set and its vectors.", metavar="NAME")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Fill, index, switch; or one of --status, --switch, --rollback, --stop, --drop.

    It may be interrupted at any moment: the same command goes on where it was.
    """
    from ingest.embedding import reembed as work
    from ingest.embedding.filling import Pace

    _check_one_of(status=status, switch=switch, rollback=rollback, stop=stop, drop=drop)
    for option, value in (("--set", set_name), ("--stop", stop), ("--drop", drop)):
        not_blank(option, value)
    if status:
        _tell_progress(work.progress(wiring.database_url()), as_json=as_json)
        return
    if stop is not None:
        work.stop(wiring.database_url(), stop)
        _tell({"stopped": stop}, f"{stop} is kept up no longer", as_json=as_json)
        return
    if drop is not None:
        work.drop(wiring.database_url(), drop)
        _tell({"dropped": drop}, f"{drop} and its vectors are gone", as_json=as_json)
        return
    if rollback:
        name = work.previous(wiring.database_url())
    elif set_name is None:
        raise CliError("--set is missing. `pgkb reembed --status` lists the embedding sets")
    else:
        name = set_name
    if switch:
        work.switch_to(wiring.database_url(), name)
        _tell({"active": name}, f"searches use {name} now", as_json=as_json)
        return
    new = _new_set(name, model, provider, width)
    if dry_run:
        found = work.estimate(wiring.database_url(), name, new=new)
        line = (
            f"{plural(found.chunks, 'chunk')} lack a vector: {plural(found.texts, 'text')} to "
            f"embed, {found.characters:,} characters (dry run: nothing was kept)"
        )
        _tell(found, line, as_json=as_json)
        return
    with _progress_bar() as show:
        report = work.reembed(
            wiring.database_url(),
            name,
            new=new,
            pace=Pace(batch=batch, per_second=per_second, concurrency=concurrency),
            switch=not no_switch,
            on_step=show,
        )
    _tell(report, _summary(report), as_json=as_json)
    if report.failed:
        note(
            f"{plural(report.failed, 'chunk')} of superseded versions were refused by the provider"
            if report.switched
            else f"{plural(report.failed, 'chunk')} were refused by the provider"
        )
    if report.switched and report.endpoint_lost:
        note(
            f"{name} has no endpoint, so search_text in psql finds by keyword only: "
            f"select embedding.set_endpoint('{name}', url)"
        )


def _check_one_of(**chosen: object) -> None:
    given = [f"--{name}" for name, value in chosen.items() if value]
    if len(given) > 1:
        raise CliError(f"{' and '.join(given)} are several things to do. Ask for one")


def _new_set(
    name: str, model: str | None, provider: str | None, width: int | None
) -> "NewSet | None":
    from ingest.embedding.reembed import NewSet

    if model is None and provider is None and width is None:
        return None
    if model is None or provider is None or width is None:
        raise CliError("a new set needs --model, --provider and --width. Give all three")
    return NewSet(name=name, provider=provider, model=model, width=width)


def _tell(data: Any, line: str, *, as_json: bool) -> None:  # noqa: ANN401 - as print_json
    if as_json:
        print_json(data)
    else:
        say(line)


def _summary(report: "Report") -> str:
    parts = [f"{plural(report.embedded, 'chunk')} filled in"]
    if report.indexes_built:
        parts.append(f"{', '.join(report.indexes_built)} built")
    if report.switched:
        parts.append(f"searches use {report.set} now")
        if report.previous:
            parts.append(f"{report.previous} is kept up: --rollback goes back to it")
    elif report.previous:
        parts.append(f"searches use {report.previous} still")
    return f"{report.set}: {'; '.join(parts)}"


def _tell_progress(sets: "list[FillProgress]", *, as_json: bool) -> None:
    if as_json:
        print_json(sets)
        return
    for one in sets:
        state = "active" if one.active else one.state
        say(f"{one.name}  {one.model}, {one.width} dimensions, {state}{_how_far(one)}")


def _how_far(one: "FillProgress") -> str:
    if one.done is None:
        return ""
    line = f": {one.done:,} of {plural(one.chunks, 'chunk')}"
    if one.lacking > one.failed and one.rate:
        line += f", {one.rate:.1f} a second"
        if one.eta is not None:
            line += f", {str(one.eta).partition('.')[0]} left"
    if one.failed:
        line += f", {one.failed:,} given up ({one.last_error})"
    return line


@contextmanager
def _progress_bar() -> "Iterator[OnStep]":
    """A bar on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("starting", total=None)
        show: Callable[[Step], None] = lambda step: bar.update(  # noqa: E731
            task, description=step.step, completed=step.done, total=step.total or None
        )
        yield show
