"""Everything we put into a database says what it is."""

import re

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


# ---- headers ---------------------------------------------------------------------------------


def _split(text: str) -> tuple[str, str]:
    """What a file says of its function, and the code of it without comments."""
    header, _, code = text.partition("create or replace ")
    code = re.sub(r"--[^\n]*", "", code.partition("\ncomment on function")[0])
    return header, code.partition("\n")[2]


def _files() -> dict[str, tuple[str, str]]:
    """Header and code of every function and trigger, by its name."""
    return {
        f"{file.path.split('/')[-2]}.{file.stem}": _split(file.text)
        for file in (*TREE.functions, *TREE.triggers)
    }


def _calls(code: str) -> set[str]:
    """Names with a schema that stand before a bracket."""
    return set(re.findall(r"\b[a-z]+\.\w+(?=\s*\()", code))


def _unquoted(code: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", code)


def _said(header: str, label: str) -> str:
    """The words after a label as "called by", also of the lines it goes on to."""
    said = re.search(rf"^-- {label} +(.*(?:\n-- {{12,}}.*)*)", header, re.MULTILINE)
    return re.sub(r"\s*\n--\s*", " ", said[1]) if said else ""


def test_the_headers_name_the_functions_that_call() -> None:
    files = _files()
    wrong = []
    # a hint may show a call, and dynamic SQL may be one
    shown = {name: _calls(code) for name, (_, code) in files.items()}
    certain = {name: _calls(_unquoted(code)) for name, (_, code) in files.items()}
    for name, (header, _) in files.items():
        maybe = {other for other, calls in shown.items() if name in calls} - {name}
        callers = {other for other in maybe if name in certain[other]}
        said = _said(header, "called by")
        named = {word for word in re.findall(r"\b[a-z]+\.[a-z_]+(?!\w|/)", said) if word in files}
        everybody = re.search(r"\b(every|functions that)\b", said)
        folders = set(re.findall(r"\b([a-z]+)\.\*", said))
        missing = {c for c in callers - named if not everybody and c.split(".")[0] not in folders}
        wrong += [f"{name} does not name {c}" for c in sorted(missing)]
        idle = named - maybe
        for path in re.findall(r"\b\w+(?:/\w+)+\.py", said):
            if name not in (ROOT.parent / path).read_text(encoding="utf-8"):
                idle.add(path)
        wrong += [f"{name} names {c}, which does not call it" for c in sorted(idle)]
    assert wrong == []


# these pass on no unusable setting: it is their answer, or the failure of one task
CATCH_IT = {"config.unusable_settings", "corpus.publish_tasks"}


def test_the_headers_of_all_that_read_settings_say_that_one_may_be_unusable() -> None:
    files = _files()
    calls = {name: _calls(_unquoted(code)) for name, (_, code) in files.items()}
    raising = {"config.check_value"}
    while more := {n for n in calls if calls[n] & raising} - raising - CATCH_IT:
        raising |= more

    def says_so(name: str) -> bool:
        """In its own words, or by naming a function that does."""
        said = _said(files[name][0], "raises")
        named = {
            other
            for word in re.findall(r"[a-z]+(?:_[a-z]+)*(?:\.\w+)?", said)
            for other in (word, f"public.{word}")
            if other in files and other != name
        }
        return "ST002" in said or any(says_so(other) for other in named)

    assert sorted(name for name in raising if not says_so(name)) == []
    # nor is it said of those that read none
    assert [n for n in files if n not in raising and "ST002" in _said(files[n][0], "raises")] == []
    assert len(raising) > 80
