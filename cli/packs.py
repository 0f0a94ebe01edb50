"""`pgkb pack load`: bring a domain's places, words and publishers into the database."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import wiring
from cli.errors import CliError
from cli.output import print_json, say

_DEFAULT = Path("packs") / "send"


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="Load a domain: its places, words, topics and publishers.",
        rich_markup_mode=None,
    )
    group.command("load", help="Load a pack, or bring a loaded one up to date.")(load)
    app.add_typer(group, name="pack")


def load(
    folder: Annotated[Path, typer.Argument(help="Folder that holds pack.toml.", metavar="DIR")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Load it in one transaction and print how much it held."""
    report = load_pack(wiring.database_url(), folder)
    if as_json:
        print_json(report)
        return
    counts = [
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in report.items()
        if isinstance(value, int)
    ]
    say(f"{report['pack']}: {report['title']}")
    say(", ".join(counts))


def load_if_none(url: str, pack: Path | None) -> str | None:
    """Load the named pack, or the default one when no pack is loaded yet; the name of what was
    loaded, None when one was there.
    """
    if pack is None:
        if wiring.run(_loaded(url)):
            return None
        pack = Path(__file__).resolve().parent.parent / _DEFAULT
        if not pack.is_dir():
            raise CliError(
                "no domain is loaded and packs/send is not beside this installation. "
                "Name one: `pgkb up --pack DIR`"
            )
    return str(load_pack(url, pack)["pack"])


def load_pack(url: str, folder: Path) -> dict[str, Any]:
    """Load a pack; how many rows of each kind it brought."""
    import psycopg

    from ingest.packs import loading as pack

    with psycopg.connect(url, connect_timeout=10, application_name="pgkb pack load") as db:
        return asdict(pack.load_pack(db, folder))


async def _loaded(url: str) -> list[str]:
    from app import calls
    from app.pool import lend, pool_of
    from app.settings import from_environ

    chosen = from_environ(database_url=url)
    async with pool_of(chosen, size=1) as pool, lend(pool) as db:
        return await calls.loaded_packs(db)
