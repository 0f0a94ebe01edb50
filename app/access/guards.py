"""Who may use a route: 401 without a good token, 403 when the role is not enough."""

from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler

from app.access.authentication import Caller, token_refused
from app.access.user import Role


def may_ask(connection: Caller, _: BaseRouteHandler) -> None:
    """Everybody when `Settings.anonymous` is on, else whoever is signed in.

    A bad token is refused in both cases: whoever sends one believes to be signed in, and would
    wonder where the private documents are.
    """
    anonymous = connection.app.state.settings.anonymous and not token_refused(connection)
    if connection.user is None and not anonymous:
        raise _not_signed_in()


def signed_in(connection: Caller, _: BaseRouteHandler) -> None:
    """Whoever is signed in."""
    if connection.user is None:
        raise _not_signed_in()


async def curators(connection: Caller, _: BaseRouteHandler) -> None:
    """Those who look after the content, and admins."""
    await _require(connection, {Role.CURATOR, Role.ADMIN})


async def admins(connection: Caller, _: BaseRouteHandler) -> None:
    """Those who may do everything."""
    await _require(connection, {Role.ADMIN})


async def _require(connection: Caller, roles: set[Role]) -> None:
    if connection.user is None:
        raise _not_signed_in()
    if connection.user.role not in roles:
        raise PermissionDeniedException


def _not_signed_in() -> NotAuthorizedException:
    return NotAuthorizedException(headers={"WWW-Authenticate": "Bearer"})
