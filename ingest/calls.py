"""Every statement of `load`: options are checked, texts staged. Each room has a `calls.py` too."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from ingest.rows import one_row


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """What `stage_document` takes: a parsed text and who may see it under which name.

    A title that is only guessed from the file corrects no stated one. A source that is known from
    another origin passes on to the first of `other_sources` that is not.
    """

    source: str
    title: str
    body: str
    file_type: str
    la_code: str | None = None
    school_urn: str | None = None
    owner: str | None = None
    principals: Sequence[str] | None = None
    tags: Sequence[str] = ()
    authority: str | None = None
    document_type: str | None = None
    effective_date: date | None = None
    metadata: Mapping[str, Any] | None = None
    title_is_stated: bool = True
    origin: str | None = None
    other_sources: Sequence[str] = ()


class Readers(NamedTuple):
    """Who may see a document: what its scope is made of."""

    la_code: str | None
    school_urn: str | None
    owner: str | None
    principals: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Staged:
    """What became of a text: staged, in_progress, unchanged, updated or duplicate."""

    outcome: str
    kept_as: str
    document_id: int
    version_id: int
    existing_document_id: int | None
    existing_source: str | None
    chunk_count: int
    task_id: int | None
    lease_token: UUID | None


def check_scopes(db: psycopg.Connection, *, scopes: Iterable[Readers]) -> None:
    """Raise for an unknown authority or school, or a pair that does not belong together."""
    # the function makes a scope where it is new; here it is only asked
    with db.transaction(force_rollback=True):
        db.execute(
            "select corpus.scope_for(la_code => s.la_code, school_urn => s.school_urn,"
            " owner => s.owner, principals => s.principals)"
            " from jsonb_to_recordset(%(scopes)s)"
            " as s (la_code text, school_urn text, owner text, principals text[])",
            {"scopes": Jsonb([scope._asdict() for scope in scopes])},
        )


def check_tags(db: psycopg.Connection, *, tags: Sequence[str]) -> None:
    """Raise for a tag that is no topic."""
    db.execute("select corpus.check_tags(tags => %(tags)s)", {"tags": list(tags)})


def check_ranks(db: psycopg.Connection, *, authorities: Sequence[str]) -> None:
    """Raise for a kind of publisher that no pack names."""
    db.execute(
        "select corpus.check_rank(authority => u.authority)"
        " from unnest(%(authorities)s::text[]) as u (authority)",
        {"authorities": list(authorities)},
    )


def stage_document(db: psycopg.Connection, *, new: NewDocument, lease_holder: str) -> Staged:
    """Store a text nobody sees yet, and its task, leased to the holder."""
    with db.cursor(row_factory=class_row(Staged)) as cursor:
        return one_row(
            cursor.execute(
                "select outcome, kept_as, document_id, version_id, existing_document_id,"
                " existing_source, chunk_count, task_id, lease_token from corpus.stage_document("
                "source => %(source)s, title => %(title)s, body => %(body)s,"
                " file_type => %(file_type)s, la_code => %(la_code)s,"
                " school_urn => %(school_urn)s, owner => %(owner)s,"
                " principals => %(principals)s, tags => %(tags)s, authority => %(authority)s,"
                " document_type => %(document_type)s, effective_date => %(effective_date)s,"
                " metadata => %(metadata)s, lease_holder => %(lease_holder)s,"
                " title_is_stated => %(title_is_stated)s, origin => %(origin)s,"
                " other_sources => %(other_sources)s)",
                {
                    "source": new.source,
                    "title": new.title,
                    "body": new.body,
                    "file_type": new.file_type,
                    "la_code": new.la_code,
                    "school_urn": new.school_urn,
                    "owner": new.owner,
                    "principals": _list(new.principals),
                    "tags": list(new.tags),
                    "authority": new.authority,
                    "document_type": new.document_type,
                    "effective_date": new.effective_date,
                    "metadata": Jsonb(dict(new.metadata or {})),
                    "lease_holder": lease_holder,
                    "title_is_stated": new.title_is_stated,
                    "origin": new.origin,
                    "other_sources": list(new.other_sources),
                },
            )
        )


def _list(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else list(values)
