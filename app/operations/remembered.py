"""An answer that is kept for some seconds, so that whoever asks often costs nothing."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """What `look` returned last, for `seconds`; many who ask at once share one look."""

    def __init__(self, look: Callable[[], Awaitable[T]], *, seconds: float) -> None:
        """`look` must not raise: what went wrong is part of what it returns."""
        self._look = look
        self._seconds = seconds
        self._looking = asyncio.Lock()
        self._until = 0.0
        # a tuple of one, as what was found may itself be None
        self._found: tuple[T] | None = None

    async def get(self) -> T:
        """The answer, looked up anew when the last one is too old."""
        async with self._looking:
            if self._found is None or time.monotonic() >= self._until:
                self._found = (await self._look(),)
                self._until = time.monotonic() + self._seconds
            return self._found[0]
