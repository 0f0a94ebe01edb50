"""Which Python may hold SQL text, and which room may know which: the table of rooms, enforced."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pglast
import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("app", "ingest", "cli", "providers")
DRIVERS = {"asyncpg", "psycopg"}
# what a room may not import; `cli` composes all of them
STRANGERS = {
    "app": {"psycopg", "ingest", "db", "cli"},
    "ingest": {"asyncpg", "litestar", "app", "db", "cli"},
    "providers": {*DRIVERS, "app", "ingest", "db", "cli"},
    "cli": set[str](),
}

# what the drivers, and the composition of statements, take a statement's text by
TAKES_A_STATEMENT = {
    "execute", "executemany", "fetch", "fetchrow", "fetchval", "fetchmany", "prepare", "SQL",
}  # fmt: skip
# a sentence starts with one capital, a statement with none or all
FIRST_WORD = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:[a-z]+|[A-Z]+)[\s;*(]", re.DOTALL)
PLACEHOLDER = re.compile(r"%\(\w+\)[sbt]|%[sbt]|\{\w*\}")
# also the first part of a statement that is put together
OPENING = re.compile(
    r"[\s(]*(?:select[\s*(]"
    r"|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s*(?:(?:not\s+)?materialized\s*)?\("
    r"|(?:insert|merge)\s+into\s|delete\s+from\s|update\s+\S+\s+(?:as\s+\w+\s+)?set\s"
    r"|(?:create|alter|drop)\s+(?:or\s+replace\s+)?(?:unique\s+|temp\s+|temporary\s+)?"
    r"(?:table|index|view|function|procedure|schema|role|user|database|type|trigger|extension"
    r"|sequence|system|materialized)\s"
    r"|truncate\s+table\s|copy\s+\S+\s+(?:from|to|\()|set\s+(?:local|session|role)\s)"
)


def _sql_in(source: str) -> list[tuple[int, str]]:
    """Lines of a Python source that hold SQL text, and the text's beginning."""
    tree = ast.parse(source)
    said = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    sent = {
        id(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in TAKES_A_STATEMENT
        and node.args
    }
    return sorted(
        (node.lineno, " ".join(text.split())[:60])
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and id(node) not in said
        if (text := _text_of(node)) is not None
        if id(node) in sent or _is_sql(text)
    )


def _text_of(node: ast.AST) -> str | None:
    """A string constant or f-string; what is only known at run time is a name."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part) or "x" for part in node.values)
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bytes):
        return node.value.decode(errors="replace")
    return node.value if isinstance(node.value, str) else None


def _is_sql(text: str) -> bool:
    if FIRST_WORD.match(text) is None:
        return False
    if OPENING.match(text.lower()) is not None:
        return True
    try:
        return bool(pglast.parse_sql(PLACEHOLDER.sub("x", text)))
    except pglast.parser.ParseError:
        return False


def _sources(room: str) -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / room).rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_sql_text_stands_only_in_calls(room: str) -> None:
    found = [
        f"{path}:{line}: {text!r} is SQL text, which belongs to a calls.py"
        for path, source in _sources(room)
        if not path.endswith("/calls.py")
        for line, text in _sql_in(source)
    ]
    assert found == []


@pytest.mark.parametrize("room", ["app", "ingest"])
def test_sql_text_is_recognised_in_every_calls(room: str) -> None:
    """What the rule above looks for is what these files hold."""
    blind = [
        path
        for path, source in _sources(room)
        if path.endswith("/calls.py") and not _sql_in(source)
    ]
    assert blind == []


@pytest.mark.parametrize(
    "source",
    [
        'db.execute("select 1")',
        'await db.fetchval("""\n    SELECT count(*)\n    from t\n""")',
        'db.execute(b"select 1")',
        'QUERY = "SELECT*from t where " + condition',
        'QUERY = "rollback;"',
        'db.execute("commit")',
        'db.execute("listen " + channel)\nSQL = "listen queue"',
        'QUERY = "select chunk_id from search_kb($1, $2)"',
        'QUERY = f"select {columns} from {table} where {column} = %(value)s"',
        'QUERY = "select document_id, " + columns',
        'QUERY = "with ready as (select 1) " + rest',
        'QUERY = "-- why\\nupdate queue.task set attempts = %s"',
        'QUERY = "delete from t where a = {}"',
        'QUERY = "insert into t (a) values (%(a)s)"',
        'QUERY = "(select 1) union all (select 2)"',
        'set_up("set local lock_timeout = 100")',
        'QUERY = "call queue.tidy()"',
        'QUERY = "vacuum (analyze) t"',
        'sql.SQL("order by {}")',
        'class A:\n    """Says what it is."""\n    query = "table t"',
    ],
)
def test_sql_text_elsewhere_is_told(source: str) -> None:
    assert _sql_in(source) != []


@pytest.mark.parametrize(
    "source",
    [
        '"""select 1"""',
        'def f() -> None:\n    """select 1"""',
        "db.execute(statement)",
        'fail("Set PGKB_HOME to a directory you own.")',
        'fail("Select one of these.", "Table Grid", "Call it off")',
        'fail("with commas between", "update the settings", "start", "commit", "end")',
        'query.startswith("BEGIN")',
        'fail(f"create {name} first")',
    ],
)
def test_a_sentence_is_no_sql(source: str) -> None:
    assert _sql_in(source) == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_no_stranger(room: str) -> None:
    found = [
        f"{path}: imports {name}, which {room} may not know"
        for path, source in _sources(room)
        for name in sorted(_imported(source) & STRANGERS[room])
    ]
    assert found == []


def _imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module.partition(".")[0])
    return names
