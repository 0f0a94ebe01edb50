"""How the one value or the one row of an answer is read."""

from typing import LiteralString, TypeVar

import psycopg
from psycopg.rows import scalar_row

Row = TypeVar("Row")


def one_row(cursor: psycopg.Cursor[Row]) -> Row:
    """The one row a statement gives."""
    row = cursor.fetchone()
    if row is None:
        raise psycopg.DataError("the database answered with no row")
    return row


def scalar(db: psycopg.Connection, statement: LiteralString, **values: object) -> object:
    """The one value a statement gives."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(statement, values).fetchone()


def flag(db: psycopg.Connection, statement: LiteralString, **values: object) -> bool:
    """The one value a statement gives, as yes or no."""
    return bool(scalar(db, statement, **values))


def count(db: psycopg.Connection, statement: LiteralString, **values: object) -> int:
    """The one number a statement gives."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return int(cursor.execute(statement, values).fetchone() or 0)
