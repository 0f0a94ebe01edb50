"""What a caller may send: every field named, limited, and nothing else accepted."""

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from app.access.user import User
from app.answering import Inquiry

Question = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4000,
        description="The question in the asker's own words, 1 to 4000 characters.",
        examples=["my son was kicked out of school"],
    ),
]
Code = Annotated[str, Meta(min_length=1, max_length=20)]
Authority = Annotated[
    Code, Meta(description="The authority: GSS, district or DfE code.", examples=["E08000025"])
]
HomeAuthority = Annotated[
    Code, Meta(description="The child's home authority, when it differs from `la`.")
]
School = Annotated[
    Code, Meta(description="The school's URN, as text; without `la` its authority is meant.")
]
Postcode = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=20,
        description="The child's home: its authority is `home_la`, or `la` when nothing else is.",
    ),
]
Tag = Annotated[str, Meta(min_length=1, max_length=100)]
Tags = Annotated[
    list[Tag], Meta(max_length=20, description="Topic slugs that narrow the search; a list.")
]
TopK = Annotated[int, Meta(ge=1, le=100, description="How many results at most.")]
ChunkId = Annotated[
    int,
    Meta(ge=1, le=2**63 - 1, description="Why is this chunk not in the answer, or where is it?"),
]
AsOf = Annotated[date, Meta(description="Search the versions in force on that day.")]


class AskRequest(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A question and where it is asked from. Codes are resolved by the database."""

    question: Question
    la: Authority | None = None
    home_la: HomeAuthority | None = None
    urn: School | None = None
    postcode: Postcode | None = None
    tags: Tags | None = None
    top_k: TopK | None = None
    as_of: AsOf | None = None

    def __post_init__(self) -> None:
        """Refuse what no database text can hold, and a question of blanks."""
        if not self.question.strip():
            raise ValueError("the question is blank")
        places = (self.la, self.home_la, self.urn, self.postcode)
        if any(place is not None and not place.strip() for place in places):
            raise ValueError("la, home_la, urn or postcode is blank: give one or leave it out")
        for text in (self.question, *places, *(self.tags or ())):
            if text is not None and "\x00" in text:
                raise ValueError("text holds a character that cannot be stored")

    def private(self) -> tuple[str, ...]:
        """What no log line may repeat: the question, and where somebody lives."""
        return (self.question,) if self.postcode is None else (self.question, self.postcode)

    def inquiry(self, user: User | None = None) -> Inquiry:
        """The request as the app works with it; private documents are seen by their people."""
        return Inquiry(
            question=self.question,
            la=self.la,
            home_la=self.home_la,
            urn=self.urn,
            postcode=self.postcode,
            tags=self.tags,
            top_k=self.top_k,
            as_of=self.as_of,
            principals=user.principals if user is not None else None,
            viewer=user.viewer if user is not None else "anonymous",
        )


class ExplainRequest(AskRequest, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A search to explain, and a chunk whose absence from it is to be explained."""

    chunk_id: ChunkId | None = None
