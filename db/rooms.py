"""Which statement may live in which folder, checked with PostgreSQL's own parser.

`statement_problems` holds the rules a deploy relies on: it refuses files that break them.
`header_problems` holds the rules people rely on: `python -m db check` reports those as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pglast import ast, enums

from db import syntax
from db.syntax import Node, Statement
from db.tree import MIGRATION_NAME, DeployError, SourceFile, Tree, read_tree

_SET_TO_ONE_VALUE = enums.VariableSetKind.VAR_SET_VALUE
_ROW_SECURITY = {
    enums.AlterTableType.AT_EnableRowSecurity,
    enums.AlterTableType.AT_DisableRowSecurity,
    enums.AlterTableType.AT_ForceRowSecurity,
    enums.AlterTableType.AT_NoForceRowSecurity,
}
_GRANTS = (ast.GrantStmt, ast.AlterDefaultPrivilegesStmt, ast.SecLabelStmt, ast.AlterOwnerStmt)
_NEVER_IN_A_MIGRATION = (
    ast.GrantStmt,
    ast.AlterDefaultPrivilegesStmt,
    ast.GrantRoleStmt,
    ast.CreateRoleStmt,
    ast.AlterRoleStmt,
    ast.TransactionStmt,
)
_MIGRATION_NOTES = ("why", "lock", "undo")


def check_rooms(root: Path) -> list[str]:
    """Every broken rule of the tree, one line each; empty when all is well."""
    tree = read_tree(root)
    statement_lines = statement_problems(tree)
    return statement_lines + header_problems(tree)


def statement_problems(tree: Tree) -> list[str]:
    """Rules a deploy relies on: parses, right room, right name, safe to run again."""
    lines = list(_misplaced_files(tree))
    lines += _numbering(tree)
    for files, rule in (
        (tree.migrations, _migration_statements),
        (tree.functions, _function_statements),
        (tree.triggers, _trigger_statements),
        (() if tree.grants is None else (tree.grants,), _grant_statements),
    ):
        for file in files:
            try:
                lines += [f"{file.label}:{line}: {text}" for line, text in rule(file)]
            except DeployError as error:
                lines.append(str(error))
    return lines


def header_problems(tree: Tree) -> list[str]:
    """Rules people rely on: what a file's first lines say, its comment, its pinned path."""
    lines: list[str] = []
    for files, rule in (
        (tree.migrations, _migration_header),
        (tree.functions, _function_header),
        (tree.triggers, _function_header),
    ):
        for file in files:
            try:
                lines += [f"{file.label}:{line}: {text}" for line, text in rule(file)]
            except DeployError:
                # a file that does not parse is already reported by statement_problems
                continue
    return lines


Found = Iterator[tuple[int, str]]


def _misplaced_files(tree: Tree) -> list[str]:
    known = {file.path for file in (*tree.migrations, *tree.repeatable)}
    lines: list[str] = []
    for folder, shape in (
        ("migrations", "NNNN_name.sql"),
        ("functions", "<schema>/<function>.sql"),
        ("triggers", "<schema>/<table>__<effect>.sql"),
    ):
        for path in sorted((tree.root / folder).rglob("*")):
            relative = path.relative_to(tree.root).as_posix()
            hidden = path.name.startswith(".") or path.name == "frozen.txt"
            if path.is_file() and not hidden and relative not in known:
                lines.append(
                    f"{tree.root.name}/{relative}: no deploy reads this; "
                    f"files here are named {folder}/{shape}"
                )
    return lines


def _numbering(tree: Tree) -> list[str]:
    for expected, file in enumerate(tree.migrations, start=1):
        named = MIGRATION_NAME.match(file.stem)
        if named is None:
            return [
                f"{file.label}: a migration is named NNNN_what_it_does.sql in lower case; rename it"
            ]
        if int(named[1]) != expected:
            return [
                f"{file.label}: number {expected:04d} is expected here; "
                "migrations are numbered from 0001 without gap or repeat"
            ]
    return []


def _right_room(node: Node, file: SourceFile) -> str:
    """Where a statement belongs that is not allowed where it was found."""
    root = file.label.split("/", 1)[0]
    if isinstance(node, ast.CreateFunctionStmt):
        schema, name = syntax.dotted(node.funcname)
        if syntax.returns_trigger(node):
            return f"a trigger function belongs to {root}/triggers/<schema>/<table>__<effect>.sql"
        return f"a function belongs to {root}/functions/{schema or 'public'}/{name}.sql"
    if isinstance(node, ast.CreateTrigStmt):
        table = f"{node.relation.schemaname or 'public'}/{node.relation.relname}"
        return f"a trigger belongs to {root}/triggers/{table}__<effect>.sql"
    if isinstance(node, (*_GRANTS, ast.CreatePolicyStmt)) or _is_row_security(node):
        return f"who may do what belongs to {root}/grants.sql"
    if isinstance(node, (ast.GrantRoleStmt, ast.CreateRoleStmt, ast.AlterRoleStmt)):
        return f"roles belong to the whole server and are made by {root}/preflight.py"
    if isinstance(node, ast.TransactionStmt):
        return "a deploy is one transaction; a file may not begin, commit or roll back"
    return f"{_name_of(node)} belongs to {root}/migrations/NNNN_name.sql"


