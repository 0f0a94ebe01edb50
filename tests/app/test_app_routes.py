"""A-02: every route of the app, walked with no token, a parent's token and other people's ids.

Routes come from the app itself, so that a new one is walked, and fails here when it is open.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from app.access.user import Role
from app.asgi import create_app
from app.settings import from_environ
from tests.app.library import asking
from tests.app.people import sign_in

# what anybody may reach: signing in and what follows from a token of its own, the state of the
# service, and the description of the API
PUBLIC = re.compile(
    r"^((GET|HEAD) /health/(live|ready)|(GET|HEAD) /metrics|GET /schema.*"
    r"|POST /api/auth/(login|refresh|logout|register))$"
)
CURATORS_ONLY = re.compile(r"^[A-Z]+ /api/admin(/|$)")


@dataclass(frozen=True, slots=True)
class Door:
    """One method of one path, with ids filled in that are nobody's, or somebody else's."""

    method: str
    template: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


def doors(app: Litestar) -> Iterator[Door]:
    """Every route handler of the app."""
    for route in app.routes:
        assert isinstance(route, HTTPRoute), f"{route.path} is no HTTP route: walk it here, too"
        path = route.path_format
        for name, parameter in route.path_parameters.items():
            value = {int: "999999999", str: "nobody"}.get(parameter.type, str(uuid4()))
            path = re.sub(r"\{" + name + r"(:[a-z]+)?\}", value, path)
        for method in sorted(route.methods - {"OPTIONS"}):
            yield Door(method, route.path_format, path)


@pytest.fixture
def app(library_url: str) -> Litestar:
    """The app as it is set up unless somebody opens it: nobody asks without an account."""
    return create_app(from_environ({}, database_url=library_url))


async def _knock(client: Any, door: Door, headers: dict[str, str]) -> Any:
    content: dict[str, Any] = {"json": {}} if door.method in {"POST", "PUT", "PATCH"} else {}
    return await client.request(door.method, door.path, headers=headers, **content)


async def test_without_a_token_every_door_is_shut_but_the_public_ones(app: Litestar) -> None:
    async with asking(app) as client:
        open_doors = []
        for door in doors(app):
            if PUBLIC.match(str(door)):
                continue
            for headers in ({}, {"Authorization": "Bearer no.such.token"}):
                answer = await _knock(client, door, headers)
                if answer.status_code != 401:
                    open_doors.append((str(door), answer.status_code))
                assert answer.headers["content-type"] == "application/problem+json", door
                assert "www-authenticate" in answer.headers, door
    assert open_doors == []


async def test_a_parents_token_opens_no_door_of_the_curators(app: Litestar) -> None:
    async with asking(app) as client:
        for role in (Role.PARENT, Role.PROFESSIONAL):
            headers = sign_in(app, role).headers
            for door in doors(app):
                if CURATORS_ONLY.match(str(door)):
                    answer = await _knock(client, door, headers)
                    assert answer.status_code == 403, door


@pytest.mark.parametrize("role", list(Role))
async def test_ids_that_are_nobodys_or_somebody_elses_are_refused_and_break_nothing(
    app: Litestar, role: Role
) -> None:
    async with asking(app) as client:
        headers = sign_in(app, role).headers
        for door in doors(app):
            if "{" not in door.template:
                continue
            answer = await _knock(client, door, headers)
            assert answer.status_code in {400, 401, 403, 404, 415, 422}, (
                f"{door}: {answer.status_code} {answer.text}"
            )


async def test_in_the_description_a_door_is_locked_exactly_when_it_is(app: Litestar) -> None:
    document = app.openapi_schema.to_schema()
    for door in doors(app):
        operation = document["paths"].get(door.template, {}).get(door.method.lower())
        if operation is None:
            # what the description itself is served by, and the framework's own HEAD
            assert door.template.startswith("/schema") or door.method == "HEAD", door
            continue
        locked = {} not in operation.get("security", document["security"])
        if PUBLIC.match(str(door)):
            assert not locked, door
        elif CURATORS_ONLY.match(str(door)):
            assert locked, door
