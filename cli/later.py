"""Commands whose time has not come: they say so in one line."""

import typer

from cli.errors import CliError

_COMMANDS = {
    "crawl": "Visit websites and keep their documents current.",
}


def register(app: typer.Typer) -> None:
    """Add each of them, so that `--help` and a typing hand find the name."""
    for name, purpose in _COMMANDS.items():
        _register_one(app, name, purpose)


def _register_one(app: typer.Typer, name: str, purpose: str) -> None:
    @app.command(
        name,
        help=f"{purpose} Not available in this version.",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )
    def refuse() -> None:
        raise CliError(
            f"`pgkb {name}` is not available in this version. `pgkb --help` lists what is"
        )
