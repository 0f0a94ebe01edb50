"""Every statement about embedding sets and vectors: one function here per function there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import class_row, scalar_row

from ingest.embedding.numbers import Numbers
from ingest.rows import count, flag, one_row


@dataclass(frozen=True, slots=True)
class EmbeddingSet:
    """The embedding set searches use now."""

    name: str
    provider: str
    model: str
    width: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk that needs a vector, and the text to make it of."""

    chunk_id: int
    embedding_text: str


def active_set(db: psycopg.Connection) -> EmbeddingSet:
    """The embedding set in use."""
    with db.cursor(row_factory=class_row(EmbeddingSet)) as cursor:
        return one_row(
            cursor.execute(
                "select s.name, s.provider, s.model, s.width from embedding.active_set() as s"
            )
        )


def chunks_to_embed(
    db: psycopg.Connection, *, version_id: int, batch_size: int, set_name: str
) -> list[Chunk]:
    """Chunks of a version that have no vector in a set; vectors of equal text are reused."""
    with db.cursor(row_factory=class_row(Chunk)) as cursor:
        return cursor.execute(
            "select chunk_id, embedding_text from embedding.chunks_to_embed("
            "version_id => %(version_id)s, batch_size => %(batch_size)s,"
            " set_name => %(set_name)s)",
            {"version_id": version_id, "batch_size": batch_size, "set_name": set_name},
        ).fetchall()


def store_vectors(
    db: psycopg.Connection,
    *,
    chunk_ids: Sequence[int],
    vectors: Sequence[Sequence[float]],
    set_name: str,
) -> int:
    """Store vectors of chunks in a set; returns how many were new."""
    return count(
        db,
        "select embedding.store_numbers(chunk_ids => %(chunk_ids)s, numbers => %(numbers)s,"
        " set_name => %(set_name)s)",
        chunk_ids=list(chunk_ids),
        numbers=Numbers(vectors),
        set_name=set_name,
    )


@dataclass(frozen=True, slots=True)
class KnownSet(EmbeddingSet):
    """A set with its key and what it is to the searches: state is idle, filling or ready."""

    set_id: int
    state: str
    active: bool
    endpoint_url: str | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a fill still takes: chunks, texts to embed for them, characters in those."""

    chunks: int
    texts: int
    characters: int


@dataclass(frozen=True, slots=True)
class FillProgress:
    """How far a set is filled; `done` is unknown for an idle one."""

    name: str
    model: str
    width: int
    state: str
    active: bool
    chunks: int
    done: int | None
    lacking: int
    held: int
    failed: int
    last_error: str | None
    rate: float | None
    eta: timedelta | None


@dataclass(frozen=True, slots=True)
class MissingIndex:
    """An index a set lacks, or has as the leftover of a build that broke."""

    index_name: str
    statement: str
    broken: bool


def named_set(db: psycopg.Connection, *, name: str | None) -> KnownSet:
    """The set of that name, the active one for None. Raises VE005 for an unknown one."""
    return _known(
        db,
        "select s.name, s.provider, s.model, s.width, s.set_id, s.state, s.active, s.endpoint_url"
        " from embedding.named_set(set_name => %(name)s) as s",
        name=name,
    )


def previous_set(db: psycopg.Connection) -> KnownSet:
    """The set that was active before. Raises VE014 when none is kept."""
    return _known(
        db,
        "select s.name, s.provider, s.model, s.width, s.set_id, s.state, s.active, s.endpoint_url"
        " from embedding.previous_set() as s",
    )


def sets_to_keep_up(db: psycopg.Connection) -> list[KnownSet]:
    """Sets that were whole once and lack a vector now."""
    with db.cursor(row_factory=class_row(KnownSet)) as cursor:
        return cursor.execute(
            "select s.name, s.provider, s.model, s.width, s.set_id, s.state, s.active,"
            " s.endpoint_url from embedding.set as s"
            " where s.state = 'ready' and not embedding.fill_is_over(set_name => s.name)"
        ).fetchall()


def add_set(db: psycopg.Connection, *, name: str, provider: str, model: str, width: int) -> int:
    """Add a set, or find the same one; its key. Raises VE011."""
    return count(
        db,
        "select embedding.add_set(name => %(name)s, provider => %(provider)s,"
        " model => %(model)s, width => %(width)s)",
        name=name,
        provider=provider,
        model=model,
        width=width,
    )


def drop_set(db: psycopg.Connection, *, name: str) -> None:
    """Remove a set and its vectors. Raises VE012 for the active one."""
    db.execute("select embedding.drop_set(name => %(name)s)", {"name": name})


def start_fill(db: psycopg.Connection, *, set_name: str) -> int:
    """Note every chunk that lacks a vector in the set; how many wait."""
    return count(db, "select embedding.start_fill(set_name => %(set_name)s)", set_name=set_name)


def stop_fill(db: psycopg.Connection, *, set_name: str) -> None:
    """Keep a set up no longer. Raises VE012 for the active one."""
    db.execute("select embedding.stop_fill(set_name => %(set_name)s)", {"set_name": set_name})


def estimate_fill(db: psycopg.Connection, *, set_name: str) -> Estimate:
    """What the fill of a set still takes."""
    with db.cursor(row_factory=class_row(Estimate)) as cursor:
        return one_row(
            cursor.execute(
                "select chunks, texts, characters"
                " from embedding.estimate_fill(set_name => %(set_name)s)",
                {"set_name": set_name},
            )
        )


def claim_chunks(db: psycopg.Connection, *, set_name: str, batch_size: int) -> list[Chunk]:
    """Chunks that lack their vector in the set, hidden from others while this connection lives."""
    with db.cursor(row_factory=class_row(Chunk)) as cursor:
        return cursor.execute(
            "select chunk_id, embedding_text from embedding.claim_chunks("
            "set_name => %(set_name)s, batch_size => %(batch_size)s)",
            {"set_name": set_name, "batch_size": batch_size},
        ).fetchall()


def store_filled(
    db: psycopg.Connection,
    *,
    set_name: str,
    chunk_ids: Sequence[int],
    vectors: Sequence[Sequence[float]],
) -> int:
    """Store vectors of claimed chunks, also for those of the same text; how many got one."""
    return count(
        db,
        "select embedding.store_filled(set_name => %(set_name)s, chunk_ids => %(chunk_ids)s,"
        " numbers => %(numbers)s)",
        set_name=set_name,
        chunk_ids=list(chunk_ids),
        numbers=Numbers(vectors),
    )


def release_chunks(
    db: psycopg.Connection,
    *,
    set_name: str,
    chunk_ids: Sequence[int],
    reason: str,
    final: bool = False,
) -> None:
    """Give claimed chunks back, or up when `final`."""
    db.execute(
        "select embedding.release_chunks(set_name => %(set_name)s, chunk_ids => %(chunk_ids)s,"
        " reason => %(reason)s, final => %(final)s)",
        {"set_name": set_name, "chunk_ids": list(chunk_ids), "reason": reason, "final": final},
    )


def fill_is_over(db: psycopg.Connection, *, set_name: str) -> bool:
    """Whether no chunk waits any more, but for those that were given up."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(
            cursor.execute(
                "select embedding.fill_is_over(set_name => %(set_name)s)", {"set_name": set_name}
            ).fetchone()
        )


