"""People who are signed in, for tests of routes."""

from dataclasses import dataclass
from uuid import uuid4

from litestar import Litestar

from app.access.user import Role, User


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with a token: `headers` go with a request."""

    user: User
    headers: dict[str, str]


def sign_in(app: Litestar, role: Role = Role.PARENT) -> Visitor:
    """A new person of that role with a session and an access token of this app."""
    user = User(person_id=uuid4(), role=role)
    token = app.state.tokens.issue(user, uuid4())
    return Visitor(user=user, headers={"Authorization": f"Bearer {token}"})
