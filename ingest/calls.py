"""Every statement ingest sends to Postgres: one function here per function there."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

import psycopg
from psycopg.types.json import Jsonb


# ---------------------------------------------------------------------------------------------
# Packs: what ingest/pack.py stores. Each replaces or corrects the rows it is given and returns
# how many there are.
# ---------------------------------------------------------------------------------------------


def load_authorities(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct education authorities and who succeeded whom."""
    return _count(db, "select place.load_authorities(rows => %(rows)s)", rows=_json(rows))


def load_districts(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct districts and the education authority of each."""
    return _count(db, "select place.load_districts(rows => %(rows)s)", rows=_json(rows))


def load_schools(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct schools."""
    return _count(db, "select place.load_schools(rows => %(rows)s)", rows=_json(rows))


def load_synonyms(
    db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]
) -> int:
    """Replace the synonyms of a pack."""
    return _count(
        db,
        "select terms.load_synonyms(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_topics(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the topics of a pack."""
    return _count(
        db,
        "select terms.load_topics(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_ranks(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Set how much each kind of publisher weighs."""
    return _count(
        db,
        "select corpus.load_ranks(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_domains(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the national web sites of a pack."""
    return _count(
        db,
        "select corpus.load_domains(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def _json(rows: Sequence[Mapping[str, object]]) -> Jsonb:
    return Jsonb([dict(row) for row in rows])


def _count(db: psycopg.Connection, statement: LiteralString, **values: object) -> int:
    row = db.execute(statement, values).fetchone()
    return int(row[0]) if row else 0