def fill_progress(db: psycopg.Connection) -> list[FillProgress]:
    """How far each set is filled, the active one first."""
    with db.cursor(row_factory=class_row(FillProgress)) as cursor:
        return cursor.execute(
            "select name, model, width, state, active, chunks, done, lacking, held, failed,"
            " last_error, rate, eta from embedding.fill_progress order by active desc, name"
        ).fetchall()


def activate(db: psycopg.Connection, *, set_name: str) -> None:
    """Switch the searches to a set. Raises VE006 or VE009 when it is not whole."""
    db.execute("select embedding.activate(set_name => %(set_name)s)", {"set_name": set_name})


def missing_indexes(db: psycopg.Connection, *, set_id: int) -> list[MissingIndex]:
    """The indexes a set lacks, and the statements that build them."""
    with db.cursor(row_factory=class_row(MissingIndex)) as cursor:
        return cursor.execute(
            "select index_name, statement, broken"
            " from embedding.missing_indexes(set_id => %(set_id)s)",
            {"set_id": set_id},
        ).fetchall()


def try_to_reserve(db: psycopg.Connection, *, set_id: int) -> bool:
    """Be the one who builds the indexes of a set, until the connection ends; False when another is.

    Asked again and again, not waited for: a build waits for every statement that is under way.
    """
    return flag(
        db,
        "select pg_try_advisory_lock(hashtextextended('embedding.build', %(set_id)s))",
        set_id=set_id,
    )


def build_index(db: psycopg.Connection, index: MissingIndex) -> None:
    """Build one; searches and publishers go on."""
    if index.broken:
        _drop_index(db, index.index_name)
    db.execute(index.statement.encode())


def drop_indexes_if_empty(db: psycopg.Connection, *, set_id: int) -> None:
    """Take the indexes from a set without vectors: filled first, they build many times faster."""
    rows = db.execute(
        "select x.index_name from embedding.index_statements(set_id => %(set_id)s) as x"
        " where to_regclass('embedding.' || quote_ident(x.index_name)) is not null"
        " and not exists (select from embedding.vector as v where v.set_id = %(set_id)s)",
        {"set_id": set_id},
    ).fetchall()
    for (name,) in rows:
        _drop_index(db, name)


def analyze_set(db: psycopg.Connection, *, set_id: int) -> None:
    """Give the planner and the index-only scans what they go by after a bulk load."""
    db.execute(sql.SQL("vacuum (analyze) embedding.{}").format(sql.Identifier(f"vector_{set_id}")))


def purge_queries(db: psycopg.Connection) -> int:
    """Remove cached questions that can no longer be used."""
    return count(db, "select embedding.purge_queries()")


def _drop_index(db: psycopg.Connection, name: str) -> None:
    db.execute(
        sql.SQL("drop index concurrently if exists embedding.{}").format(sql.Identifier(name))
    )


def _known(db: psycopg.Connection, statement: LiteralString, **values: object) -> KnownSet:
    with db.cursor(row_factory=class_row(KnownSet)) as cursor:
        return one_row(cursor.execute(statement, values))
