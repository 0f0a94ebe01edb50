"""Who may use a route: 401 without a good token, 403 when the role is not enough."""

from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler

from app.access import calls
from app.access.authentication import Caller, token_refused
from app.access.user import Role, User
from app.pool import lend


def may_ask(connection: Caller, _: BaseRouteHandler) -> None:
    """Everybody when `Settings.anonymous` is on, else whoever brings a good token.

    Whether its session still is one the limit of such a route asks, in the statement that counts.

    A bad token is refused in both cases: whoever sends one believes to be signed in, and would
    wonder where the private documents are.
    """
    anonymous = connection.app.state.settings.anonymous and not token_refused(connection)
    if connection.user is None and not anonymous:
        raise not_signed_in()


async def in_session(connection: Caller, _: BaseRouteHandler) -> None:
    """Whoever is signed in just now: the database is asked, so that a revoked session is over."""
    await _role_now(connection)


async def curators(connection: Caller, _: BaseRouteHandler) -> None:
    """Those who look after the content, and admins; the database is asked."""
    await _require(connection, {Role.CURATOR, Role.ADMIN})


async def admins(connection: Caller, _: BaseRouteHandler) -> None:
    """Those who may do everything; the database is asked."""
    await _require(connection, {Role.ADMIN})


async def _require(connection: Caller, roles: set[Role]) -> None:
    if await _role_now(connection) not in roles:
        raise PermissionDeniedException


async def _role_now(connection: Caller) -> Role:
    """The role the database knows, which from here on is also that of `request.user`."""
    if connection.user is None:
        raise not_signed_in()
    person_id = connection.user.person_id
    async with lend(connection.app.state.pool) as db:
        found = await calls.session_role(
            db, person_id=person_id, session_id=connection.auth.session_id
        )
    if found is None:
        raise not_signed_in()
    connection.scope["user"] = User(person_id=person_id, role=Role(found))
    return Role(found)


def not_signed_in() -> NotAuthorizedException:
    """The refusal of whoever brought no token, or none that is good any more."""
    return NotAuthorizedException(headers={"WWW-Authenticate": "Bearer"})
