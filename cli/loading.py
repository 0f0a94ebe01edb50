"""`pgkb ingest`: files and folders in, one line per file out."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
