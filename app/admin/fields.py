"""What an admin request may send: every text limited, none with a character that is not stored."""

from typing import Annotated, TypeAlias

from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

from app.errors import problems

_STORED = r"^[^\x00]*$"
# a blank code would be taken for none, and what was meant for one area be done to all
_NAMED = r"^[^\x00]*[^\x00\s][^\x00]*$"
_BIGGEST = 2**63 - 1

Name = Annotated[str, Meta(min_length=1, max_length=300, pattern=_NAMED)]
Code = Annotated[str, Meta(min_length=1, max_length=20, pattern=_NAMED)]
Tag = Annotated[str, Meta(min_length=1, max_length=100, pattern=_STORED)]
Reason = Annotated[
    str,
    Meta(
        max_length=1000,
        pattern=_STORED,
        description="Why; kept with the decision and shown in the history.",
        examples=["withdrawn by the council"],
    ),
]
Key = Annotated[int, Meta(ge=1, le=_BIGGEST)]

DocumentId: TypeAlias = Annotated[
    int, PathParameter(ge=1, le=_BIGGEST, description="The document.")
]
TaskId: TypeAlias = Annotated[int, PathParameter(ge=1, le=_BIGGEST, description="The job.")]
Rows: TypeAlias = Annotated[
    int, QueryParameter(name="atMost", ge=1, le=500, description="How many rows at most.")
]


def text(query: str, description: str, *, most: int = 300) -> object:
    """A query parameter that is a text."""
    return QueryParameter(
        name=query, min_length=1, max_length=most, pattern=_STORED, description=description
    )


ADMIN_PROBLEMS = problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
