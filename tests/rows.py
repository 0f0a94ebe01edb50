"""Hand rows to a SQL function that takes an array of a composite type, and read rows back."""

import json
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import sql

Row = dict[str, Any]


def array_of(kind: str, rows: Sequence[Row]) -> sql.Composable:
    """`rows` as an array of a composite type (`search.vector_hit`); keys left out are NULL."""
    return sql.SQL(
        "array(select p from jsonb_array_elements({rows}::jsonb) with ordinality as r (value, n), "
        "jsonb_populate_record(null::{kind}, r.value) as p order by r.n)"
    ).format(rows=sql.Literal(json.dumps(list(rows))), kind=sql.SQL(kind))


def rows_of(
    db: psycopg.Connection[Any], call: str, parameters: Any = None, **arrays: sql.Composable
) -> list[Row]:
    """Rows of a set-returning call, in its order; `{name}` in it stands for one of `arrays`."""
    text = sql.SQL("select to_jsonb(r) from " + call + " as r")
    query = text.format(**arrays) if arrays else text
    return [row[0] for row in db.execute(query, parameters).fetchall()]


def value_of(db: psycopg.Connection[Any], query: str, parameters: Any = None) -> Any:
    """The first column of the only row."""
    row = db.execute(query.encode(), parameters).fetchone()
    assert row is not None
    return row[0]
