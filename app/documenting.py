"""How routes describe themselves in the OpenAPI document: what they take and give, by example."""

from typing import Any

import msgspec
from litestar.enums import RequestEncodingType
from litestar.openapi import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg

from app.errors import AnyRequest

# who may call an operation: whoever is signed in (the rule), anybody, or anybody where the
# operator allows it
SIGNED_IN: list[dict[str, list[str]]] = [{"bearer": []}]
ANYBODY: list[dict[str, list[str]]] = [{}]
MAY_ASK: list[dict[str, list[str]]] = [{"bearer": []}, {}]


def answer(
    kind: type, description: str, example: object, *, media_type: str = "application/json"
) -> ResponseSpec:
    """The good answer of an operation, with an example of it."""
    return ResponseSpec(
        kind,
        generate_examples=False,
        description=description,
        media_type=media_type,
        examples=[Example(value=msgspec.to_builtins(example))],
    )


def body_with(example: object) -> BodyKwarg:
    """A JSON body with an example of it: `Annotated[AskRequest, body_with({...})]`."""
    return BodyKwarg(media_type=RequestEncodingType.JSON, examples=[Example(value=example)])


class CompleteJson(JsonRenderPlugin):
    """Serves the document with an example for every body and answer that was given none."""

    def render(self, request: AnyRequest, openapi_schema: dict[str, Any]) -> bytes:
        """The document as JSON."""
        complete(openapi_schema)
        return super().render(request, openapi_schema)


def complete(document: dict[str, Any]) -> None:
    """Add an example to every body and answer without one, made of what its schema says."""
    schemas = document.get("components", {}).get("schemas", {})
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                parameter.setdefault("description", _PARAMETERS.get(parameter["name"], ""))
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for media in (m for body in bodies for m in body.get("content", {}).values()):
                if not media.get("example") and not media.get("examples"):
                    media["example"] = _example_of(media.get("schema", {}), schemas)
                for given in media.get("examples", {}).values():
                    _put_nulls_back(given["value"], media["schema"], schemas)


def _put_nulls_back(example: object, schema: dict[str, Any], schemas: dict[str, Any]) -> None:
    """The framework leaves out of an example what is null, though its schema requires it."""
    schema = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
    if isinstance(example, list):
        for one in example:
            _put_nulls_back(one, schema.get("items", {}), schemas)
    if isinstance(example, dict):
        for name in schema.get("required", ()):
            example.setdefault(name, None)
        for name, value in example.items():
            inner = schema.get("properties", {}).get(name, {})
            for choice in inner.get("oneOf", [inner]):
                _put_nulls_back(value, choice, schemas)


_PARAMETERS = {
    "limit": "How many at most.",
    "after": "The key the page begins after: the last one of the page before.",
    "page_size": "How many at most.",
    "child_id": "One of your children, as the list of them names it.",
    "conversation_id": "One of your conversations, as the list of them names it.",
    "person_id": "Somebody, as the list of people names them.",
    "role": "Only people of this role.",
    "email": "Any part of an address.",
    "before_at": "Where the page ends: the time of the last one of the page before.",
    "before_id": "Where the page ends: the id of the last one of the page before.",
}
# what a text of this name looks like
_TEXTS = {
    "email": "kim@example.org",
    "password": "four words make one",
    "old_password": "four words make one",
    "new_password": "five words make another one",
    "name": "Sam",
    "role": "parent",
    "postcode": "B1 1AA",
    "school_urn": "990001",
    "urn": "990001",
    "la": "E08000025",
    "la_code": "E08000025",
    "home_la": "E10000016",
    "question": "my son was kicked out of school",
    "answer": "“Call the team within five school days of the exclusion.” [1]",
    "title": "Suspensions and exclusions",
    "source": "exclusions.html",
    "url": "https://council.example/exclusions",
    "content": "Call the team within five school days of the exclusion.",
    "text": "Call the team within five school days of the exclusion.",
    "tags": "exclusion",
    "topics": "exclusion",
    "access_token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk",
    "refresh_token": "b3JkaW5hcnktcmVmcmVzaC10b2tlbi1vZi1wZ2ti",
}
_BY_FORMAT = {
    "uuid": "0b6f3c1e-5a0d-4c3e-9d53-0b6f3c1e5a0d",
    "date": "2025-09-01",
    "date-time": "2025-09-02T08:00:00Z",
    "uri": "https://council.example/exclusions",
}
_DEEPEST = 8


def _example_of(
    schema: dict[str, Any], schemas: dict[str, Any], *, name: str = "", depth: int = 0
) -> object:
    """Something the schema allows, as like the real thing as its names tell."""
    if reference := schema.get("$ref"):
        schema = schemas[reference.rpartition("/")[2]]
    if depth > _DEEPEST:
        return None
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if "const" in schema:
        return schema["const"]
    choices = schema.get("oneOf") or schema.get("anyOf")
    if choices:
        real = [choice for choice in choices if choice.get("type") != "null"]
        return _example_of(real[0], schemas, name=name, depth=depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [_example_of(schema.get("items", {}), schemas, name=name, depth=depth + 1)]
    if kind == "integer" or kind == "number":
        return max(1, schema.get("minimum", 1))
    if kind == "boolean":
        return True
    if kind == "string":
        return _BY_FORMAT.get(schema.get("format", "")) or _TEXTS.get(name, name or "text")
    return {
        key: _example_of(value, schemas, name=key, depth=depth + 1)
        for key, value in schema.get("properties", {}).items()
    }
