"""`GET /metrics`: figures for Prometheus, for this machine or whoever has the token."""

import secrets
from ipaddress import ip_address

import asyncpg
from litestar import Response, get, head
from litestar.datastructures import State
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler

from app.access.authentication import Caller
from app.documenting import MAY_ASK, answer
from app.errors import AnyRequest, problems
from app.operations import calls, metrics
from app.operations.calls import VitalSigns
from app.pool import PoolBusyError, lend

_LEND_WITHIN = 2.0
# a request that was passed on comes from somewhere else than it seems to
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_EXAMPLE = """\
# HELP pgkb_http_requests_total Requests answered, by route and status.
# TYPE pgkb_http_requests_total counter
pgkb_http_requests_total{method="POST",route="/api/search",status="200"} 17.0
"""


def may_read_metrics(connection: Caller, _: BaseRouteHandler) -> None:
    """With a token set, whoever sends it; else whoever calls from this machine itself."""
    token = connection.app.state.settings.metrics_token
    if token is not None:
        scheme, __, sent = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secrets.compare_digest(
            sent.strip().encode(), token.encode()
        ):
            raise NotAuthorizedException(headers={"WWW-Authenticate": "Bearer"})
        return
    passed_on = any(name in connection.headers for name in _PASSED_ON)
    if passed_on or not _is_loopback(connection.client.host if connection.client else ""):
        raise PermissionDeniedException


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@get(
    "/metrics",
    guards=[may_read_metrics],
    media_type="text/plain",
    tags=["operations"],
    security=MAY_ASK,
    summary="Figures for Prometheus",
    responses={
        200: answer(str, "Prometheus' text format.", _EXAMPLE, media_type="text/plain"),
    }
    | problems(401, 403),
)
async def read_metrics(request: AnyRequest) -> Response[bytes]:
    """Latencies by route, the pool, the queue, searches and where vectors of questions came from;
    figures of the database are at most five seconds old. From this machine only, or with
    `PGKB_METRICS_TOKEN` as the bearer token.
    """
    state = request.app.state
    signs: VitalSigns | None = await state.vital_signs.get()
    text = metrics.exposition(state.pool, limit=state.settings.pool_size, signs=signs)
    return Response(text, media_type=metrics.CONTENT_TYPE)


@head("/metrics", guards=[may_read_metrics], include_in_schema=False)
async def probe_metrics() -> None:
    """Whether they may be read; nothing is measured for it."""


async def look(state: State) -> VitalSigns | None:
    """The database's figures, looked up now; None when it does not answer."""
    try:
        async with lend(state.pool, within=_LEND_WITHIN) as db:
            return await calls.vital_signs(db)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, PoolBusyError):
        return None
