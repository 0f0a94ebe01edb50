"""How a live database differs from its files: migra's draft, and what migra cannot see."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg

from db import dump
from db.deploy import connect
from db.preflight import Notice
from db.shadow import shadow_database
from db.snapshot import optional_functions
from db.syntax import our_schemas
from db.tree import DeployError, Tree, read_tree

if TYPE_CHECKING:
    from sqlalchemy import Engine

Name = tuple[str, str]
# migra's view of a database, and of one object; it has no types
Inspected: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is compared: our schemas whole, some names in public, without some objects."""

    schemas: frozenset[str]
    public_names: frozenset[str]
    without: frozenset[Name]

    def holds(self, schema: str, *names: str) -> bool:
        """True when an object (or one of the objects it hangs on) is to be compared."""
        if any((schema, name) in self.without for name in names):
            return False
        return schema in self.schemas or (
            schema == "public" and any(name in self.public_names for name in names)
        )


def difference(url: str, *, root: Path, notice: Notice, build_url: str | None = None) -> str:
    """Draft SQL that makes the database what the files say; '' when it already is.

    The files are built in a scratch database on the server of `build_url`, else of `url`.
    `notice` hears what was left out of the comparison. Raises DeployError when the comparison
    cannot be made.
    """
    _require_migra()
    tree = read_tree(root)
    with shadow_database(build_url or url, root=root) as shadow:
        schemas = our_schemas(tree)
        fresh = dump.ours(
            dump.dump_schemas(shadow.url, schemas), schemas=schemas, public_names=None
        )
        left_out = _left_out(url, tree, shadow.skipped)
        scope = _Scope(
            schemas=frozenset(schemas),
            public_names=frozenset(block.about[1] for block in fresh if block.schema == "public"),
            without=frozenset(
                _run_time_partitions(url, schemas) - _run_time_partitions(shadow.url, schemas)
            )
            | frozenset(left_out),
        )
        for schema, name in sorted(left_out):
            notice(f"not compared: {schema}.{name}, which only a superuser can deploy")
        parts = [_draft(url, shadow.url, scope), _unseen(url, fresh, scope)]
    return "\n".join(part for part in parts if part)


def _left_out(url: str, tree: Tree, skipped: Collection[str]) -> set[Name]:
    """Optional functions, unless the scratch database has them and this login may see bodies."""
    with connect(url) as conn:
        row = conn.execute(
            "select rolsuper from pg_catalog.pg_roles where rolname = current_user"
        ).fetchone()
    sees_all = row is not None and bool(row[0])
    return set() if sees_all and not skipped else optional_functions(tree)


def _require_migra() -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import migra  # noqa: F401
    except ImportError as error:
        raise DeployError(
            f"diff needs migra, which is not installed here ({error}); "
            "run: pip install 'pgkb[diff]'"
        ) from None


def _run_time_partitions(url: str, schemas: Collection[str]) -> set[Name]:
    """Partitions in our schemas, with what hangs on them: functions make these at run time."""
    with connect(url) as conn:
        rows = conn.execute(
            """
            select n.nspname::text, c.relname::text
            from pg_catalog.pg_class as c
            join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
            where n.nspname = any(%s)
                and (
                    c.relispartition
                    or exists (
                        select from pg_catalog.pg_index as i
                        join pg_catalog.pg_class as t on t.oid = i.indrelid
                        where i.indexrelid = c.oid and t.relispartition
                    )
                )
            """,
            [list(schemas)],
        ).fetchall()
    return {(schema, name) for schema, name in rows}


def _draft(url: str, shadow_url: str, scope: _Scope) -> str:
    """What migra would run on the database to make it like the fresh one."""
    with warnings.catch_warnings():
        # migra's last release predates today's setuptools and SQLAlchemy; they warn about it
        warnings.simplefilter("ignore")
        from migra import Migration

        try:
            with _engine(url).connect() as live, _engine(shadow_url).connect() as fresh:
                migration = Migration(live, fresh)
            _restrict(migration.changes.i_from, scope)
            _restrict(migration.changes.i_target, scope)
            # a draft is read before it runs: it may drop things
            migration.set_safety(False)
            migration.add_all_changes()
            return str(migration.sql).strip() + "\n" if migration.statements else ""
        except Exception as error:
            raise DeployError(
                f"migra cannot compare these databases: {type(error).__name__}: "
                f"{' '.join(str(error).split())}"
            ) from error


def _engine(url: str) -> Engine:
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    # a creator, because a connection string may hold what a SQLAlchemy URL cannot
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(url, application_name="pgkb diff"),
        poolclass=NullPool,
    )


def _restrict(inspector: Inspected, scope: _Scope) -> None:
    """Leave in migra's view of a database only what is ours."""
    for attribute, objects in list(vars(inspector).items()):
        if not isinstance(objects, dict):
            continue
        kept = type(objects)(
            (key, found) for key, found in objects.items() if _is_ours(found, scope)
        )
        setattr(inspector, attribute, {} if attribute == "extensions" else kept)


def _is_ours(found: Inspected, scope: _Scope) -> bool:
    schema = getattr(found, "schema", None)
    if schema is None:
        return False
    names = [getattr(found, attribute, None) for attribute in ("name", "table_name")]
    known = [str(name) for name in names if name]
    if not known:
        # a schema itself
        return schema in scope.schemas
    return scope.holds(str(schema), *known)


def _unseen(url: str, fresh: list[dump.Block], scope: _Scope) -> str:
    """A unified diff of both dumps, as SQL comments."""

    def lines(blocks: list[dump.Block]) -> list[str]:
        kept = [b for b in blocks if scope.holds(_schema_of(b), *_names_of(b))]
        return dump.as_text(kept).splitlines()

    live = dump.dump_schemas(url, scope.schemas)
    found = list(
        difflib.unified_diff(
            lines(live), lines(fresh), "this database", "what the files make", lineterm=""
        )
    )
    if not found:
        return ""
    title = "-- As pg_dump shows it, with what migra cannot see (comments, grants, options):\n"
    return title + "".join(f"-- {line}".rstrip() + "\n" for line in found)


def _schema_of(block: dump.Block) -> str:
    kind, name = block.about
    return name if kind == "SCHEMA" else block.schema


def _names_of(block: dump.Block) -> list[str]:
    """Bare names a block speaks of: "chunk chunk_pkey" is both table and constraint."""
    return [block.about[1], *block.name.replace('"', "").split(" ")[:2]]
