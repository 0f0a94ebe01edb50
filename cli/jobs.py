"""`pgkb jobs`: what waits, runs or was given up in the queue, and what to do about it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import CliError, not_blank
from cli.output import note, plural, print_json, say, shorten

if TYPE_CHECKING:
    import psycopg

    from ingest.jobs.calls import Job

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Numbers = Annotated[list[int], typer.Argument(help="Numbers of jobs.", metavar="JOB…")]


class State(StrEnum):
    """States of jobs, as the view queue.job has them."""

    READY = "ready"
    WAITING = "waiting"
    RUNNING = "running"
    DEAD = "dead"
    CANCELLED = "cancelled"


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(help="See, retry and call off work in the queue.", rich_markup_mode=None)
    group.command("list", help="What is in the queue.")(list_jobs)
    group.command("show", help="Everything about one job.")(show)
    group.command("retry", help="Try again what was given up, called off or waits.")(retry)
    group.command("cancel", help="Call work off; who is at it can no longer finish it.")(cancel)
    group.command("limit", help="How often all workers together may ask a provider.")(limit)
    app.add_typer(group, name="jobs")


def list_jobs(
    state: Annotated[
        list[State] | None, typer.Option("--state", help="Only these; may be repeated.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only this kind of work.")] = None,
    as_json: AsJson = False,
) -> None:
    """One job a line: what was given up first, then what runs, then the rest."""
    from ingest.jobs import calls

    with _database() as db:
        found = calls.jobs(db, states=list(state or ()), kind=not_blank("--kind", kind))
    if as_json:
        print_json({"jobs": found})
        return
    for job in found:
        say(_line(job))
    counts = Counter(job.state for job in found)
    words = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
    note(f"{plural(len(found), 'job')}{': ' + words if words else ''}")


def show(
    number: Annotated[int, typer.Argument(help="Number of a job.", metavar="JOB")],
    as_json: AsJson = False,
) -> None:
    """One fact a line."""
    from ingest.jobs import calls

    with _database() as db:
        job = calls.job(db, task_id=number)
    if job is None:
        raise CliError(f"there is no job {number}; it may be done. `pgkb jobs list` shows all")
    if as_json:
        print_json(job)
        return
    for name, value in _facts(job):
        say(f"{name:<12} {value}")


def retry(numbers: Numbers, as_json: AsJson = False) -> int:
    """Ready at once, with all attempts; exit code 1 when one could not be retried."""
    from ingest.jobs import calls

    return _each(
        numbers,
        lambda db, number: calls.retry_task(db, task_id=number),
        done="ready",
        refused="is not in the queue, or somebody is at it",
        as_json=as_json,
    )


def cancel(numbers: Numbers, as_json: AsJson = False) -> int:
    """The text stays for a day: until then `pgkb jobs retry` or another ingest brings it back."""
    from ingest.jobs import calls

    return _each(
        numbers,
        lambda db, number: calls.cancel_task(db, task_id=number),
        done="cancelled",
        refused="is not in the queue",
        as_json=as_json,
    )


def limit(
    provider: Annotated[str, typer.Argument(help="Provider, as `pgkb reembed --status` has it.")],
    calls_per_minute: Annotated[
        int | None,
        typer.Argument(help="Calls a minute; left out: no limit.", metavar="[CALLS]"),
    ] = None,
) -> None:
    """A call is a batch of up to PGKB_EMBED_BATCH texts."""
    from ingest.jobs import calls

    with _database() as db:
        calls.set_rate(db, provider=provider, calls_per_minute=calls_per_minute)
    rate = "without limit" if calls_per_minute is None else f"{calls_per_minute:,} calls a minute"
    say(f"{provider}: {rate}")


def _each(
    numbers: list[int],
    act: "Callable[[psycopg.Connection, int], bool]",
    *,
    done: str,
    refused: str,
    as_json: bool,
) -> int:
    with _database() as db:
        outcomes = {number: act(db, number) for number in numbers}
    if as_json:
        print_json({"jobs": [{"task_id": n, "done": good} for n, good in outcomes.items()]})
    else:
        for number, good in outcomes.items():
            say(f"job {number} {done if good else refused}")
    return int(not all(outcomes.values()))


def _line(job: "Job") -> str:
    what = job.source or f"{job.kind} {job.subject_id}"
    tail = ""
    match job.state:
        case State.RUNNING:
            tail = f", by {job.claimed_by} for {_age(job.claimed_at)}"
        case State.WAITING:
            tail = f", again in {_age(job.ready_at)}"
        case State.READY:
            tail = f", for {_age(job.created_at)}"
    if job.last_error:
        tail += f": {shorten(job.last_error)}"
    return f"{job.task_id:>8} {job.state:<9} {what}{tail}"


def _facts(job: "Job") -> Iterator[tuple[str, object]]:
    from dataclasses import asdict

    for name, value in asdict(job).items():
        if value is not None:
            shown = value.isoformat(" ", "seconds") if isinstance(value, datetime) else value
            yield name, shown


def _age(instant: datetime | None) -> str:
    """The time between then and now in one unit: `40 s`, `5 min`, `3 h`, `2 d`."""
    seconds = abs((datetime.now(UTC) - instant).total_seconds()) if instant else 0.0
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def _database() -> "Iterator[psycopg.Connection]":
    from ingest.connect import connect

    with connect(wiring.database_url()) as db:
        yield db
