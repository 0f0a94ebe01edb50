"""Access tokens: signed and short-lived; the session behind one is in SQL, and asked for there."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import jwt

from app.access.user import Role, User
from app.settings import SettingsError

ISSUER = "pgkb"
AUDIENCE = "pgkb-api"
LIFETIME = timedelta(minutes=15)

_ALGORITHM = "HS256"
_SHORTEST_KEY = 32
# clocks of two machines differ a little
_LEEWAY = timedelta(seconds=10)
_REQUIRED = ["iss", "aud", "sub", "sid", "role", "iat", "exp"]


class TokenRefusedError(Exception):
    """A token that is none of ours, or whose time is over. It says no more, to nobody."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a token says: who, and in which session; `request.auth`."""

    user: User
    session_id: UUID


class Tokens:
    """Issues and reads access tokens with one key or, while keys are changed, with several."""

    def __init__(self, keys: Sequence[str]) -> None:
        """The first key signs; all of them verify. Raises `SettingsError` for a short one."""
        if not keys or any(len(key.encode()) < _SHORTEST_KEY for key in keys):
            raise SettingsError(
                f"PGKB_TOKEN_KEY holds a key of fewer than {_SHORTEST_KEY} bytes, which can be "
                "guessed. Make one with `openssl rand -hex 32`"
            )
        self._signing = _name_of(keys[0])
        self._keys = {_name_of(key): key for key in keys}

    def issue(self, user: User, session_id: UUID, *, now: datetime | None = None) -> str:
        """A token for somebody in a session, good for `LIFETIME` from now."""
        issued = now or datetime.now(UTC)
        return jwt.encode(
            {
                "iss": ISSUER,
                "aud": AUDIENCE,
                "sub": str(user.person_id),
                "sid": str(session_id),
                "role": str(user.role),
                "iat": issued,
                "exp": issued + LIFETIME,
            },
            self._keys[self._signing],
            algorithm=_ALGORITHM,
            headers={"kid": self._signing},
        )

    def read(self, token: str) -> Access:
        """Who the token is for. Raises `TokenRefusedError` whatever is wrong with it."""
        try:
            # a key is chosen by its name among our own, an algorithm never
            key = self._keys[jwt.get_unverified_header(token)["kid"]]
            claims = jwt.decode(
                token,
                key,
                algorithms=[_ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                leeway=_LEEWAY,
                options={"require": _REQUIRED},
            )
            user = User(person_id=UUID(claims["sub"]), role=Role(claims["role"]))
            return Access(user=user, session_id=UUID(claims["sid"]))
        except (jwt.PyJWTError, KeyError, TypeError, ValueError, AttributeError):
            raise TokenRefusedError from None


def _name_of(key: str) -> str:
    """What a token calls its key: enough to tell keys apart, nothing to guess one by."""
    return hashlib.sha256(b"pgkb key name:" + key.encode()).hexdigest()[:16]
