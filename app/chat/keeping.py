"""Keeping what was said, also when whoever asked has left: that must not wait for anybody."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from app.chat import calls
from app.chat.calls import Ending, Turn
from app.errors import detail_for_log
from app.pool import Lender, PoolBusyError, lend

_log = logging.getLogger("pgkb.app")

# when the service stops: answers that were cut off note so at once, or never
_CUT_OFF_SECONDS = 2.0


class Keeper:
    """Notes how turns end. Work that nobody waits for is finished before the pool closes."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._answering: set[asyncio.Task[Any]] = set()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While this task is in it, the pool does not close before it could note how it ended."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("answers are written by tasks")
        self._answering.add(task)
        try:
            yield
        finally:
            self._answering.discard(task)

    async def finish(self, pool: Lender, turn: Turn, ending: Ending) -> bool:
        """Note it, whoever is cancelled meanwhile; False when the database would not."""
        return await asyncio.shield(self._start(_finish(pool, turn, ending)))

    def finish_later(self, pool: Lender, turn: Turn, ending: Ending) -> None:
        """Note it without waiting."""
        self._start(_finish(pool, turn, ending))

    def _start(self, work: Coroutine[Any, Any, bool]) -> asyncio.Task[bool]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def drain(self) -> None:
        """Wait for what is under way; the server has cancelled what took too long to stop."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=_CUT_OFF_SECONDS)
        await asyncio.gather(*self._running, return_exceptions=True)


async def _finish(pool: Lender, turn: Turn, ending: Ending) -> bool:
    try:
        async with lend(pool) as db:
            await calls.finish_turn(db, turn_id=turn.turn_id, ending=ending)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, PoolBusyError) as error:
        # an answer is worth more than its record
        private = tuple(text for text in (ending.answer, ending.standalone) if text)
        _log.warning("turn %s not kept: %s", turn.turn_id, detail_for_log(error, private=private))
        return False
    return True
