"""SQL of this room."""

from collections.abc import Sequence

import psycopg


def note_spend(
    db: psycopg.Connection, *, chunk_ids: Sequence[int], tokens: Sequence[int], set_name: str
) -> None:
    """Add the tokens of a call to the versions of its chunks."""
    db.execute(
        "select embedding.note_spend(chunk_ids => %(chunk_ids)s, tokens => %(tokens)s,"
        " set_name => %(set_name)s)",
        {"chunk_ids": list(chunk_ids), "tokens": list(tokens), "set_name": set_name},
    )
