"""Connections through a pooler that hands out a server connection per transaction.

Behind one, what a session was told is gone with the transaction, and a statement without a name
may be prepared on one server connection and run on another. So every statement is sent in a
transaction of its own, which first takes the app's role and settings.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import asyncpg

from app import calls

if TYPE_CHECKING:
    _Connection = asyncpg.Connection[asyncpg.Record]
else:
    _Connection = asyncpg.Connection


class PerTransaction(_Connection):
    """A connection that knows nothing from one transaction to the next."""

    # settings of every transaction, by name
    database_settings: Mapping[str, str] = {}

    async def execute(self, query: str, *args: object, timeout: float | None = None) -> str:
        """As the driver's; what begins a transaction also takes role and settings."""
        if not self.is_in_transaction() and query.startswith("BEGIN"):
            status = await super().execute(query, timeout=timeout)
            await calls.become_app(self, settings=self.database_settings)
            return status
        async with self._in_transaction():
            return await super().execute(query, *args, timeout=timeout)

    async def fetch(  # type: ignore[override]
        self, query: str, *args: object, timeout: float | None = None
    ) -> list[asyncpg.Record]:
        """As the driver's, in a transaction."""
        async with self._in_transaction():
            return await super().fetch(query, *args, timeout=timeout)

    async def fetchrow(  # type: ignore[override]
        self, query: str, *args: object, timeout: float | None = None
    ) -> asyncpg.Record | None:
        """As the driver's, in a transaction."""
        async with self._in_transaction():
            return await super().fetchrow(query, *args, timeout=timeout)

    async def fetchval(
        self, query: str, *args: object, column: int = 0, timeout: float | None = None
    ) -> object:
        """As the driver's, in a transaction."""
        async with self._in_transaction():
            return await super().fetchval(query, *args, column=column, timeout=timeout)

    def get_reset_query(self) -> str:
        """Nothing to undo when the connection is given back."""
        return ""

    def _in_transaction(self) -> AbstractAsyncContextManager[Any]:
        return nullcontext() if self.is_in_transaction() else self.transaction()


def per_transaction(settings: Mapping[str, str]) -> type[PerTransaction]:
    """The class of connections that take these settings with every transaction."""
    return type("PerTransaction", (PerTransaction,), {"database_settings": settings})
