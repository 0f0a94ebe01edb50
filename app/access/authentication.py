"""The layer that reads the token of a request and sets `request.user` and `request.auth`."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult

from app.access.tokens import TokenRefusedError

# a header longer than this holds no token of ours
_LONGEST = 4096
_REFUSED = "pgkb_token_refused"

Caller = ASGIConnection[Any, Any, Any, Any]


class BearerTokens(AbstractAuthenticationMiddleware):
    """Says who asks and refuses nobody: that is for the guards, which know what a route needs."""

    async def authenticate_request(self, connection: Caller) -> AuthenticationResult:
        """`user` and `auth` of a good token; None and None without one, or with a bad one."""
        sent = connection.headers.get("authorization")
        if sent is None:
            return AuthenticationResult(user=None, auth=None)
        scheme, _, token = sent.strip().partition(" ")
        try:
            if scheme.lower() != "bearer" or len(sent) > _LONGEST:
                raise TokenRefusedError
            access = connection.app.state.tokens.read(token.strip())
        except TokenRefusedError:
            connection.scope["state"][_REFUSED] = True
            return AuthenticationResult(user=None, auth=None)
        return AuthenticationResult(user=access.user, auth=access)


def token_refused(connection: Caller) -> bool:
    """Whether the request brought a token that is no good; then its sender meant to sign in."""
    return bool(connection.scope["state"].get(_REFUSED))
