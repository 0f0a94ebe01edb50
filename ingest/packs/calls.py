"""What a pack stores. Each call replaces or corrects the rows it is given; how many there are."""

from collections.abc import Mapping, Sequence

import psycopg
from psycopg.types.json import Jsonb

from ingest.rows import count


def load_authorities(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct education authorities and who succeeded whom."""
    return count(db, "select place.load_authorities(rows => %(rows)s)", rows=_json(rows))


def load_districts(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct districts and the education authority of each."""
    return count(db, "select place.load_districts(rows => %(rows)s)", rows=_json(rows))


def load_schools(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct schools."""
    return count(db, "select place.load_schools(rows => %(rows)s)", rows=_json(rows))


def load_synonyms(
    db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]
) -> int:
    """Replace the synonyms of a pack."""
    return count(
        db,
        "select terms.load_synonyms(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_topics(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the topics of a pack."""
    return count(
        db,
        "select terms.load_topics(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_ranks(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Set how much each kind of publisher weighs."""
    return count(
        db,
        "select corpus.load_ranks(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_domains(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the national web sites of a pack."""
    return count(
        db,
        "select corpus.load_domains(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_wording(db: psycopg.Connection, *, pack: str, texts: Mapping[str, str]) -> None:
    """Set what a chat says in the domain of a pack."""
    db.execute(
        "select chat.load_wording(pack => %(pack)s, system_prompt => %(system_prompt)s,"
        " no_area_disclaimer => %(no_area_disclaimer)s, not_found => %(not_found)s)",
        {"pack": pack, **texts},
    )


def _json(rows: Sequence[Mapping[str, object]]) -> Jsonb:
    return Jsonb([dict(row) for row in rows])
