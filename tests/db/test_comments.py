"""Everything we put into a database says what it is."""

import psycopg

from db.syntax import functions_in, our_schemas
from db.tree import ROOT, read_tree

TREE = read_tree(ROOT)
SCHEMAS = list(our_schemas(TREE))
# what is ours in public: everything that no extension brought
_OURS = """
    (n.nspname = any(%(schemas)s) or n.nspname = 'public')
    and not exists (
        select from pg_depend as e
        where e.classid = {catalog}::regclass and e.objid = {oid} and e.deptype = 'e'
    )
"""


def _without_comment(db: psycopg.Connection, query: str, *, catalog: str, oid: str) -> list[str]:
    condition = _OURS.format(catalog=f"'{catalog}'", oid=oid)
    rows = db.execute(query.format(ours=condition).encode(), {"schemas": SCHEMAS}).fetchall()
    return [str(row[0]) for row in rows]


def test_every_schema_has_a_comment(db: psycopg.Connection) -> None:
    rows = db.execute(
        "select nspname from pg_namespace "
        "where nspname = any(%s) and obj_description(oid, 'pg_namespace') is null",
        [SCHEMAS],
    ).fetchall()
    assert rows == []


def test_every_table_view_and_composite_type_has_a_comment(db: psycopg.Connection) -> None:
    query = """
        select c.oid::regclass::text from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace
        where {ours} and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
            and obj_description(c.oid, 'pg_class') is null
        union all
        select t.oid::regtype::text from pg_type as t
        join pg_class as c on c.oid = t.typrelid
        join pg_namespace as n on n.oid = t.typnamespace
        where {ours} and c.relkind = 'c' and obj_description(t.oid, 'pg_type') is null
    """
    assert _without_comment(db, query, catalog="pg_class", oid="c.oid") == []


def test_every_other_type_has_a_comment(db: psycopg.Connection) -> None:
    query = """
        select t.oid::regtype::text from pg_type as t
        join pg_namespace as n on n.oid = t.typnamespace
        where {ours} and t.typtype in ('d', 'e', 'r') and obj_description(t.oid, 'pg_type') is null
    """
    assert _without_comment(db, query, catalog="pg_type", oid="t.oid") == []


def test_every_column_has_a_comment(db: psycopg.Connection) -> None:
    query = """
        select c.oid::regclass || '.' || a.attname from pg_attribute as a
        join pg_class as c on c.oid = a.attrelid
        join pg_namespace as n on n.oid = c.relnamespace
        where {ours} and c.relkind in ('r', 'p', 'v', 'm', 'c') and not c.relispartition
            and a.attnum > 0 and not a.attisdropped
            and col_description(c.oid, a.attnum) is null
        order by 1
    """
    assert _without_comment(db, query, catalog="pg_class", oid="c.oid") == []


def test_every_function_has_a_comment(db: psycopg.Connection) -> None:
    query = """
        select p.oid::regprocedure::text from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where {ours} and obj_description(p.oid, 'pg_proc') is null
        order by 1
    """
    assert _without_comment(db, query, catalog="pg_proc", oid="p.oid") == []


def test_the_comment_of_a_function_is_its_files_second_line(db: psycopg.Connection) -> None:
    from db.rooms import summary_of

    comments: dict[tuple[str, str], str] = {
        (schema, name): comment
        for schema, name, comment in db.execute(
            "select n.nspname::text, p.proname::text, obj_description(p.oid, 'pg_proc') "
            "from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace "
            "where n.nspname = any(%s)",
            [[*SCHEMAS, "public"]],
        )
    }
    checked = 0
    for file in (*TREE.functions, *TREE.triggers):
        for function in functions_in(file):
            key = (function.schema, function.name)
            if file.requires_plpython and key not in comments:
                continue
            assert comments[key] == summary_of(file), file.label
            checked += 1
    assert checked >= len(TREE.functions) + len(TREE.triggers) - 1
