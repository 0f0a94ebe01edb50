"""How routes describe themselves in the OpenAPI document: what they take and give, by example."""

import msgspec
from litestar.enums import RequestEncodingType
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg

# who may call an operation: only somebody who is signed in, or anybody where that is allowed
SIGNED_IN: list[dict[str, list[str]]] = [{"bearer": []}]
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
