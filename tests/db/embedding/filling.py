"""Sets to fill, and what a test asks about them."""

from collections.abc import Sequence

import psycopg

from tests.corpus import axis
from tests.db.corpus_fixtures import ask, ask_rows

SMALL = "small"
WIDTH = 8


def add_small(db: psycopg.Connection, name: str = SMALL, model: str = "tiny") -> int:
    """Add a set of eight dimensions; its key."""
    key: int = ask(db, "select embedding.add_set(%s, 'compatible', %s, %s)", name, model, WIDTH)
    return key


def start(db: psycopg.Connection, name: str = SMALL) -> int:
    """Start to fill it; how many chunks wait."""
    waiting: int = ask(db, "select embedding.start_fill(%s)", name)
    return waiting


def claim(db: psycopg.Connection, count: int = 64, name: str = SMALL) -> list[int]:
    """Claim chunks; their keys."""
    rows = ask_rows(db, "select chunk_id from embedding.claim_chunks(%s, %s)", name, count)
    return [row[0] for row in rows]


def store(db: psycopg.Connection, ids: Sequence[int], name: str = SMALL, dimension: int = 1) -> int:
    """Store a vector for each; how many chunks got one."""
    numbers = axis(dimension, WIDTH) * len(ids)
    stored: int = ask(
        db, "select embedding.store_filled(%s, %s, %s::real[])", name, list(ids), numbers
    )
    return stored


def fill(db: psycopg.Connection, name: str = SMALL, dimension: int = 1) -> None:
    """Fill it to the end and build its indexes, in the transaction of the test."""
    start(db, name)
    while not ask(db, "select embedding.fill_is_over(%s)", name):
        store(db, claim(db, name=name), name, dimension)
    build_indexes(db, name)


def build_indexes(db: psycopg.Connection, name: str = SMALL) -> None:
    """Build what is missing; concurrently is not possible within a transaction."""
    for (statement,) in ask_rows(
        db,
        "select m.statement from embedding.set as s, embedding.missing_indexes(s.set_id) as m"
        " where s.name = %s",
        name,
    ):
        db.execute(statement.replace("concurrently ", "").encode())


def progress(db: psycopg.Connection, name: str = SMALL) -> dict[str, object]:
    """Its row of embedding.fill_progress."""
    row: dict[str, object] = ask(
        db, "select to_jsonb(p) from embedding.fill_progress as p where p.name = %s", name
    )
    return row
