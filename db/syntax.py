"""What the parser (pglast, PostgreSQL 17's grammar) says a file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import pglast
from pglast import ast, enums

from db.tree import DeployError, SourceFile, Tree

# pglast makes its node classes at run time: mypy cannot know their fields
Node: TypeAlias = Any
_LEADING_TRIVIA = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One parsed statement and the line it starts on."""

    node: Node
    line: int


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as PostgreSQL tells it from others: names, and the types of its inputs."""

    schema: str
    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class TriggerName:
    """A trigger: its table and its name, which is unique on that table."""

    schema: str
    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} on {self.schema}.{self.table}"


@lru_cache(maxsize=2048)
def _parse(text: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for raw in pglast.parse_sql(text):
        start = raw.stmt_location or 0
        gap = _LEADING_TRIVIA.match(text, start)
        start = gap.end() if gap is not None else start
        found.append(Statement(node=raw.stmt, line=text.count("\n", 0, start) + 1))
    return tuple(found)


def statements(file: SourceFile) -> tuple[Statement, ...]:
    """The statements of a file; raises DeployError naming file, line and error."""
    try:
        return _parse(file.text)
    except pglast.parser.ParseError as error:
        message, location = str(error.args[0]), error.args[1] if len(error.args) > 1 else None
        # pglast takes the parser's character position for a byte offset; undo its conversion
        position = len(file.text[: int(location or 0)].encode())
        raise DeployError(f"{file.label}:{file.line_of(position)}: {message}") from None


def dotted(names: Iterable[Node]) -> tuple[str, str]:
    """(schema, name) of a qualified name; the schema is '' when it was left out."""
    parts = [str(part.sval) for part in names]
    return (parts[-2] if len(parts) > 1 else "", parts[-1])


def option(node: Node, name: str) -> Node:
    """The value of a CREATE FUNCTION option, or None."""
    for element in node.options or ():
        if element.defname == name:
            return element.arg
    return None


def language(node: Node) -> str:
    """The language of a CREATE FUNCTION statement, lower case."""
    found = option(node, "language")
    return "sql" if found is None else str(found.sval).lower()


def inputs(node: Node) -> list[Node]:
    """The parameters that take part in a function's identity."""
    modes = enums.FunctionParameterMode
    outputs = (modes.FUNC_PARAM_OUT, modes.FUNC_PARAM_TABLE)
    return [p for p in node.parameters or () if p.mode not in outputs]


def _type_text(name: Node) -> str:
    quoted = ".".join('"' + str(part.sval).replace('"', '""') + '"' for part in name.names)
    return quoted + "[]" * (1 if name.arrayBounds else 0)


def returns_trigger(node: Node) -> bool:
    """True for a trigger function."""
    return node.returnType is not None and dotted(node.returnType.names)[1] == "trigger"


def signature(node: Node) -> Signature:
    """The identity of a CREATE FUNCTION statement; an unqualified name means public."""
    schema, name = dotted(node.funcname)
    return Signature(
        schema=schema or "public",
        name=name,
        arguments=tuple(_type_text(parameter.argType) for parameter in inputs(node)),
    )


def _nodes(file: SourceFile, kind: type[Node]) -> list[Node]:
    return [s.node for s in statements(file) if isinstance(s.node, kind)]


def functions_in(file: SourceFile) -> list[Signature]:
    """Every function a file creates."""
    return [signature(node) for node in _nodes(file, ast.CreateFunctionStmt)]


def triggers_in(file: SourceFile) -> list[TriggerName]:
    """Every trigger a file creates."""
    return [
        TriggerName(
            schema=str(node.relation.schemaname or "public"),
            table=str(node.relation.relname),
            name=str(node.trigname),
        )
        for node in _nodes(file, ast.CreateTrigStmt)
    ]


def concurrent_index(file: SourceFile) -> tuple[str, str] | None:
    """(schema, name) of the index a migration builds concurrently, or None."""
    for node in _nodes(file, ast.IndexStmt):
        if node.concurrent and node.idxname:
            return (str(node.relation.schemaname or "public"), str(node.idxname))
    return None


def our_schemas(tree: Tree) -> tuple[str, ...]:
    """The schemas this tree owns: its folders and what its migrations create, never public."""
    found = {file.schema for file in (*tree.functions, *tree.triggers)} | {"deploy"}
    for file in tree.migrations:
        found |= {str(n.schemaname) for n in _nodes(file, ast.CreateSchemaStmt) if n.schemaname}
        for node in _nodes(file, ast.DropStmt):
            if node.removeType == enums.ObjectType.OBJECT_SCHEMA:
                found -= {str(name.sval) for name in node.objects}
    return tuple(sorted(found - {"public"}))
