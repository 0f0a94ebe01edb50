"""`pgkb up`, `down`, `status`, `psql`: the database and what runs beside it."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import endpoint, packs, wiring
from cli.errors import CliError
from cli.output import note, print_json, say

if TYPE_CHECKING:
    from app.calls import ActiveSet, Health

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the four commands."""
    app.command("up", help="Start the database, bring it up to date, load its domain.")(up)
    app.command("down", help="Stop what `pgkb up` started; the data stays.")(down)
    app.command("status", help="What runs, where, and whether it is deployed.")(status)
    app.command(
        "psql",
        help="Open psql on the database; arguments are psql's own, its help is -?.",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(psql)


def up(
    pack: Annotated[
        Path | None,
        typer.Option("--pack", help="Domain to load; without it packs/send, unless one is loaded."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start, deploy, load; safe to repeat."""
    report = bring_up(pack)
    if as_json:
        print_json(report)
        return
    server, deployed, embedding = report["server"], report["deploy"], report["embedding"]
    say(f"database   {server['url']}")
    if server["log"]:
        say(f"log        {server['log']}")
    say(f"schema     {'brought up to date' if deployed['changed'] else 'already up to date'}")
    say(f"pack       {report['pack'] or 'loaded before'}")
    say(f"embedding  {embedding['set']} at {embedding['url'] or 'no endpoint'}")
    say("Next: `pgkb ingest PATH…`, `pgkb ask TEXT`, `pgkb psql`; `pgkb down` stops it.")


def bring_up(pack: Path | None) -> dict[str, Any]:
    """Server, schema, pack and embedding endpoint, in this order; what each step did."""
    from db import deploy, server

    embedded = not wiring.own_database()
    log = None
    if embedded:
        state = server.start()
        for line in state.notices:
            note(line)
        server.ensure_database()
        log = str(state.log)
    url = wiring.database_url()
    report = deploy.deploy(url, notice=lambda line: note(f"deploy: {line}"))
    return {
        "server": {"embedded": embedded, "url": wiring.shown_url(url), "log": log},
        "deploy": asdict(report),
        "pack": packs.load_if_none(url, pack),
        "embedding": asdict(endpoint.bring_up(url)),
    }


def down(as_json: AsJson = False) -> None:
    """Stop the endpoint and the embedded server; a server of one's own is left alone."""
    from db import server

    stopped = endpoint.stop()
    running = False
    if not wiring.own_database():
        running = server.stop().running
    if as_json:
        print_json({"database": {"running": running}, "endpoint": {"stopped": stopped}})
        return
    if wiring.own_database():
        say("the database in PGKB_DATABASE_URL is yours to stop")
    else:
        say(f"database stopped; its data stays in {server.home()}")


def status(as_json: AsJson = False) -> None:
    """Report without changing anything."""
    report = _status()
    if as_json:
        print_json(report)
        return
    for name, value in report.items():
        say(f"{name:<11}{_in_words(value)}")


def _status() -> dict[str, Any]:
    from db import server

    report: dict[str, Any] = {"database": None}
    if wiring.own_database():
        report["database"] = {"embedded": False, "url": wiring.shown_url(wiring.database_url())}
        reachable = True
    else:
        state = server.status()
        report["database"] = {
            "embedded": True,
            "running": state.running,
            "home": str(state.home),
            "port": state.port,
            "pid": state.pid,
            "log": str(state.log),
            "version": state.version,
            "plpython": state.plpython,
        }
        reachable = state.running
    health, active = wiring.run(_health()) if reachable else (None, None)
    report["deployed"] = asdict(health) if health else None
    report["embedding"] = asdict(active) if active else None
    report["endpoint"] = endpoint.answers(active) if active else False
    return report


async def _health() -> "tuple[Health, ActiveSet | None]":
    from app import calls
    from app.pool import lend, pool_of

    async with pool_of(wiring.settings(), size=1) as pool, lend(pool) as db:
        found = await calls.health(db)
        return found, await calls.find_active_set(db) if found.deployed else None


def _in_words(value: Any) -> str:  # noqa: ANN401 - any part of the report
    if isinstance(value, dict):
        return ", ".join(f"{key} {_in_words(one)}" for key, one in value.items())
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def psql(context: typer.Context) -> None:
    """Become psql. The password travels in the environment, never in the arguments."""
    from db import server

    try:
        command, environ = server.psql_command(wiring.database_url(), *context.args)
    except server.ServerError as error:
        raise CliError(str(error)) from None
    sys.stdout.flush()
    try:
        os.execve(command[0], command, environ)  # noqa: S606 - arguments are a list, no shell
    except OSError as error:
        raise CliError(
            f"{command[0]} cannot be run, {error.strerror}. Remove {Path(command[0]).parents[1]} "
            "and run `pgkb up`, which unpacks it again"
        ) from None
