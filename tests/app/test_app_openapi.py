"""The description of the API is complete, and needs nothing from elsewhere."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from httpx import AsyncClient
from litestar import Litestar

from app.asgi import create_app
from app.documenting import SIGNED_IN, complete
from app.settings import from_environ
from tests.app.library import OPEN


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The OpenAPI document of an app that never ran."""
    app: Litestar = create_app(from_environ(OPEN, database_url="postgresql://nobody@nowhere/x"))
    described = app.openapi_schema.to_schema()
    complete(described)
    return described


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation with a name for messages."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def _examples(media: dict[str, Any], document: dict[str, Any]) -> bool:
    """Whether a body has an example: of its own, or of the schema it refers to."""
    schema = media.get("schema", {})
    if reference := schema.get("$ref"):
        schema = document["components"]["schemas"][reference.rpartition("/")[2]] | schema
    return any(place.get(key) for place in (media, schema) for key in ("example", "examples"))


def test_it_is_openapi_3_1_with_a_way_to_sign_in(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    scheme = document["components"]["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


def test_every_operation_has_a_summary_a_description_and_a_tag(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for part in ("summary", "description", "tags", "operationId"):
            assert operation.get(part), f"{name} lacks {part}"


def test_every_parameter_is_described(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), f"{name}: {parameter['name']}"


def test_every_body_and_every_answer_has_an_example(document: dict[str, Any]) -> None:
    lacking = []
    for name, operation in operations(document):
        bodies = {"body": operation.get("requestBody", {})} | operation["responses"]
        for what, body in bodies.items():
            for media in body.get("content", {}).values():
                if not _examples(media, document):
                    lacking.append(f"{name}: {what}")
    assert lacking == []


def test_every_example_is_one_its_schema_allows(document: dict[str, Any]) -> None:
    wrong = []
    for name, operation in operations(document):
        bodies = {"body": operation.get("requestBody", {})} | operation["responses"]
        for what, body in bodies.items():
            for kind, media in body.get("content", {}).items():
                if not kind.endswith("json"):
                    continue
                schema = media["schema"] | {"components": document["components"]}
                given = [e["value"] for e in media.get("examples", {}).values()]
                for example in given or [media["example"]]:
                    problems = list(jsonschema_rs.iter_errors(schema, example))
                    wrong += [f"{name} {what}: {p.message} at {p.instance_path}" for p in problems]
    assert wrong == []


def test_every_operation_tells_how_it_refuses_and_every_refusal_is_a_problem(
    document: dict[str, Any],
) -> None:
    for name, operation in operations(document):
        refusals = {s: r for s, r in operation["responses"].items() if s >= "400"}
        if operation.get("security", document["security"]) == SIGNED_IN:
            assert "401" in refusals, name
        for status, refusal in refusals.items():
            if "/health/" not in name:
                assert list(refusal["content"]) == ["application/problem+json"], (name, status)


async def test_it_is_served_and_refers_to_no_other_site(client: AsyncClient) -> None:
    answer = await client.get("/schema/openapi.json")
    assert answer.status_code == 200
    assert '"$ref":"http' not in answer.text
    assert {"externalDocs", "servers"} & set(answer.json()) <= {"servers"}
    assert [place["url"] for place in answer.json().get("servers", [])] == ["/"]