def _name_of(node: Node) -> str:
    words = re.findall(r"[A-Z][a-z]+", type(node).__name__.removesuffix("Stmt"))
    return "this " + (" ".join(words).lower() or "statement") + " statement"


def _is_row_security(node: Node) -> bool:
    return isinstance(node, ast.AlterTableStmt) and all(
        command.subtype in _ROW_SECURITY for command in node.cmds or ()
    )


def _migration_statements(file: SourceFile) -> Found:
    found = syntax.statements(file)
    if all(isinstance(statement.node, ast.VariableSetStmt) for statement in found):
        yield 1, "no statement; a migration does something"
    if file.outside_transaction:
        yield from _outside_statements(found)
    for statement in found:
        node = statement.node
        if isinstance(node, (ast.CreateFunctionStmt, ast.CreateTrigStmt)):
            if not file.defines_functions:
                yield (
                    statement.line,
                    _right_room(node, file) + "; only what a table definition needs may stay, "
                    'under a header line "-- definition needs <what>"',
                )
        elif isinstance(node, _NEVER_IN_A_MIGRATION):
            yield statement.line, _right_room(node, file)
        elif getattr(node, "concurrent", False) and not file.outside_transaction:
            yield (
                statement.line,
                "concurrently cannot run inside a transaction; put the statement alone in a "
                'migration with the header line "-- transaction: none"',
            )


def _outside_statements(found: tuple[Statement, ...]) -> Found:
    for statement in found[1:]:
        yield statement.line, "a migration outside a transaction holds exactly one statement"
    for statement in found[:1]:
        node = statement.node
        repeatable = bool(getattr(node, "idxname", None)) and node.if_not_exists
        if isinstance(node, ast.IndexStmt) and node.concurrent and not repeatable:
            yield (
                statement.line,
                "write create index concurrently if not exists <name>: a run that died after "
                "the build and before its ledger row is repeated",
            )


def _function_statements(file: SourceFile) -> Found:
    made = 0
    for statement in syntax.statements(file):
        node = statement.node
        if isinstance(node, ast.CreateFunctionStmt) and not syntax.returns_trigger(node):
            made += 1
            yield from _repeatable_function(statement, file, wanted=(file.schema, file.stem))
        elif isinstance(node, ast.CommentStmt):
            continue
        elif isinstance(node, ast.GrantStmt | ast.AlterOwnerStmt) and file.requires_plpython:
            # made by a superuser after grants.sql, so it carries its own grants
            continue
        else:
            yield statement.line, _right_room(node, file)
    if made != 1:
        yield (
            1,
            f"holds {made} functions; it holds exactly one: {file.schema}.{file.stem}",
        )


def _repeatable_function(
    statement: Statement, file: SourceFile, *, wanted: tuple[str, str]
) -> Found:
    node, line = statement.node, statement.line
    schema, name = syntax.dotted(node.funcname)
    if (schema, name) != wanted:
        yield line, f"defines {schema or '?'}.{name}; the path says {'.'.join(wanted)}"
    if not node.replace:
        yield line, "write create or replace: this file runs at every deploy"
    if node.sql_body is not None:
        yield line, "write the body as a string: begin atomic and return need files in an order"
    for parameter in syntax.inputs(node):
        if parameter.argType.pct_type:
            yield line, f"parameter {parameter.name}: name its type; %type is not an identity"
    if syntax.language(node) == "plpython3u" and not file.requires_plpython:
        yield line, 'plpython3u needs the header line "-- requires plpython3u"'


