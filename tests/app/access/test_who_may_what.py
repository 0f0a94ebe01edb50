"""Guards: no token, a bad one, another role, somebody else's ids, somebody shut out."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from httpx import AsyncClient
from litestar import Litestar

from app.access.tokens import Tokens
from app.access.user import Role
from tests.app.library import SCHOOL
from tests.app.people import Visitor, sign_in

OWN = ("/api/auth/me", "/api/me/children", "/api/me/export", "/api/conversations")


@pytest.fixture
def parent(house: Litestar) -> Visitor:
    return sign_in(house)


def _sql(house: Litestar, statement: str, *values: Any) -> None:
    with psycopg.connect(house.state.settings.database_url) as db:
        db.execute(statement.encode(), list(values))


@pytest.fixture
def bad_tokens(house: Litestar, parent: Visitor) -> list[str]:
    good = parent.headers["Authorization"]
    foreign = Tokens(["f" * 40]).issue(parent.user, parent.session_id)
    return [
        "",
        "Bearer",
        "Bearer ",
        "Bearer garbage",
        good.replace("Bearer", "Basic"),
        good + "x",
        good[:-6],
        f"Bearer {foreign}",
        "Bearer " + "x" * 9000,
    ]


async def test_without_a_good_token_nothing_of_ones_own_is_shown(
    door: AsyncClient, bad_tokens: list[str]
) -> None:
    for path in OWN:
        missing = await door.get(path)
        assert (missing.status_code, missing.json()["code"]) == (401, "not_signed_in")
        assert missing.headers["www-authenticate"] == "Bearer"
        for token in bad_tokens:
            answer = await door.get(path, headers={"Authorization": token})
            assert answer.status_code == 401, token
            assert len(token) < 20 or token[7:] not in answer.text


async def test_a_token_of_a_session_that_never_was_is_refused(
    door: AsyncClient, house: Litestar, parent: Visitor
) -> None:
    token = house.state.tokens.issue(parent.user, uuid4())
    for path in OWN:
        answer = await door.get(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401, path


@pytest.mark.parametrize("role", [Role.PARENT, Role.PROFESSIONAL, Role.CURATOR])
async def test_only_admins_see_accounts(door: AsyncClient, house: Litestar, role: Role) -> None:
    visitor = sign_in(house, role)
    someone = f"/api/admin/users/{visitor.user.person_id}"
    attempts = [
        await door.get("/api/admin/users", headers=visitor.headers),
        await door.patch(someone, json={"role": "admin"}, headers=visitor.headers),
        await door.put(f"{someone}/password", json={"password": "x" * 12}, headers=visitor.headers),
        await door.post(
            "/api/admin/users",
            json={"email": "new@example.org", "password": "x" * 12, "role": "admin"},
            headers=visitor.headers,
        ),
    ]
    assert [answer.status_code for answer in attempts] == [403] * 4
    assert (await door.get("/api/admin/users")).status_code == 401


async def test_a_role_in_a_token_counts_only_while_the_database_agrees(
    door: AsyncClient, house: Litestar
) -> None:
    sign_in(house, Role.ADMIN)
    admin = sign_in(house, Role.ADMIN)
    assert (await door.get("/api/admin/users", headers=admin.headers)).status_code == 200
    _sql(house, "select account.set_role(%s, 'parent')", admin.user.person_id)
    assert (await door.get("/api/admin/users", headers=admin.headers)).status_code == 403
    _sql(house, "select account.set_disabled(%s, true)", admin.user.person_id)
    assert (await door.get("/api/admin/users", headers=admin.headers)).status_code == 401


async def test_an_admin_makes_changes_and_shuts_out(door: AsyncClient, house: Litestar) -> None:
    admin, parent = sign_in(house, Role.ADMIN), sign_in(house)
    made = await door.post(
        "/api/admin/users",
        json={
            "email": f"{uuid4()}@example.org",
            "password": "correct horse battery",
            "role": "curator",
        },
        headers=admin.headers,
    )
    assert made.status_code == 201
    someone = f"/api/admin/users/{parent.user.person_id}"
    shut = await door.patch(
        someone, json={"role": "professional", "disabled": True}, headers=admin.headers
    )
    assert shut.status_code == 204
    assert (await door.get("/api/auth/me", headers=parent.headers)).status_code == 401
    listed = await door.get(
        "/api/admin/users?role=professional&page_size=200", headers=admin.headers
    )
    found = {row["person_id"]: row for row in listed.json()["people"]}
    assert found[str(parent.user.person_id)]["disabled_at"]
    nobody = await door.patch(
        f"/api/admin/users/{uuid4()}", json={"disabled": True}, headers=admin.headers
    )
    assert nobody.status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/search"),
        ("POST", "/api/search/explain"),
        ("POST", "/api/chat"),
        ("GET", "/api/citations/1"),
        ("GET", "/api/documents/1"),
        ("GET", "/api/conversations"),
        ("GET", "/api/me/children"),
        ("GET", "/api/auth/me"),
    ],
)
async def test_who_is_shut_out_may_do_nothing_from_that_moment(
    door: AsyncClient, house: Litestar, parent: Visitor, method: str, path: str
) -> None:
    """The access token is good for minutes more; the account behind it is not."""
    body = {"question": "who can help?"} if method == "POST" else None

    async def status() -> int:
        return (await door.request(method, path, json=body, headers=parent.headers)).status_code

    assert await status() in {200, 404}
    _sql(house, "select account.set_disabled(%s, true)", parent.user.person_id)
    assert await status() == 401
    # in again, but the sessions of before stay over
    _sql(house, "select account.set_disabled(%s, false)", parent.user.person_id)
    assert await status() == 401


@pytest.mark.parametrize(
    "query",
    ["role=owner", "page_size=0", "page_size=x", "after=1", "email=" + "x" * 300, "email=%00"],
)
async def test_odd_filters_are_refused_and_never_become_sql(
    door: AsyncClient, house: Litestar, query: str
) -> None:
    admin = sign_in(house, Role.ADMIN)
    answer = await door.get(f"/api/admin/users?{query}", headers=admin.headers)
    assert answer.status_code == 400
    odd = {"email": "' or 1=1 --"}
    harmless = await door.get("/api/admin/users", params=odd, headers=admin.headers)
    assert harmless.json()["people"] == []


async def test_a_child_of_somebody_else_is_not_found(
    door: AsyncClient, house: Litestar, parent: Visitor
) -> None:
    other = sign_in(house)
    facts = {"name": "Sam", "school_urn": SCHOOL, "postcode": "ct12eh"}
    added = await door.post("/api/me/children", json=facts, headers=other.headers)
    assert added.status_code == 201
    child = f"/api/me/children/{added.json()['child_id']}"
    assert (await door.put(child, json={}, headers=parent.headers)).status_code == 404
    assert (await door.delete(child, headers=parent.headers)).status_code == 404
    mine = await door.get("/api/me/children", headers=parent.headers)
    assert mine.json() == {"children": []}
    theirs = await door.get("/api/me/children", headers=other.headers)
    assert theirs.json()["children"] == [
        {"child_id": added.json()["child_id"]} | facts | {"postcode": "CT1 2EH"}
    ]
    assert (await door.put(child, json={"name": "S"}, headers=other.headers)).status_code == 204
    assert (await door.delete(child, headers=other.headers)).status_code == 204
    assert (await door.delete(child, headers=other.headers)).status_code == 404


async def test_a_list_where_a_word_is_wanted_is_refused(door: AsyncClient, parent: Visitor) -> None:
    for facts in ({"name": ["Sam"]}, {"postcode": 7}, {"owner": "x"}, {"name": "a\x00b"}):
        answer = await door.post("/api/me/children", json=facts, headers=parent.headers)
        assert answer.status_code in {400, 422}, facts


async def test_who_leaves_gets_everything_first_and_is_gone_at_once(
    door: AsyncClient, parent: Visitor
) -> None:
    await door.post("/api/me/children", json={"name": "Sam"}, headers=parent.headers)
    assert (
        await door.put("/api/me/school", json={"school_urn": SCHOOL}, headers=parent.headers)
    ).status_code == 204
    export = (await door.get("/api/me/export", headers=parent.headers)).json()
    assert export["account"]["person_id"] == str(parent.user.person_id)
    assert export["account"]["school_urn"] == SCHOOL
    assert [child["name"] for child in export["children"]] == ["Sam"]
    assert (await door.delete("/api/me", headers=parent.headers)).status_code == 204
    assert (await door.get("/api/auth/me", headers=parent.headers)).status_code == 401
    assert (await door.delete("/api/me", headers=parent.headers)).status_code == 401
