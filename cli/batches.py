"""Addresses of pages: handed in by `pgkb ingest`, asked about by `pgkb ingest-status`."""

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from cli import wiring
from cli.errors import CliError
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from ingest.intake.calls import BatchStatus
    from ingest.items import Item

_STATES = ("waiting", "stored", "unchanged", "duplicate", "refused", "failed")
_LARGEST_LIST = 4 * 1024 * 1024
_PAUSE = 1.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ingest-status", help="Say what became of a batch of addresses.")(ingest_status)


def is_address(argument: str) -> bool:
    """Whether an argument of `pgkb ingest` is the address of a page and no path."""
    return argument.strip().lower().startswith(("http://", "https://"))


def hand_in(
    arguments: Sequence[str], listed: Path | None, options: "Item", *, as_json: bool
) -> int:
    """Put addresses into the queue and say how to ask for them; workers do the rest."""
    from ingest.connect import connect
    from ingest.intake import calls

    paths = [argument for argument in arguments if not is_address(argument)]
    if paths:
        raise CliError(
            f"{paths[0]} is a file among addresses. Ingest files and addresses one after the other"
        )
    if options.title is not None:
        raise CliError("--title names one file. Pages have titles of their own: leave it out")
    new = calls.NewBatch(
        urls=[*arguments, *(_listed(listed) if listed else ())],
        la_code=options.la_code,
        school_urn=options.school_urn,
        tags=options.tags,
        authority=options.authority,
    )
    with closing(connect(wiring.database_url())) as db:
        batch_id = calls.create_batch(db, new=new)
        status = calls.batch_status(db, batch_id=batch_id)
    if as_json:
        print_json({"batch_id": batch_id, "status": status})
        return int(bool(status.refused))
    for url in status.urls:
        if url["state"] == "refused":
            say(_line(url))
    say(f"batch {batch_id}: {plural(status.waiting, 'page')} to fetch")
    note(f"`pgkb worker` fetches them; then ask `pgkb ingest-status {batch_id}`")
    return int(bool(status.refused))


def ingest_status(
    batch: Annotated[UUID, typer.Argument(help="The key `pgkb ingest` printed.", metavar="BATCH")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all of it is done.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Tell; exit code 1 when a page was refused or failed."""
    from ingest.connect import connect
    from ingest.intake import calls

    with closing(connect(wiring.database_url())) as db:
        status = calls.batch_status(db, batch_id=batch)
        told = -1
        while wait and not status.done:
            if status.waiting != told:
                told = status.waiting
                note(f"{status.total - told} of {plural(status.total, 'page')} done")
            time.sleep(_PAUSE)
            status = calls.batch_status(db, batch_id=batch)
    if as_json:
        print_json({"batch_id": batch, "status": status})
    else:
        for url in status.urls:
            say(_line(url))
        note(f"{plural(status.total, 'page')}: {_counts(status)}")
    return int(bool(status.refused or status.failed))


def _listed(path: Path) -> list[str]:
    """The addresses of a file, one a line; empty lines and those that begin with # do not count."""
    with path.open("rb") as stream:
        data = stream.read(_LARGEST_LIST + 1)
    if len(data) > _LARGEST_LIST:
        raise CliError(f"{path} is larger than any list of addresses. Give one address a line")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise CliError(f"{path} is no text in UTF-8. Give one address a line") from error
    urls = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not urls:
        raise CliError(f"{path} holds no address. Give one on each line")
    return urls


def _line(url: dict[str, Any]) -> str:
    match url["state"]:
        case "stored":
            tail = f"“{url['title']}” (document {url['document_id']})"
        case "duplicate":
            tail = f"of {url['existing']} (document {url['document_id']})"
        case "unchanged":
            tail = f"document {url['document_id']}"
        case _:
            tail = url.get("reason", "")
    return f"{url['state']:<10} {url['url']}{': ' if tail else ''}{tail}"


def _counts(status: "BatchStatus") -> str:
    counts = ((getattr(status, state), state) for state in _STATES)
    return ", ".join(f"{count:,} {state}" for count, state in counts if count)
