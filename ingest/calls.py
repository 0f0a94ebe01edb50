"""Every statement ingest sends to Postgres: one function here per function there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from ingest.rows import one_row

# ---------------------------------------------------------------------------------------------
# Documents: from a parsed text to a published version
# ---------------------------------------------------------------------------------------------


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


def check_scope(
    db: psycopg.Connection,
    *,
    la_code: str | None,
    school_urn: str | None,
    owner: str | None,
    principals: Sequence[str] | None,
) -> None:
    """Raise for an unknown authority or school, or a pair that does not belong together."""
    # the function makes the scope where it is new; here it is only asked
    with db.transaction(force_rollback=True):
        db.execute(
            "select corpus.scope_for(la_code => %(la_code)s, school_urn => %(school_urn)s,"
            " owner => %(owner)s, principals => %(principals)s)",
            {
                "la_code": la_code,
                "school_urn": school_urn,
                "owner": owner,
                "principals": _list(principals),
            },
        )


def check_tags(db: psycopg.Connection, *, tags: Sequence[str]) -> None:
    """Raise for a tag that is no topic."""
    db.execute("select corpus.check_tags(tags => %(tags)s)", {"tags": list(tags)})


def check_rank(db: psycopg.Connection, *, authority: str) -> None:
    """Raise for a kind of publisher that no pack names."""
    db.execute("select corpus.check_rank(authority => %(authority)s)", {"authority": authority})


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


# ---------------------------------------------------------------------------------------------
# Embedding sets: filled in the background, indexed, switched
# ---------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------
# The queue and its upkeep
# ---------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------
# Upkeep: plans are made in SQL, their statements run here one by one, as they may not in a function
# ---------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------
# Packs: what ingest/pack.py stores. Each replaces or corrects the rows it is given and returns
# how many there are.
# ---------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------
# Registers: what ingest/registers.py copies in and SQL merges
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What merging a register did, in rows."""

    added: int
    changed: int
    unchanged: int
    closed: int
    removed: int
    outside: int
    refused: int
    problems: list[dict[str, Any]]


def open_registers(db: psycopg.Connection) -> None:
    """Make the tables of this transaction that rows are copied into."""
    db.execute("select place.open_registers()")


def copy_schools(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy rows of a register of schools; returns how many."""
    return _copy(
        db,
        "copy pg_temp.arriving_school (line, urn, name, dfe_code, gss, phase, postcode, website,"
        " status, opened, closed) from stdin",
        rows,
    )


def copy_school_links(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy links between schools; returns how many."""
    return _copy(
        db, "copy pg_temp.arriving_school_link (line, urn, link_urn, link_type) from stdin", rows
    )


def copy_postcodes(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy rows of a register of postcodes; returns how many."""
    return _copy(
        db, "copy pg_temp.arriving_postcode (line, postcode, lad_gss, ended) from stdin", rows
    )


def merge_schools(db: psycopg.Connection) -> MergeReport:
    """Add, correct and close the schools that were copied."""
    return _merge(db, "select * from place.merge_schools()")


def merge_school_links(db: psycopg.Connection) -> MergeReport:
    """Add the successions among the links that were copied."""
    return _merge(db, "select * from place.merge_school_links()")


def merge_postcodes(db: psycopg.Connection, *, shrink: bool) -> MergeReport:
    """Replace the known postcodes by those that were copied."""
    return _merge(db, "select * from place.merge_postcodes(shrink => %(shrink)s)", shrink=shrink)


def authorities(db: psycopg.Connection) -> dict[str, str]:
    """Every authority with all that is known of it, as text to compare."""
    rows = db.execute(
        "select a.gss, a::text || array(select s.successor_gss from place.authority_successor as s"
        " where s.gss = a.gss order by s.successor_gss)::text from place.authority as a"
    )
    return dict(rows.fetchall())


def _list(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else list(values)


def _copy(
    db: psycopg.Connection, statement: LiteralString, rows: Iterable[tuple[object, ...]]
) -> int:
    copied = 0
    with db.cursor() as cursor, cursor.copy(statement) as copy:
        for copied, row in enumerate(rows, start=1):  # noqa: B007 - it is returned
            copy.write_row(row)
    return copied


def _merge(db: psycopg.Connection, statement: LiteralString, **values: object) -> MergeReport:
    with db.cursor(row_factory=class_row(MergeReport)) as cursor:
        return one_row(cursor.execute(statement, values))
