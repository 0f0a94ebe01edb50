"""What archives ask of the database."""

from collections.abc import Collection

import psycopg


def tags_of_names(db: psycopg.Connection, *, names: Collection[str]) -> dict[str, str | None]:
    """The topic each name means, None for a name that is no topic."""
    rows = db.execute(
        "select name, slug from terms.tags_of_names(names => %(names)s)", {"names": sorted(names)}
    )
    return dict(rows.fetchall())
