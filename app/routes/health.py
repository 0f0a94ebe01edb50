"""`GET /health/live` and `GET /health/ready`: does the process live, can it answer questions."""

from dataclasses import dataclass

import asyncpg
from litestar import Controller, Response, get, head
from litestar.datastructures import State

from app.documenting import ANYBODY, answer
from app.errors import AnyRequest, trouble_of
from app.operations import calls
from app.operations.calls import Check
from app.pool import Pool, PoolBusyError, lend
from app.settings import Settings

# a probe that waits longer than its interval says less than one that gives up
_LEND_WITHIN = 2.0


@dataclass(frozen=True, slots=True)
class Alive:
    """The process answers; nothing else was looked at."""

    status: str


@dataclass(frozen=True, slots=True)
class Readiness:
    """`status` is ready, degraded (ready, but somebody should look) or unavailable."""

    status: str
    checks: list[Check]


_ALIVE = Alive("alive")
_READY = Readiness(
    "ready",
    [
        Check("database", "ok", "answers"),
        Check("migrations", "ok", "at 0027_moved_on"),
        Check("pgvector", "ok", "0.8.5"),
        Check("embedding set", "ok", "local-minilm, all-MiniLM-L6-v2-int8 of width 384"),
        Check("indexes", "ok", "all valid"),
        Check("queue", "ok", "0 waiting"),
    ],
)
_UNAVAILABLE = Readiness("unavailable", [Check("database", "fail", "database_unavailable")])


class HealthController(Controller):
    """The state of the service, for whoever watches it."""

    path = "/health"
    tags = ("operations",)
    security = ANYBODY

    @get(
        "/live",
        summary="Does the process live?",
        responses={200: answer(Alive, "It does.", _ALIVE)},
    )
    async def live(self) -> Alive:
        """Answers without the database: whoever restarts processes asks here."""
        return _ALIVE

    @head("/live", include_in_schema=False)
    async def live_head(self) -> None:
        """The same without a body, as load balancers like to ask."""

    @get(
        "/ready",
        summary="Can questions be answered?",
        responses={
            200: answer(Readiness, "They can; `degraded` when somebody should look.", _READY),
            503: answer(Readiness, "They cannot: a check says why.", _UNAVAILABLE),
        },
    )
    async def ready(self, request: AnyRequest) -> Response[Readiness]:
        """Database, migrations, pgvector, embedding set, indexes and queue; a look is good for
        two seconds. Whoever sends requests to processes asks here.
        """
        found: Readiness = await request.app.state.readiness.get()
        return Response(found, status_code=_status_of(found))

    @head("/ready", include_in_schema=False)
    async def ready_head(self, request: AnyRequest) -> Response[None]:
        """The status alone."""
        found: Readiness = await request.app.state.readiness.get()
        return Response(None, status_code=_status_of(found))


def _status_of(found: Readiness) -> int:
    return 503 if found.status == "unavailable" else 200


async def look(state: State) -> Readiness:
    """What `/health/ready` says, looked up now."""
    pool: Pool = state.pool
    settings: Settings = state.settings
    try:
        async with lend(pool, within=_LEND_WITHIN) as db:
            checks = await calls.readiness(db, migration=settings.migration)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, PoolBusyError) as error:
        return Readiness("unavailable", [Check("database", "fail", trouble_of(error).code)])
    checks = [Check("database", "ok", "answers"), *checks]
    states = {check.state for check in checks}
    status = "unavailable" if "fail" in states else "degraded" if "warn" in states else "ready"
    return Readiness(status, checks)
