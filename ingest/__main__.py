"""python -m ingest run | once | load PATH..."""

import argparse
import logging
import os
import signal
import sys
import threading
from contextlib import closing
from pathlib import Path

import psycopg

from ingest import worker
from ingest.errors import IngestError, words_of
from ingest.items import Item
from ingest.load import interrupted_by_sigterm, load_paths
from ingest.paths import expand_paths
from providers.protocols import ProviderError

_BAD_INPUT = 2
_FAILED = 1
_INTERRUPTED = 130


def main() -> int:
    """Run a command; 0 when all went well, 2 for bad input, 1 when something else failed."""
    parser = argparse.ArgumentParser(prog="python -m ingest", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run", help="work on the queue until stopped")
    commands.add_parser("once", help="work on the queue until nothing is ready")
    load = commands.add_parser("load", help="ingest files and folders")
    load.add_argument("paths", nargs="+", type=Path)
    load.add_argument("--la", help="the local authority the documents belong to")
    load.add_argument("--urn", help="the school they belong to")
    load.add_argument("--tag", action="append", default=[], help="a topic; may be repeated")
    load.add_argument("--authority", help="the kind of publisher")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    # a line for each request to the provider tells nobody anything
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    try:
        url = os.environ.get("PGKB_DATABASE_URL", "").strip()
        if not url:
            raise IngestError(
                "PGKB_DATABASE_URL is not set: set it, or use `pgkb worker` and `pgkb ingest`, "
                "which know the embedded server"
            )
        if arguments.command == "load":
            return _load(url, arguments)
        worker.run(url, once=arguments.command == "once", stop=_stop_on_signal())
        return 0
    except psycopg.Error as error:
        return _complain(words_of(error))
    except (IngestError, ProviderError) as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _INTERRUPTED


def _load(url: str, arguments: argparse.Namespace) -> int:
    items = [
        Item(
            path=found.path,
            source=found.source,
            found_at=found.path,
            la_code=arguments.la,
            school_urn=arguments.urn,
            tags=tuple(arguments.tag),
            authority=arguments.authority,
        )
        for found in expand_paths(arguments.paths)
    ]
    seen: set[str] = set()
    with interrupted_by_sigterm(), closing(load_paths(url, items)) as results:
        for result in results:
            seen.add(result.status)
            reason = f": {result.reason}" if result.reason else f", {result.chunks} chunks"
            print(f"{result.status:9} {result.source}{reason}", flush=True)
    if "refused" in seen:
        return _BAD_INPUT
    return _FAILED if seen & {"failed", "in_progress"} else 0


def _stop_on_signal() -> threading.Event:
    """An event that SIGTERM and SIGINT set; a second signal ends the process at once."""
    stop = threading.Event()

    def ask_to_stop(number: int, frame: object) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_stop)
    return stop


def _complain(line: str) -> int:
    print(f"error: {line}", file=sys.stderr)
    return _BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
