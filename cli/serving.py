"""`pgkb serve` and `pgkb worker`: the processes that stay."""

import signal
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import INTERRUPTED, CliError
from cli.output import note, plural

if TYPE_CHECKING:
    from app.settings import Settings

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("serve", help="Answer questions over HTTP.")(serve)
    app.command(
        "worker", help="Do what waits: uploads, pages, crawls, upkeep; finish what was interrupted."
    )(worker)


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port.")] = 8000,
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote",
            help="Listen on an address other machines reach. Put TLS in front of it.",
        ),
    ] = False,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Whoever reaches the address may ask.")
    ] = False,
) -> None:
    """Check settings and port, then serve until interrupted."""
    if host not in _LOOPBACK and not allow_remote:
        raise CliError(
            f"--host {host} can be reached by other machines, and passwords travel as they are. "
            "Put a proxy with TLS in front and add --allow-remote"
        )
    chosen = _closed_or_open(wiring.settings(), anonymous=anonymous)
    listening = _listen(host, port)
    wiring.run(_check(chosen))

    from app.asgi import create_app
    from app.logs import log_to
    from app.server import server_of

    log_to()
    shown = f"[{host}]" if ":" in host else host
    note(f"serving on http://{shown}:{listening.getsockname()[1]} (Ctrl-C stops)")
    server = server_of(create_app(chosen), chosen)
    with listening:
        server.run(sockets=[listening])
    if not server.started:
        raise CliError("the app did not start. The lines above say why")


def _closed_or_open(chosen: "Settings", *, anonymous: bool) -> "Settings":
    """The settings with a key for tokens, and open to everybody when that is asked for."""
    from db import server

    keys = chosen.token_keys or (server.server().token_key(),)
    return replace(
        chosen,
        token_keys=keys,
        anonymous=anonymous or chosen.anonymous,
        upload_dir=chosen.upload_dir or server.home() / wiring.UPLOADS,
    )


async def _check(chosen: "Settings") -> None:
    from app.pool import check_settings, pool_of

    async with pool_of(chosen, size=1) as pool:
        await check_settings(pool, chosen)


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else starts, so that an occupied one is one clear line."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise CliError(f"--host {host} is no address here, {error.strerror}") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except PermissionError:
        listening.close()
        raise CliError(f"port {port} needs more rights. Choose one above 1023") from None
    except OSError as error:
        listening.close()
        raise CliError(
            f"cannot listen on {host} port {port}, {str(error.strerror).lower()}. "
            "Stop what uses it, or choose another with --port"
        ) from None
    return listening


def worker(
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing is waiting.")] = False,
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", min=1, max=64, help="How much is worked on at a time."),
    ] = 1,
) -> int:
    """Work until a signal asks to stop; the call in hand ends first, the rest is given back."""
    from app.logs import log_to
    from db import server
    from ingest import worker as ingest_worker
    from ingest.settings import settings_from

    url = wiring.database_url()
    settings = settings_from()
    settings = replace(settings, upload_dir=settings.upload_dir or server.home() / wiring.UPLOADS)
    log_to()
    stop = threading.Event()
    asked: list[int] = []

    def ask_to_stop(number: int, _: object) -> None:
        asked.append(number)
        stop.set()
        # a second signal ends the process at once
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_stop)
    done = ingest_worker.run(url, once=once, stop=stop, concurrency=concurrency, settings=settings)
    note(f"{plural(done, 'document')} finished")
    return INTERRUPTED if signal.SIGINT in asked else 0
