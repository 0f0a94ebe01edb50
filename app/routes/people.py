"""`/api/admin/users`: accounts, for admins."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, patch, post, put
from litestar.datastructures import ResponseHeader
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from app.access import calls
from app.access.calls import Person
from app.access.guards import admins
from app.access.user import Role
from app.errors import PROBLEMS, AnyRequest, keep_private
from app.pool import lend
from app.routes.auth import (
    STORABLE,
    Email,
    NewPassword,
    NewPerson,
    SchoolUrn,
    refuse_weak,
)


class NewAccount(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """An account that is made for somebody."""

    email: Email
    password: NewPassword
    role: Role
    school_urn: SchoolUrn | None = None


class AccountChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What is to be otherwise; what is left out stays."""

    role: Role | None = None
    disabled: bool | None = None

    def __post_init__(self) -> None:
        """A change of nothing would find even those who are not there."""
        if self.role is None and self.disabled is None:
            raise ValueError("nothing to change: give role or disabled")


class GivenPassword(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A password that an admin sets."""

    password: NewPassword


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """A page of people; `next_after` is where the next page begins, null at the end."""

    people: list[Person]
    next_after: UUID | None


class PeopleController(Controller):
    """Who has an account, in which role."""

    path = "/api/admin/users"
    tags = ("people",)
    guards = (admins,)
    security = ({"bearer": []},)
    response_headers = (ResponseHeader(name="Cache-Control", value="no-store"),)

    @get(summary="List people", responses=PROBLEMS)
    async def list_people(
        self,
        request: AnyRequest,
        role: FromQuery[Role | None] = None,
        email: Annotated[str | None, QueryParameter(max_length=254, pattern=STORABLE)] = None,
        after: FromQuery[UUID | None] = None,
        page_size: Annotated[int, QueryParameter(ge=1, le=200)] = 50,
    ) -> PeoplePage:
        """By the age of the accounts; `email` is any part of an address."""
        async with lend(request.app.state.pool) as db:
            found = await calls.list_people(
                db, role=role, email=email, after=after, page_size=page_size
            )
        last = found[-1].person_id if len(found) == page_size else None
        return PeoplePage(people=found, next_after=last)

    @post(status_code=201, summary="Make an account", responses=PROBLEMS)
    async def add(self, data: JSONBody[NewAccount], request: AnyRequest) -> NewPerson:
        """For curators and admins, and wherever people do not register themselves."""
        keep_private(request, data.email, data.password)
        state = request.app.state
        refuse_weak(data.password)
        password_hash = await state.passwords.hash(data.password)
        async with lend(state.pool) as db:
            person_id = await calls.add_person(
                db,
                email=data.email,
                role=data.role,
                password_hash=password_hash,
                school_urn=data.school_urn,
                actor=_actor(request),
            )
        return NewPerson(person_id=person_id)

    @patch(
        "/{person_id:uuid}", status_code=204, summary="Change role or access", responses=PROBLEMS
    )
    async def change(
        self, person_id: FromPath[UUID], data: JSONBody[AccountChange], request: AnyRequest
    ) -> None:
        """Whoever is disabled is out at once. The last admin stays one."""
        async with lend(request.app.state.pool) as db, db.transaction():
            if data.role is not None:
                await calls.set_role(db, person_id=person_id, role=data.role, actor=_actor(request))
            if data.disabled is not None:
                await calls.set_disabled(
                    db, person_id=person_id, disabled=data.disabled, actor=_actor(request)
                )

    @put(
        "/{person_id:uuid}/password",
        status_code=204,
        summary="Set somebody's password",
        responses=PROBLEMS,
    )
    async def set_password(
        self, person_id: FromPath[UUID], data: JSONBody[GivenPassword], request: AnyRequest
    ) -> None:
        """All sessions of that person end."""
        keep_private(request, data.password)
        state = request.app.state
        refuse_weak(data.password)
        new_hash = await state.passwords.hash(data.password)
        async with lend(state.pool) as db:
            await calls.set_password(
                db, person_id=person_id, new_hash=new_hash, actor=_actor(request)
            )


def _actor(request: AnyRequest) -> str:
    """Who acts, as the audit names people."""
    return f"person:{request.user.person_id}"
