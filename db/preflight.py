"""What a server must offer before anything is deployed, and the roles the deploy needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors, sql

from db.tree import DeployError

OLDEST_SERVER = 15
OLDEST_VECTOR = (0, 8, 0)
SOUND_VECTOR = (0, 8, 4)
OWNER = "pgkb_owner"
ROLES = (OWNER, "pgkb_reader", "pgkb_app", "pgkb_ingest", "pgkb_admin")

Notice = Callable[[str], None]
Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Who is deploying, and whether a role, extension or privilege had to be created."""

    user: str
    superuser: bool
    changed: bool


def one_line(error: BaseException) -> str:
    """A driver's error as one line: the message, and the hint when there is one."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        hint = error.diag.message_hint
        text = error.diag.message_primary + (f" ({hint})" if hint else "")
    else:
        text = str(error)
    return " ".join(text.split())


def version_parts(version: str) -> tuple[int, ...]:
    """'0.8.10' as (0, 8, 10), so that versions compare as people count."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def server_refusal(version_number: int) -> str | None:
    """The reason a PostgreSQL is refused (its server_version_num), or None."""
    if version_number // 10000 >= OLDEST_SERVER:
        return None
    return (
        f"PostgreSQL {version_number // 10000} is too old: pgkb needs {OLDEST_SERVER} or newer; "
        "upgrade the server or point PGKB_DATABASE_URL at another one"
    )


def vector_refusal(version: str) -> str | None:
    """The reason a pgvector version is refused, or None."""
    if version_parts(version) >= OLDEST_VECTOR:
        return None
    return (
        f"pgvector {version} is too old: iterative index scans need 0.8.0 or newer; install a "
        "newer pgvector on the server, then run: alter extension vector update"
    )


def vector_warning(version: str) -> str | None:
    """What to know about a pgvector that works but has a fault, or None."""
    if version_parts(version) >= SOUND_VECTOR:
        return None
    return (
        f"pgvector {version} works, but repairs of HNSW indexes after deletes are wrong before "
        "0.8.4; update it when you can"
    )


def prepare(conn: Connection, *, notice: Notice) -> Prepared:
    """Check the server and create what is missing; raises DeployError with what to run."""
    refusal = server_refusal(conn.info.server_version)
    if refusal:
        raise DeployError(refusal)
    user, superuser, may_create_roles = _one(
        conn,
        "select rolname::text, rolsuper, rolcreaterole from pg_catalog.pg_roles "
        "where rolname = current_user",
    )
    changed = _ensure_vector(conn, user=user, notice=notice)
    changed |= _ensure_roles(conn, user=user, may_create=superuser or may_create_roles)
    if not superuser:
        changed |= _ensure_membership(conn, user=user)
    changed |= _ensure_room(conn)
    return Prepared(user=user, superuser=superuser, changed=changed)


