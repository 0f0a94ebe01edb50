"""Deploy a small tree in a test, and ask or change the database beside the engine."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from db.deploy import DeployError, DeployReport, deploy
from db.tree import digest
from tests.sql_tree import SqlTree


def silent(_line: str) -> None:
    """A notice nobody hears."""


def up(url: str, tree: SqlTree, notice: Callable[[str], None] = silent) -> DeployReport:
    """Deploy the tree."""
    return deploy(url, notice=notice, root=tree.root)


def refusal(url: str, tree: SqlTree) -> str:
    """Deploy the tree, which must be refused; returns the one line that says why."""
    with pytest.raises(DeployError) as caught:
        up(url, tree)
    message = str(caught.value)
    assert "\n" not in message
    return message


def ask(url: str, query: str) -> Any:  # the type of a column is its query's
    """The first column of the first row."""
    with psycopg.connect(url, autocommit=True) as conn:
        row = conn.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def run(url: str, *statements: str) -> None:
    """Change the database by hand."""
    with psycopg.connect(url, autocommit=True) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def sha256_of(tree: SqlTree, name: str) -> str:
    """The hash the ledger keeps of a migration."""
    return digest((tree.root / "migrations" / f"{name}.sql").read_text(encoding="utf-8"))
