"""`python -m db`: bring the files of this folder to a database, and check them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from db.deploy import check, deploy
from db.frozen import freeze, frozen_problems, new_migration
from db.rooms import check_rooms
from db.tree import ROOT, DeployError

_OK, _REFUSED = 0, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 ok, 2 refused or different."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except DeployError as error:
        _complain(str(error))
        return _REFUSED
    except KeyboardInterrupt:
        _complain("stopped; nothing of the unfinished work is kept")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m db", description="Bring the files under db/ to a database, and check them."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, run: Callable[[argparse.Namespace], int], text: str, *, url: bool
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(command=run)
        command.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
        if url:
            command.add_argument(
                "--url", help="database to use (default: PGKB_DATABASE_URL or the embedded server)"
            )
        return command

    up = add("up", _up, "Bring a database up to the files; a second run changes nothing.", url=True)
    up.add_argument(
        "--force", action="store_true", help="run functions, triggers and grants even if unchanged"
    )
    look = add(
        "check", _check, "Check the files, and a database when one can be reached.", url=True
    )
    look.add_argument("--static", action="store_true", help="check the files only")
    compare = add(
        "diff",
        _diff,
        "Compare a database with one freshly built from the files; prints draft SQL. "
        "Exit code 0: no difference, 2: differences.",
        url=True,
    )
    compare.add_argument(
        "--build-url",
        help="server for the scratch database, where this login may not create one here",
    )
    shot = add("snapshot", _snapshot, "Write schema.sql and freeze every migration.", url=True)
    shot.add_argument(
        "--check", action="store_true", help="write nothing; exit code 2 and a diff when stale"
    )
    new = add("new", _new, "Start the next migration file.", url=False)
    new.add_argument("name", metavar="NAME", help="what it does, in words: add_document_language")
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


def _complain(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _url(options: argparse.Namespace) -> str:
    if options.url:
        return str(options.url)
    from db import server

    try:
        return server.database_url()
    except server.ServerError as error:
        raise DeployError(str(error)) from None


def _up(options: argparse.Namespace) -> int:
    deploy(_url(options), notice=_say, root=options.root, force=options.force)
    return _OK


def _check(options: argparse.Namespace) -> int:
    problems = check_rooms(options.root) + frozen_problems(options.root)
    if not options.static and not problems:
        try:
            url = _url(options)
        except DeployError as error:
            _say(f"files only, no database was looked at: {error}")
        else:
            problems = check(url, root=options.root)
    for problem in problems:
        _complain(problem)
    if not problems:
        _say("ok")
    return _REFUSED if problems else _OK


def _diff(options: argparse.Namespace) -> int:
    from db.diff import difference

    _stop_on_terminate()
    found = difference(
        _url(options), root=options.root, notice=_complain, build_url=options.build_url
    )
    if not found:
        _say("no difference")
        return _OK
    _say(found.rstrip("\n"))
    return _REFUSED


def _snapshot(options: argparse.Namespace) -> int:
    from db.snapshot import stale_lines, write_snapshot

    _stop_on_terminate()
    if options.check:
        lines = stale_lines(_url(options), root=options.root)
        for line in lines:
            _complain(line)
        if not lines:
            _say("schema.sql is what the files make")
        return _REFUSED if lines else _OK
    frozen = freeze(options.root)
    for name in frozen:
        _say(f"frozen {name}")
    path = write_snapshot(_url(options), root=options.root)
    _say(f"wrote {path.name}")
    return _OK


def _new(options: argparse.Namespace) -> int:
    _say(str(new_migration(options.root, options.name)))
    return _OK


def _stop_on_terminate() -> None:
    """Let a polite kill unwind like Ctrl-C, so that a scratch database is always dropped."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)


if __name__ == "__main__":
    sys.exit(main())