def _trigger_statements(file: SourceFile) -> Found:
    table = file.stem.partition("__")[0]
    functions = triggers = 0
    if "__" not in file.stem:
        yield 1, "a trigger file is named <table>__<effect>.sql"
    for statement in syntax.statements(file):
        node, line = statement.node, statement.line
        if isinstance(node, ast.CreateFunctionStmt) and syntax.returns_trigger(node):
            functions += 1
            yield from _repeatable_function(statement, file, wanted=(file.schema, file.stem))
        elif isinstance(node, ast.CreateTrigStmt):
            triggers += 1
            if not node.replace:
                yield line, "write create or replace trigger: this file runs at every deploy"
            on = (node.relation.schemaname, node.relation.relname)
            if on != (file.schema, table):
                yield line, f"the path says that the trigger is on {file.schema}.{table}"
            # one file may need several: transition tables allow one event per trigger
            if not str(node.trigname).startswith(file.stem):
                yield line, f"trigger {node.trigname} must be named {file.stem}"
            if syntax.dotted(node.funcname) != (file.schema, file.stem):
                yield line, f"the trigger must execute {file.schema}.{file.stem}"
        elif not isinstance(node, ast.CommentStmt):
            yield line, _right_room(node, file)
    if functions != 1 or triggers == 0:
        yield (
            1,
            (
                f"holds {functions} trigger functions and {triggers} triggers; "
                "a file holds one function and the trigger that runs it"
            ),
        )


def _grant_statements(file: SourceFile) -> Found:
    dropped: set[str] = set()
    for statement in syntax.statements(file):
        node, line = statement.node, statement.line
        if isinstance(node, ast.DropStmt) and (
            node.removeType == enums.ObjectType.OBJECT_POLICY and node.missing_ok
        ):
            dropped |= {".".join(str(part.sval) for part in name) for name in node.objects}
        elif isinstance(node, ast.CreatePolicyStmt):
            table = f"{node.table.schemaname}.{node.table.relname}"
            if f"{table}.{node.policy_name}" not in dropped:
                yield (
                    line,
                    (
                        "a policy cannot be replaced: before it, write drop policy if exists "
                        f"{node.policy_name} on {table}"
                    ),
                )
        elif isinstance(node, (*_GRANTS, ast.CommentStmt)) or _is_row_security(node):
            continue
        else:
            yield line, _right_room(node, file)


def _migration_header(file: SourceFile) -> Found:
    header = file.header
    if not header or header[0] != file.stem:
        yield 1, f'the first line is "-- {file.stem}"'
    for note in _MIGRATION_NOTES:
        if not any(re.match(rf"{note}\s+\S", line) for line in header):
            yield 1, f'the header has no "-- {note}  <text>" line'


def summary_of(file: SourceFile) -> str:
    """What the header says a file's function does: the text its COMMENT must repeat.

    The second header line, and those after it up to an empty one; in a trigger file the first
    line may say it after the table's name.
    """
    header = file.header
    first = header[0] if header else ""
    table, colon, text = first.partition(": ")
    if colon and table == f"{file.schema}.{file.stem.partition('__')[0]}":
        told = [text[:1].upper() + text[1:]]
    else:
        told = []
    for line in header[1:]:
        if not line:
            break
        told.append(line)
    return " ".join(told)


def _function_header(file: SourceFile) -> Found:
    header = file.header
    first = header[0] if header else ""
    names = [f"{file.schema}.{file.stem}"]
    if file.path.startswith("triggers/"):
        names.append(f"{file.schema}.{file.stem.partition('__')[0]}")
    if first.partition(": ")[0] not in names:
        yield 1, f'the first line is "-- {names[0]}"'
    summary = summary_of(file)
    if not summary:
        yield 2, "the second line says in one sentence what the function does"
    found = syntax.statements(file)
    comments = [
        str(s.node.comment)
        for s in found
        if isinstance(s.node, ast.CommentStmt)
        and s.node.objtype in (enums.ObjectType.OBJECT_FUNCTION, enums.ObjectType.OBJECT_PROCEDURE)
    ]
    if not comments:
        yield 1, "no comment on function"
    elif summary and summary not in comments:
        yield 2, f'the header says "{summary}" but the comment says "{comments[0]}"'
    for statement in found:
        if isinstance(statement.node, ast.CreateFunctionStmt):
            yield from _safe_function(statement, file)


def _safe_function(statement: Statement, file: SourceFile) -> Found:
    node, line = statement.node, statement.line
    definer = bool(getattr(syntax.option(node, "security"), "boolval", False))
    pinned = [
        element.arg
        for element in node.options or ()
        if element.defname == "set"
        and element.arg.name == "search_path"
        and element.arg.kind == _SET_TO_ONE_VALUE
    ]
    if definer and not any(re.match(r"definer because\s+\S", text) for text in file.header):
        yield line, 'security definer needs a header line "-- definer because <reason>"'
    if not pinned:
        if definer or syntax.language(node) != "sql":
            yield line, "no pinned path; write: set search_path = pg_catalog, pg_temp"
        return
    path = [str(value.val.sval) for value in pinned[0].args or ()]
    if path[-1:] != ["pg_temp"]:
        # left out, pg_temp is searched first, and anyone can put a table there
        yield line, "the pinned path must end in pg_temp"
