"""People who are signed in, for tests of routes."""

import secrets
from dataclasses import dataclass
from uuid import UUID

import psycopg
from litestar import Litestar

from app.access.user import Role, User

# the form of a hash of argon2id, of no password
HASH = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQxMjM0NTY$" + "A" * 43


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with a token: `headers` go with a request."""

    user: User
    headers: dict[str, str]
    session_id: UUID


def sign_in(app: Litestar, role: Role = Role.PARENT) -> Visitor:
    """A new person of that role with a session and an access token of this app."""
    with psycopg.connect(app.state.settings.database_url) as db:
        person_id, session_id = add_person(db, role)
    user = User(person_id=person_id, role=role)
    token = app.state.tokens.issue(user, session_id)
    return Visitor(user=user, headers={"Authorization": f"Bearer {token}"}, session_id=session_id)


def add_person(
    db: psycopg.Connection, role: Role = Role.PARENT, *, email: str | None = None
) -> tuple[UUID, UUID]:
    """A person with an account and a session, as the database makes them; their keys."""
    row = db.execute(
        "select p.person_id, s.session_id"
        " from account.add_person(%(email)s, %(role)s, %(hash)s) as p (person_id)"
        " cross join lateral account.finish_sign_in(p.person_id, %(hash)s, %(token)s) as s",
        {
            "email": email or f"{secrets.token_hex(8)}@example.org",
            "role": role.value,
            "hash": HASH,
            "token": secrets.token_bytes(32),
        },
    ).fetchone()
    assert row is not None
    return row[0], row[1]
