"""What the live database holds, compared with what the files say it should hold."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from db.preflight import Connection
from db.syntax import Signature, TriggerName, functions_in, our_schemas, triggers_in
from db.tree import SourceFile, Tree


@dataclass(frozen=True, slots=True)
class LiveFunction:
    """A function in the database; `types` are the type oids of its inputs."""

    oid: int
    schema: str
    name: str
    types: tuple[int, ...]
    shown: str
    kind: str
    triggers: tuple[str, ...]


def _schemas_looked_at(tree: Tree) -> list[str]:
    return [*our_schemas(tree), "public"]


def live_functions(conn: Connection, tree: Tree) -> list[LiveFunction]:
    """Functions in our schemas and in public, without those of extensions and aggregates."""
    rows = conn.execute(
        """
        select p.oid::bigint, n.nspname::text, p.proname::text, p.proargtypes::text,
            format('%%I.%%I(%%s)', n.nspname, p.proname,
                   pg_catalog.pg_get_function_identity_arguments(p.oid)),
            p.prokind::text,
            array(
                select format('drop trigger %%I on %%s', t.tgname, t.tgrelid::regclass)
                from pg_catalog.pg_trigger as t
                where t.tgfoid = p.oid and t.tgparentid = 0 and not t.tgisinternal
                order by t.tgrelid::regclass::text, t.tgname
            )
        from pg_catalog.pg_proc as p
        join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = any(%s) and p.prokind <> 'a'
            and not exists (
                select from pg_catalog.pg_depend as d
                where d.classid = 'pg_catalog.pg_proc'::regclass
                    and d.objid = p.oid and d.deptype = 'e'
            )
        order by 2, 3, 5
        """,
        [_schemas_looked_at(tree)],
    ).fetchall()
    return [
        LiveFunction(
            oid=oid,
            schema=schema,
            name=name,
            types=tuple(int(part) for part in types.split()),
            shown=shown,
            kind="procedure" if kind == "p" else "function",
            triggers=tuple(triggers),
        )
        for oid, schema, name, types, shown, kind, triggers in rows
    ]


def type_oids(conn: Connection, names: set[str]) -> dict[str, int | None]:
    """The oid of each type name as the deploy's search_path sees it; None when unknown."""
    rows = conn.execute(
        "select name, pg_catalog.to_regtype(name)::oid::bigint from unnest(%s::text[]) as name",
        [sorted(names)],
    ).fetchall()
    return dict(rows)


def _identities(
    conn: Connection, signatures: list[Signature]
) -> dict[Signature, tuple[str, str, tuple[int | None, ...]]]:
    oids = type_oids(conn, {name for s in signatures for name in s.arguments})
    return {s: (s.schema, s.name, tuple(oids[name] for name in s.arguments)) for s in signatures}


def _files_with_functions(tree: Tree) -> list[SourceFile]:
    return [*tree.functions, *tree.triggers]


def find_functions(conn: Connection, tree: Tree) -> dict[str, LiveFunction]:
    """The live function of each file that has one, by the file's path."""
    by_identity = {(f.schema, f.name, f.types): f for f in live_functions(conn, tree)}
    owned = [(file, s) for file in _files_with_functions(tree) for s in functions_in(file)]
    identities = _identities(conn, [s for _, s in owned])
    found: dict[str, LiveFunction] = {}
    for file, one in owned:
        schema, name, types = identities[one]
        known = tuple(t for t in types if t is not None)
        live = by_identity.get((schema, name, known)) if len(known) == len(types) else None
        if live is not None:
            found[file.path] = live
    return found


def missing_files(conn: Connection, tree: Tree) -> list[SourceFile]:
    """Files whose function or trigger is not in the database."""
    found = find_functions(conn, tree)
    triggers = live_triggers(conn, tree).keys()
    return [
        file
        for file in _files_with_functions(tree)
        if file.path not in found or not set(triggers_in(file)) <= triggers
    ]


def live_triggers(conn: Connection, tree: Tree) -> dict[TriggerName, int]:
    """Triggers on tables of our schemas, each with the oid of its function.

    Those of partitions are left out: they are cloned from their parent's trigger, or made at run
    time together with the partition.
    """
    rows = conn.execute(
        """
        select n.nspname::text, c.relname::text, t.tgname::text, t.tgfoid::bigint
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = any(%s) and not c.relispartition and not t.tgisinternal
        order by 1, 2, 3
        """,
        [list(our_schemas(tree))],
    ).fetchall()
    return {TriggerName(schema, table, name): function for schema, table, name, function in rows}


def ghosts(conn: Connection, tree: Tree) -> list[str]:
    """One line per function or trigger of ours that no file makes, with the drop to write."""
    in_migrations = [s for file in tree.migrations for s in functions_in(file)]
    in_files = [s for file in _files_with_functions(tree) for s in functions_in(file)]
    expected = set(_identities(conn, [*in_files, *in_migrations]).values())
    ours_in_public = {s.name for s in in_files if s.schema == "public"}
    lines: list[str] = []
    dropped: set[int] = set()
    for live in live_functions(conn, tree):
        if live.schema == "public" and live.name not in ours_in_public:
            continue
        if (live.schema, live.name, live.types) in expected:
            continue
        drops = "; ".join((*live.triggers, f"drop {live.kind} {live.shown}"))
        lines.append(f"ghost: {live.kind} {live.shown} has no file; put in a migration: {drops};")
        dropped.add(live.oid)
    named = {t for file in (*tree.triggers, *tree.migrations) for t in triggers_in(file)}
    for trigger, function in live_triggers(conn, tree).items():
        if trigger in named or function in dropped:
            continue
        drop = sql.SQL("drop trigger {} on {}").format(
            sql.Identifier(trigger.name), sql.Identifier(trigger.schema, trigger.table)
        )
        lines.append(
            f"ghost: trigger {trigger} has no file; put in a migration: {drop.as_string(conn)};"
        )
    return lines


def invalid_indexes(conn: Connection, tree: Tree) -> list[tuple[str, str]]:
    """(schema, name) of indexes that a broken concurrent build left unusable."""
    rows = conn.execute(
        """
        select n.nspname::text, c.relname::text
        from pg_catalog.pg_index as i
        join pg_catalog.pg_class as c on c.oid = i.indexrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = any(%s) and not i.indisvalid
        order by 1, 2
        """,
        [list(our_schemas(tree))],
    ).fetchall()
    return [(schema, name) for schema, name in rows]
