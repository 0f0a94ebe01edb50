"""`GET /health`: is the database there, deployed, and able to embed."""

from dataclasses import dataclass

import asyncpg
from litestar import Controller, Response, get

from app import calls
from app.errors import AnyRequest, trouble_of
from app.pool import PoolBusyError, lend


@dataclass(frozen=True, slots=True)
class HealthReport:
    """What a load balancer or a person wants to know; `status` is `ok` or `unavailable`."""

    status: str
    database: str
    deployed: bool
    server_version: str | None = None
    pgvector_version: str | None = None
    plpython: bool = False
    active_set: calls.ActiveSet | None = None


class HealthController(Controller):
    """The state of the service."""

    path = "/health"
    tags = ("operations",)

    @get(summary="Is the service able to answer?", raises=[])
    async def health(self, request: AnyRequest) -> Response[HealthReport]:
        """200 when questions can be answered, else 503 with what is missing."""
        try:
            async with lend(request.app.state.pool) as db:
                state = await calls.health(db)
                active = await calls.find_active_set(db) if state.deployed else None
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, PoolBusyError) as error:
            return Response(
                HealthReport(status="unavailable", database=trouble_of(error).code, deployed=False),
                status_code=503,
            )
        ok = state.deployed and active is not None
        report = HealthReport(
            status="ok" if ok else "unavailable",
            database="reachable",
            deployed=state.deployed,
            server_version=state.server_version,
            pgvector_version=state.pgvector_version,
            plpython=state.plpython,
            active_set=active,
        )
        return Response(report, status_code=200 if ok else 503)