def vector_state(conn: Connection) -> tuple[str, str] | None:
    """(version, schema) of the installed vector extension, or None."""
    row = conn.execute(
        "select e.extversion, n.nspname::text from pg_catalog.pg_extension as e "
        "join pg_catalog.pg_namespace as n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    return None if row is None else (row[0], row[1])


def _ensure_vector(conn: Connection, *, user: str, notice: Notice) -> bool:
    state = vector_state(conn)
    changed = False
    if state is None:
        row = conn.execute(
            "select default_version from pg_catalog.pg_available_extensions where name = 'vector'"
        ).fetchone()
        if row is None:
            raise DeployError(
                "this server has no pgvector: install the pgvector package for PostgreSQL "
                f"{conn.info.server_version // 10000} (0.8.0 or newer) and run this again"
            )
        refusal = vector_refusal(row[0])
        if refusal:
            raise DeployError(refusal)
        try:
            with conn.transaction():
                conn.execute("create extension vector with schema public")
        except errors.InsufficientPrivilege:
            raise DeployError(
                f'the extension vector is missing and "{user}" may not create it; a superuser '
                "must run in this database: create extension vector with schema public"
            ) from None
        except psycopg.Error as error:
            raise DeployError(f"pgvector cannot be loaded: {one_line(error)}") from None
        state, changed = vector_state(conn), True
    if state is None:
        raise DeployError("the extension vector vanished while it was created; run this again")
    version, schema = state
    refusal = vector_refusal(version)
    if refusal:
        raise DeployError(refusal)
    if schema != "public":
        raise DeployError(
            f'the extension vector lives in schema "{schema}" but pgkb names its types in public; '
            "run: alter extension vector set schema public"
        )
    warning = vector_warning(version)
    if warning:
        notice(f"warning: {warning}")
    return changed


def _ensure_roles(conn: Connection, *, user: str, may_create: bool) -> bool:
    there = {
        row[0]
        for row in conn.execute(
            "select rolname::text from pg_catalog.pg_roles where rolname = any(%s)", [list(ROLES)]
        )
    }
    missing = [role for role in ROLES if role not in there]
    if not missing:
        return False
    if not may_create:
        wanted = "; ".join(f"create role {role} nologin" for role in missing)
        raise DeployError(
            f'roles are missing and "{user}" may not create them; a superuser must run: {wanted}; '
            f'grant {OWNER} to "{user}"'
        )
    for role in missing:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("create role {} nologin").format(sql.Identifier(role)))
        except (errors.DuplicateObject, errors.UniqueViolation):
            # roles belong to the whole server: a deploy of another database was faster
            continue
    return True


def _ensure_membership(conn: Connection, *, user: str) -> bool:
    mode = "SET" if conn.info.server_version >= 160000 else "MEMBER"
    question = "select pg_catalog.pg_has_role(current_user, %s, %s)"
    if _one(conn, question, [OWNER, mode])[0]:
        return False
    try:
        with conn.transaction():
            conn.execute(
                sql.SQL("grant {} to {}").format(sql.Identifier(OWNER), sql.Identifier(user))
            )
    except psycopg.Error:
        raise DeployError(
            f'"{user}" may not act as {OWNER}, which owns every object of pgkb; '
            f'a superuser must run: grant {OWNER} to "{user}"'
        ) from None
    return True


def _ensure_room(conn: Connection) -> bool:
    """The owner role needs to create schemas in the database and objects in public."""
    database = _one(conn, "select pg_catalog.current_database()::text")[0]
    wanted = (
        (
            "select pg_catalog.has_database_privilege(%s, pg_catalog.current_database(), 'create')",
            sql.SQL("grant create on database {} to {}").format(
                sql.Identifier(database), sql.Identifier(OWNER)
            ),
        ),
        (
            "select pg_catalog.has_schema_privilege(%s, 'public', 'create') "
            "and pg_catalog.has_schema_privilege(%s, 'public', 'usage')",
            sql.SQL("grant usage, create on schema public to {}").format(sql.Identifier(OWNER)),
        ),
    )
    changed = False
    for question, remedy in wanted:
        values = [OWNER] * question.count("%s")
        if _one(conn, question, values)[0]:
            continue
        try:
            with conn.transaction():
                conn.execute(remedy)
        except errors.InsufficientPrivilege:
            pass
        # without any right to grant, PostgreSQL may only warn: ask again
        if not _one(conn, question, values)[0]:
            raise DeployError(
                f"{OWNER} may not create objects here; the database's owner or a superuser must "
                f"run: {remedy.as_string(conn)}"
            )
        changed = True
    return changed


def plpython_refusal(conn: Connection, *, superuser: bool) -> str | None:
    """Create plpython3u when that is possible; otherwise the reason it is left out."""
    if not superuser:
        return "plpython3u needs a superuser"
    try:
        with conn.transaction():
            conn.execute("create extension if not exists plpython3u")
            # the extension may be there while the server's libpython is not
            conn.execute("do language plpython3u 'pass'")
    except psycopg.Error as error:
        return f"this server cannot load plpython3u: {one_line(error)}"
    return None


def _one(conn: Connection, query: str, values: list[str] | None = None) -> tuple[Any, ...]:
    row = conn.execute(query.encode(), values).fetchone()
    if row is None:
        raise DeployError("the server answered nothing to a question about itself; run this again")
    return row
