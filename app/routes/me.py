"""`/api/me`: what somebody has on file, as JSON, changed, or gone."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, Response, delete, get, post, put
from litestar.datastructures import ResponseHeader
from litestar.enums import MediaType
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from app.access import calls
from app.access.calls import Child
from app.access.guards import in_session
from app.errors import PROBLEMS, AnyRequest, keep_private
from app.pool import lend
from app.routes.auth import STORABLE, SchoolUrn

Name = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=STORABLE,
        description="What you call the child here; a pseudonym will do.",
    ),
]
Postcode = Annotated[
    str,
    Meta(max_length=20, pattern=STORABLE, description="The child's home.", examples=["B1 1AA"]),
]


class ChildFacts(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What may be known of a child: only what decides whose rules hold. All of it is optional."""

    name: Name | None = None
    school_urn: SchoolUrn | None = None
    postcode: Postcode | None = None

    def private(self) -> list[str]:
        """What no log line may repeat."""
        return [fact for fact in (self.name, self.school_urn, self.postcode) if fact]


class Workplace(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The school a professional works at; null is none."""

    school_urn: SchoolUrn | None


@dataclass(frozen=True, slots=True)
class Children:
    """The children on file; the first one decides where no other is named."""

    children: list[Child]


@dataclass(frozen=True, slots=True)
class NewChild:
    """The child that was added."""

    child_id: UUID


class MeController(Controller):
    """The profile of whoever is signed in."""

    path = "/api/me"
    tags = ("profile",)
    guards = (in_session,)
    security = ({"bearer": []},)
    response_headers = (ResponseHeader(name="Cache-Control", value="no-store"),)

    @get("/children", summary="My children", responses=PROBLEMS)
    async def children(self, request: AnyRequest) -> Children:
        """The children on the profile, the one added first at the head."""
        async with lend(request.app.state.pool) as db:
            found = await calls.list_children(db, person_id=request.user.person_id)
        return Children(children=found)

    @post("/children", status_code=201, summary="Add a child", responses=PROBLEMS)
    async def add_child(self, data: JSONBody[ChildFacts], request: AnyRequest) -> NewChild:
        """A child whose school and home decide whose rules hold."""
        keep_private(request, *data.private())
        async with lend(request.app.state.pool) as db:
            child_id = await calls.add_child(
                db,
                person_id=request.user.person_id,
                name=data.name,
                school_urn=data.school_urn,
                postcode=data.postcode,
            )
        return NewChild(child_id=child_id)

    @put("/children/{child_id:uuid}", status_code=204, summary="Change a child", responses=PROBLEMS)
    async def change_child(
        self, child_id: FromPath[UUID], data: JSONBody[ChildFacts], request: AnyRequest
    ) -> None:
        """All facts anew: what is left out is gone. A child of somebody else is not found."""
        keep_private(request, *data.private())
        async with lend(request.app.state.pool) as db:
            await calls.change_child(
                db,
                person_id=request.user.person_id,
                child_id=child_id,
                name=data.name,
                school_urn=data.school_urn,
                postcode=data.postcode,
            )

    @delete(
        "/children/{child_id:uuid}", status_code=204, summary="Remove a child", responses=PROBLEMS
    )
    async def remove_child(self, child_id: FromPath[UUID], request: AnyRequest) -> None:
        """A child of somebody else is not found."""
        async with lend(request.app.state.pool) as db:
            await calls.remove_child(db, person_id=request.user.person_id, child_id=child_id)

    @put("/school", status_code=204, summary="Say where I work", responses=PROBLEMS)
    async def set_school(self, data: JSONBody[Workplace], request: AnyRequest) -> None:
        """The school whose rules hold when no child is asked about."""
        async with lend(request.app.state.pool) as db:
            await calls.set_school(db, person_id=request.user.person_id, school_urn=data.school_urn)

    @get("/export", summary="Everything that is held of me", responses=PROBLEMS)
    async def export(self, request: AnyRequest) -> Response[str]:
        """One JSON document; no password and no token is in it."""
        async with lend(request.app.state.pool) as db:
            found = await calls.export_person(db, person_id=request.user.person_id)
        return Response(found, media_type=MediaType.JSON)

    @delete("/", status_code=204, summary="Forget me", responses=PROBLEMS)
    async def erase(self, request: AnyRequest) -> None:
        """The account and all that hangs on it is gone at once, and for good."""
        async with lend(request.app.state.pool) as db:
            await calls.erase_person(
                db,
                person_id=request.user.person_id,
                actor=f"person:{request.user.person_id}",
            )
