"""Rows of a register on their way in: copied, then merged by SQL (schema place)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg.rows import class_row

from ingest.rows import one_row


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
