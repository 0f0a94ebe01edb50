"""A transaction in which somebody acts: with the rights of `pgkb_admin`, under their name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.access.user import User
from app.admin import calls
from app.calls import Connection
from app.errors import AnyRequest
from app.pool import lend


@asynccontextmanager
async def acting(request: AnyRequest, *, reason: str | None = None) -> AsyncIterator[Connection]:
    """A connection for a moment, as the caller; every event it leaves carries who and why.

    The rights and the name end with the transaction, also behind a pooler.
    """
    user: User = request.user
    async with lend(request.app.state.pool) as db, db.transaction():
        await calls.act_as_admin(db, actor=user.principals[0], reason=reason)
        yield db
