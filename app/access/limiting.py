"""Limits on how often somebody may ask or read: 429 with the time to wait."""

import math
from datetime import timedelta

from litestar.handlers.base import BaseRouteHandler

from app.access import calls
from app.access.addresses import address_of
from app.access.authentication import Caller
from app.access.guards import not_signed_in
from app.errors import RefusedError, Trouble
from app.pool import lend


async def asks_limited(connection: Caller, _: BaseRouteHandler) -> None:
    """A guard for routes that search or answer: so often for a person, so often for an address."""
    await _admit(connection, person_rule="ask_person", address_rule="ask_address")


async def reads_limited(connection: Caller, _: BaseRouteHandler) -> None:
    """The same for routes that show what was cited, which an answer has many of."""
    await _admit(connection, person_rule="read_person", address_rule="read_address")


async def _admit(connection: Caller, *, person_rule: str, address_rule: str) -> None:
    """Count, and refuse whose session is over: that rides on the statement that counts."""
    address = address_of(connection)
    async with lend(connection.app.state.pool) as db:
        if connection.user is None:
            wait = await calls.take(db, rules=[address_rule], subjects=[address])
        else:
            person_id = connection.user.person_id
            found = await calls.admit(
                db,
                person_id=person_id,
                session_id=connection.auth.session_id,
                rules=[person_rule, address_rule],
                subjects=[str(person_id), address],
            )
            if not found.in_session:
                raise not_signed_in()
            wait = found.wait
    refuse_until(wait)


def refuse_until(wait: timedelta | None) -> None:
    """Refuse with 429 when there is something to wait for."""
    if wait is None:
        return
    seconds = max(1, math.ceil(wait.total_seconds()))
    raise RefusedError(
        Trouble(
            429,
            "too_many_requests",
            "too many requests",
            f"Wait {seconds} s, then try again.",
        ),
        headers={"Retry-After": str(seconds)},
    )
