"""The pool: opened with the app, closed with it, and never needed for the app to start."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from app import calls
from app.calls import Connection
from app.operations import tracing
from app.pooler import per_transaction
from app.settings import KNOBS, Settings, SettingsError

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

_CLOSE_WITHIN = 10.0
_LEND_WITHIN = 10.0
# work that waits for its turn is not in a hurry
_TURN_WITHIN = 60.0
_log = logging.getLogger("pgkb.app")


async def open_pool(settings: Settings, *, size: int | None = None) -> Pool:
    """A pool that connects on first use, so that the app starts while the database is down."""
    if settings.pooler == "transaction":
        return await asyncpg.create_pool(
            settings.database_url,
            min_size=0,
            max_size=size or settings.pool_size,
            timeout=settings.connect_timeout,
            command_timeout=settings.statement_timeout,
            statement_cache_size=0,
            server_settings={"application_name": "pgkb-app"},
            connection_class=per_transaction(settings.database_settings),
        )
    return await asyncpg.create_pool(
        settings.database_url,
        min_size=0,
        max_size=size or settings.pool_size,
        timeout=settings.connect_timeout,
        command_timeout=settings.statement_timeout,
        server_settings={"application_name": "pgkb-app", **settings.database_settings},
        init=_take_app_role,
        reset=_leave_as_it_is,
    )


@asynccontextmanager
async def pool_of(settings: Settings, *, size: int | None = None) -> AsyncIterator[Pool]:
    """Open a pool, lend it, and close it; statements still running get ten seconds."""
    pool = await open_pool(settings, size=size)
    try:
        yield pool
    finally:
        try:
            await asyncio.wait_for(pool.close(), _CLOSE_WITHIN)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            with suppress(Exception):
                pool.terminate()


class PoolBusyError(Exception):
    """No connection could be had in time: all are lent, or the server does not answer."""


class Lane:
    """A share of a pool for one kind of work, which waits here for its turn, in order.

    However many come at once, connections are left for what is quick.
    """

    def __init__(self, pool: Pool, *, most: int) -> None:
        """`most` connections are lent through here at a time."""
        self._pool = pool
        self._turns = asyncio.Semaphore(most)

    async def acquire(self, *, timeout: float) -> "PoolConnectionProxy[asyncpg.Record]":
        """A connection, once it is our turn; `timeout` is for the pool alone."""
        async with asyncio.timeout(_TURN_WITHIN):
            await self._turns.acquire()
        try:
            return await self._pool.acquire(timeout=timeout)
        except BaseException:
            self._turns.release()
            raise

    async def release(self, connection: "PoolConnectionProxy[asyncpg.Record]") -> None:
        """Give it back."""
        try:
            await self._pool.release(connection)
        finally:
            self._turns.release()


Lender: TypeAlias = "Pool | Lane"


@asynccontextmanager
async def lend(pool: Lender, *, within: float | None = None) -> AsyncIterator[Connection]:
    """A connection for a moment; waits ten seconds for one at most, then `PoolBusyError`."""
    patience = _LEND_WITHIN if within is None else within
    try:
        # either kind takes back what it gave
        connection: Any = await pool.acquire(timeout=patience)
    except TimeoutError:
        raise PoolBusyError(f"no database connection within {patience:.0f} s") from None
    try:
        with tracing.statement_spans(connection):
            yield connection
    finally:
        await pool.release(connection)


async def check_settings(pool: Pool, settings: Settings) -> None:
    """Ask the database whether it accepts the settings; also shows that it can be reached.

    Raises `SettingsError` naming the environment variable, or the driver's error.
    """
    async with lend(pool) as db:
        for knob in KNOBS:
            value = settings.database_settings.get(knob.setting)
            if value is None:
                continue
            try:
                await calls.check_setting(db, name=knob.setting, value=value)
            except asyncpg.PostgresError as refused:
                if refused.sqlstate != "ST002":
                    raise
                raise SettingsError(
                    f"{knob.variable} cannot be used: {refused.message}. {refused.hint}"
                ) from None


async def _leave_as_it_is(connection: Connection) -> None:
    """Nothing to clean up, which spares a round trip for each loan.

    Whatever is set or locked here is so until its transaction ends, as behind a pooler that lends
    transactions.
    """


async def _take_app_role(connection: Connection) -> None:
    """Step down to the app's own rights when the login may; otherwise stay what it is.

    A login that is no member of the role (or a database not deployed yet) is no reason to
    refuse: the server's own grants then say what it may do.
    """
    try:
        await calls.take_app_role(connection)
    except (
        asyncpg.InsufficientPrivilegeError,
        asyncpg.InvalidParameterValueError,
        asyncpg.UndefinedObjectError,
    ) as refused:
        _log.info("staying with the login's own rights: SQLSTATE %s", refused.sqlstate)
