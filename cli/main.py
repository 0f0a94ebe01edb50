"""The `pgkb` command: its commands, and what happens to every error."""

import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated

import typer

from cli import (
    ask,
    batches,
    benching,
    demo,
    doctor,
    documents,
    evaluating,
    jobs,
    later,
    loading,
    packs,
    reembedding,
    registers,
    servers,
    serving,
    upkeep,
    users,
)
from cli.errors import BAD_INPUT, INTERRUPTED, debugging, line_for

app = typer.Typer(
    name="pgkb",
    help="A knowledge base whose retrieval lives inside PostgreSQL.",
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
servers.register(app)
loading.register(app)
batches.register(app)
jobs.register(app)
ask.register(app)
serving.register(app)
packs.register(app)
registers.register(app)
doctor.register(app)
demo.register(app)
benching.register(app)
evaluating.register(app)
upkeep.register(app)
reembedding.register(app)
documents.register(app)
users.register(app)
later.register(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            number = metadata.version("pgkb")
        except metadata.PackageNotFoundError:
            number = "0+checkout"
        sys.stdout.write(f"pgkb {number}\n")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """A knowledge base whose retrieval lives inside PostgreSQL."""
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; no exception leaves this function."""
    _keep_logs_quiet()
    try:
        code = app(args=arguments, prog_name="pgkb", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        return _reader_left()
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    except typer.TyperException as refused:
        message = refused.format_message()
        if message:
            sys.stderr.write(f"pgkb: {_bare(message)}. Run `pgkb --help` to see what is accepted\n")
        return refused.exit_code
    except Exception as error:
        if debugging():
            traceback.print_exc()
        sys.stderr.write(f"pgkb: {line_for(error)}\n")
        return BAD_INPUT


def _keep_logs_quiet() -> None:
    """A command's stderr is for its own words; with PGKB_DEBUG=1 the logs are words too."""
    if debugging():
        from app.logs import log_to

        log_to()
    elif not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())


def _bare(message: str) -> str:
    return " ".join(message.split()).rstrip(".")


def _reader_left() -> int:
    """Whoever read our output has gone (`pgkb ask … | head`): stop without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def main() -> None:
    """The entry point of the `pgkb` script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal of another encoding shows a question mark instead of ending the command;
            # a pipe gets each line when it is known, not when the command ends
            stream.reconfigure(errors="replace", line_buffering=True)
    sys.exit(run())


if __name__ == "__main__":
    main()
