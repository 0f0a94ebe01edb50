"""A database built afresh from the files, beside the one in use, and always dropped again."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

from db.deploy import connect, deploy
from db.tree import DeployError


@dataclass(frozen=True, slots=True)
class Shadow:
    """Where the fresh database is, and the optional files it does without."""

    url: str
    skipped: tuple[str, ...]


@contextmanager
def shadow_database(url: str, *, root: Path) -> Iterator[Shadow]:
    """Build a database on the server of `url` from the files; it is dropped at the end.

    Encoding and locale are those of the database in `url`. Raises DeployError when the login
    may not create databases, or when the files do not deploy.
    """
    name = f"pgkb_shadow_{secrets.token_hex(6)}"
    try:
        _create(url, name)
        shadow_url = make_conninfo(url, dbname=name)
        try:
            report = deploy(shadow_url, notice=_unheard, root=root)
        except DeployError as error:
            raise DeployError(f"in a scratch database built from the files: {error}") from error
        yield Shadow(url=shadow_url, skipped=tuple(report.skipped))
    finally:
        # a fresh connection: an interrupt may have left the first one unusable
        with connect(url) as conn:
            conn.execute(
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )


def _unheard(_line: str) -> None:
    """The shadow's deploy repeats what the real one said."""


def _create(url: str, name: str) -> None:
    with connect(url) as conn:
        row = conn.execute(
            "select pg_catalog.pg_encoding_to_char(encoding), datcollate, datctype "
            "from pg_catalog.pg_database where datname = pg_catalog.current_database()"
        ).fetchone()
        encoding, collate, ctype = row if row is not None else ("UTF8", "C", "C")
        try:
            conn.execute(
                sql.SQL(
                    "create database {} template template0 encoding {} lc_collate {} lc_ctype {}"
                ).format(
                    sql.Identifier(name),
                    sql.Literal(encoding),
                    sql.Literal(collate),
                    sql.Literal(ctype),
                )
            )
        except errors.InsufficientPrivilege:
            raise DeployError(
                f'"{conn.info.user}" may not create the scratch database this needs; '
                f'a superuser must run: alter role "{conn.info.user}" createdb'
            ) from None
        except psycopg.Error as error:
            raise DeployError(
                f"the scratch database cannot be created: {' '.join(str(error).split())}"
            ) from None
