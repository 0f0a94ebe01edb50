"""The statements behind citations, whole documents and explanations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import msgspec

from app.calls import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """Where a caller looks from, as `public.resolve_citation` takes it."""

    la: str | None = None
    home_la: str | None = None
    urn: str | None = None
    principals: Sequence[str] | None = None
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited passage as it was: its document, its version, and what took over since."""

    document_id: int
    version: int
    title: str
    source: str
    content: str
    chunk_index: int
    document_type: str | None
    authority: str | None
    scope: str
    effective_date: date | None
    in_force_from: date | None
    in_force_to: date | None
    is_current: bool
    superseded_by_document: int | None
    superseded_by_version: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a document, in its place."""

    chunk_id: int
    chunk_index: int
    content: str
    page_from: int | None
    page_to: int | None
    heading_path: list[str]


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it stands now; `passages` are a page of its `passage_count`."""

    version: int
    title: str
    source: str
    file_type: str
    document_type: str | None
    authority: str | None
    scope: str
    la_code: str | None
    school_urn: str | None
    tags: list[str]
    effective_date: date | None
    in_force_from: date | None
    published_at: datetime
    passage_count: int
    passages: list[Passage]


@dataclass(frozen=True, slots=True)
class Step:
    """One row of `explain_search`: what a stage looked at, and why it went on or not."""

    stage_no: int
    stage: str
    chunk_id: int | None
    title: str | None
    scope: str | None
    rank: int | None
    value: float | None
    kept: bool | None
    reason: str
    detail: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why one chunk is not in the answer, or at which place it is."""

    verdict: str
    reason: str
    place: int | None
    facts: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The arguments of a search whose vector is known."""

    query_vector: str | None
    tsquery: str
    la: str | None
    home_la: str | None
    urn: str | None
    tags: Sequence[str] | None
    top_k: int | None
    principals: Sequence[str] | None
    as_of: date | None
    topics: Sequence[str]
    embedding_set: str

    def values(self) -> tuple[object, ...]:
        """The values in the order of `_ASKED`."""
        return (
            self.query_vector,
            self.tsquery or None,
            self.la,
            self.home_la,
            self.urn,
            list(self.tags) if self.tags else None,
            self.top_k,
            list(self.principals) if self.principals else None,
            self.as_of,
            list(self.topics) or None,
            self.embedding_set,
        )


# what both explanations are given; nothing of it comes from a request
_ASKED = (
    "query_vec => $1::text::vector, tsquery => $2::text::tsquery, la => $3::text,"
    " home_la => $4::text, urn => $5::text, tags => $6::text[], top_k => $7::integer,"
    " principals => $8::text[], as_of => $9::date, topics => $10::text[],"
    " embedding_set => $11::text"
)


async def resolve_citation(db: Connection, *, chunk_id: int, whose: Whose) -> Citation | None:
    """The cited passage, or None for one that is not there or not for this caller.

    Raises PL001, PL002 or PL003 for a place that is not known.
    """
    row = await db.fetchrow(
        "select document_id, version, title, source, content, chunk_index, document_type,"
        " authority, scope, effective_date, in_force_from, in_force_to, is_current,"
        " superseded_by_document, superseded_by_version"
        " from public.resolve_citation(chunk_id => $1::bigint, la => $2::text,"
        " home_la => $3::text, urn => $4::text, principals => $5::text[],"
        " everywhere => $6::boolean)",
        chunk_id,
        *_place(whose),
    )
    return None if row is None else Citation(**dict(row))


async def read_document(
    db: Connection, *, document_id: int, whose: Whose, after_index: int, page_size: int
) -> Document | None:
    """The document, or None for one that is not there or not for this caller.

    Raises PL001, PL002 or PL003 for a place that is not known.
    """
    row = await db.fetchrow(
        "select version, title, source, file_type, document_type, authority, scope, la_code,"
        " school_urn, tags, effective_date, in_force_from, published_at, passage_count, passages"
        " from public.read_document(document_id => $1::bigint, la => $2::text,"
        " home_la => $3::text, urn => $4::text, principals => $5::text[],"
        " everywhere => $6::boolean, after_index => $7::integer, page_size => $8::integer)",
        document_id,
        *_place(whose),
        after_index,
        page_size,
    )
    if row is None:
        return None
    passages = msgspec.json.decode(row["passages"], type=list[Passage])
    return Document(**dict(row) | {"passages": passages})


async def explain_search(db: Connection, asked: Asked) -> list[Step]:
    """Every step of the search, in order. Raises what `search_kb` raises."""
    rows = await db.fetch(
        "select stage_no, stage, chunk_id, title, scope, rank, value, kept, reason, detail"  # noqa: S608
        f" from public.explain_search({_ASKED})",
        *asked.values(),
    )
    return [Step(**dict(row) | {"detail": _object(row["detail"])}) for row in rows]


async def why_not(db: Connection, asked: Asked, *, chunk_id: int) -> Verdict | None:
    """What became of one chunk in that search. Raises what `search_kb` raises."""
    row = await db.fetchrow(
        "select verdict, reason, place, facts"  # noqa: S608
        f" from public.why_not({_ASKED}, chunk_id => $12::bigint)",
        *asked.values(),
        chunk_id,
    )
    return None if row is None else Verdict(**dict(row) | {"facts": _object(row["facts"])})


def _place(whose: Whose) -> tuple[object, ...]:
    principals = list(whose.principals) if whose.principals else None
    return whose.la, whose.home_la, whose.urn, principals, whose.everywhere


def _object(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, Any])
