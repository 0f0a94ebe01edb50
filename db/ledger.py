"""The record of what was deployed: schema deploy, one row per migration and per file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psycopg import errors

from db.preflight import Connection
from db.tree import DeployError, SourceFile

_TABLES = b"""
create schema if not exists deploy;
comment on schema deploy is 'What the deploy engine has brought to this database.';
create table if not exists deploy.migration (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
);
comment on table deploy.migration is 'Migrations that ran here; each runs exactly once.';
comment on column deploy.migration.name is 'File name without its ending, as in 0001_queue.';
comment on column deploy.migration.sha256 is 'Hash of the text that ran; an edit is refused.';
comment on column deploy.migration.applied_at is 'Start of the transaction that ran it.';
create table if not exists deploy.file (
    path text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
);
comment on table deploy.file is 'Function, trigger and grant files as they last ran here.';
comment on column deploy.file.path is 'Path under db/.';
comment on column deploy.file.sha256 is 'Hash of the text that ran; any difference runs all files.';
comment on column deploy.file.applied_at is 'Start of the transaction that ran it.';
"""


def exists(conn: Connection) -> bool:
    """True once a deploy has committed in this database."""
    row = conn.execute("select pg_catalog.to_regclass('deploy.file') is not null").fetchone()
    return row is not None and bool(row[0])


def create(conn: Connection) -> None:
    """Make the ledger's schema and tables; does nothing to those that are there."""
    conn.execute(_TABLES)


def _read(conn: Connection, query: bytes) -> dict[str, str]:
    try:
        return dict(conn.execute(query).fetchall())
    except errors.InsufficientPrivilege:
        raise DeployError(
            "this login may not read the deploy ledger; use one that is a member of pgkb_owner"
        ) from None


def migrations(conn: Connection) -> dict[str, str]:
    """Name and hash of every migration that ran."""
    return _read(conn, b"select name, sha256 from deploy.migration order by name")


def files(conn: Connection) -> dict[str, str]:
    """Path and hash of every other file as it last ran."""
    return _read(conn, b"select path, sha256 from deploy.file order by path")


def record_migration(conn: Connection, file: SourceFile) -> None:
    """Note that a migration ran."""
    conn.execute(
        "insert into deploy.migration (name, sha256) values (%s, %s) on conflict (name) "
        "do update set sha256 = excluded.sha256, applied_at = excluded.applied_at",
        [file.stem, file.sha256],
    )


def record_files(conn: Connection, ran: Iterable[SourceFile], *, kept: Mapping[str, str]) -> None:
    """Replace the list of files by those that ran now and those left as they were."""
    rows = dict(kept) | {file.path: file.sha256 for file in ran}
    conn.execute("delete from deploy.file")
    with conn.cursor() as cursor:
        cursor.executemany(
            "insert into deploy.file (path, sha256) values (%s, %s)", sorted(rows.items())
        )
