"""Limits on how often somebody may ask: 429 with the time to wait."""

import math
from datetime import timedelta

from litestar.handlers.base import BaseRouteHandler

from app.access import calls
from app.access.addresses import address_of
from app.access.authentication import Caller
from app.errors import RefusedError, Trouble
from app.pool import lend


async def asks_limited(connection: Caller, _: BaseRouteHandler) -> None:
    """A guard for routes that search or answer: so often for a person, so often for an address."""
    rules, subjects = ["ask_address"], [address_of(connection)]
    if connection.user is not None:
        rules.insert(0, "ask_person")
        subjects.insert(0, str(connection.user.person_id))
    async with lend(connection.app.state.pool) as db:
        refuse_until(await calls.take(db, rules=rules, subjects=subjects))


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
