"""Files are parsed while those before them are staged."""

import time
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from ingest.items import Item
from ingest.parse import Parsed, Refused, Sandbox


def parsed_ahead(
    items: Sequence[Item], sandbox: Sandbox, *, lookahead: int
) -> Generator[tuple[Item, float, Parsed | Refused], None, None]:
    """The items, when their parsing began, and what it gave; so many are parsed ahead."""

    def parse(item: Item) -> tuple[float, Parsed | Refused]:
        started = time.monotonic()
        outcome: Parsed | Refused
        try:
            outcome = (
                Refused("crash", "interrupted")
                if gone
                else sandbox.parse(item.path, source_url=_address(item))
            )
        except Refused as refused:
            outcome = refused
        except OSError as error:
            outcome = Refused("crash", f"it could not be parsed ({error.strerror}): try again")
        return time.monotonic() - started, outcome

    gone: list[bool] = []
    finished = False
    rest = iter(items)
    with ThreadPoolExecutor(1, thread_name_prefix="parse") as parser:
        ahead = deque((item, parser.submit(parse, item)) for item in islice(rest, lookahead))
        try:
            while ahead:
                item, future = ahead.popleft()
                ahead.extend((more, parser.submit(parse, more)) for more in islice(rest, 1))
                seconds, outcome = future.result()
                yield item, time.monotonic() - seconds, outcome
            finished = True
        finally:
            # nobody waits for what was parsed ahead
            gone.append(True)
            if not finished:
                sandbox.interrupt()


def _address(item: Item) -> str | None:
    """Where a file was fetched from, None for one that was uploaded."""
    source = item.source or ""
    return source if source.startswith(("http://", "https://")) else None
