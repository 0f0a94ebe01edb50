"""Bring a made-up corpus into the tables, by COPY, so that every invariant holds."""

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pgvector import HalfVector
from psycopg import errors, sql
from psycopg.types.json import Jsonb

from bench.database import Connection, Say, whole_number
from bench.generate import Document, documents
from bench.world import RANKS, TOPIC_COUNT, UNUSED_TOPIC, Place, World, topic_slug

CHUNKS_PER_BATCH = 10_000
PUBLISHED = datetime(2025, 6, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded and how long the parts took, in seconds; the parts are part of `seconds`.

    `chunks_per_second` is without the vector index, vacuum and checkpoint.
    """

    set_id: int
    documents: int
    chunks: int
    seconds: float
    chunks_per_second: float
    text_index_seconds: float
    vector_index_seconds: float


def load(db: Connection, world: World, *, say: Say) -> LoadReport:
    """Fill an empty, deployed database; afterwards it is folded, indexed, vacuumed and analysed.

    The embedding set of the world's width becomes the active one.
    """
    started = time.monotonic()
    set_id = _set_of(db, world.width)
    scopes = _load_reference(db, world)
    # these are built several times faster in one go than row by row
    table = sql.Identifier("embedding", f"vector_{set_id}")
    vector_indexes = _take_indexes(db, f"embedding.vector_{set_id}", ["hnsw", "ivfflat"])
    text_indexes = _take_indexes(db, "search.text_index", ["gin"])
    _make_temporary_tables(db)
    done = documents_done = 0
    text_seconds = 0.0
    for batch in _batches(documents(world)):
        first, last = batch[0].chunks[0].chunk_id, batch[-1].chunks[-1].chunk_id
        _copy_batch(db, batch, scopes=scopes, set_id=set_id, table=table)
        text_started = time.monotonic()
        _index_texts(db, first=first, last=last)
        text_seconds += time.monotonic() - text_started
        done += last - first + 1
        documents_done += len(batch)
        say(f"loaded {done:,} chunks")
    _restart_sequences(db)
    text_seconds += _build(db, text_indexes)
    rate = done / (time.monotonic() - started)
    say("building the vector indexes")
    build_seconds = _build(db, vector_indexes)
    build_seconds += _build_own_indexes(db, set_id)
    db.execute("select search.fold_statistics()")
    say("listing postings")
    list_started = time.monotonic()
    db.execute("select search.refresh_postings()")
    text_seconds += time.monotonic() - list_started
    db.execute(
        "select embedding.activate(s.name) from embedding.set as s where s.set_id = %s", [set_id]
    )
    db.commit()
    _rest(db)
    return LoadReport(
        set_id=set_id,
        documents=documents_done,
        chunks=done,
        seconds=time.monotonic() - started,
        chunks_per_second=rate,
        text_index_seconds=text_seconds,
        vector_index_seconds=build_seconds,
    )


def bring_up_to_date(db: Connection, *, set_id: int) -> None:
    """What an earlier run loaded, with the indexes and lists that the product of now wants."""
    _build_own_indexes(db, set_id)
    db.execute("select search.refresh_postings()")
    db.commit()
    _rest(db)


def _rest(db: Connection) -> None:
    """Vacuumed, analysed and written out: the server has nothing left to do while it is timed."""
    db.autocommit = True
    db.execute("vacuum (analyze)")
    with suppress(errors.InsufficientPrivilege):
        db.execute("checkpoint")
    db.autocommit = False


def _set_of(db: Connection, width: int) -> int:
    return whole_number(
        db,
        "select set_id from embedding.set where width = %s order by active desc, set_id",
        [width],
    )


def _load_reference(db: Connection, world: World) -> dict[Place, int]:
    """Authorities, schools, topics and ranks; returns the scope of each place."""
    codes = sorted({place.la_code for place in world.places if place.la_code})
    schools = [place for place in world.places if place.urn]
    for call, rows in (
        (
            "select place.load_authorities(%s)",
            [{"gss": code, "name": f"Authority {code}"} for code in codes],
        ),
        (
            "select place.load_schools(%s)",
            [
                {"urn": place.urn, "name": f"School {place.urn}", "la_code": place.la_code}
                for place in schools
            ],
        ),
        (
            "select terms.load_topics('bench', %s)",
            [
                {"slug": slug, "name": slug, "pattern": rf"\y{slug}\y"}
                for slug in (*map(topic_slug, range(TOPIC_COUNT)), UNUSED_TOPIC)
            ],
        ),
        (
            "select corpus.load_ranks('bench', %s)",
            [{"authority": authority, "weight": weight} for authority, weight in RANKS],
        ),
    ):
        db.execute(call, [Jsonb(rows)])
    return {
        place: whole_number(
            db,
            "select corpus.scope_for(la_code => %s, school_urn => %s)",
            [place.la_code, place.urn],
        )
        for place in world.places
    }


def _take_indexes(db: Connection, table: str, methods: list[str]) -> list[sql.SQL]:
    """Drop the indexes of a table made by these methods; returns the statements that make them
    again, whatever they are called and however they are defined."""
    found = db.execute(
        "select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) "
        "from pg_index as i "
        "inner join pg_class as c on i.indexrelid = c.oid "
        "inner join pg_am as a on c.relam = a.oid "
        "where i.indrelid = %s::regclass and a.amname = any(%s)",
        [table, methods],
    ).fetchall()
    for name, _ in found:
        db.execute(sql.SQL("drop index ") + sql.SQL(name))
    return [sql.SQL(definition) for _, definition in found]


def _build(db: Connection, definitions: Sequence[sql.SQL]) -> float:
    """Seconds it took."""
    started = time.monotonic()
    for definition in definitions:
        db.execute(definition)
    return time.monotonic() - started


def _build_own_indexes(db: Connection, set_id: int) -> float:
    """Of the large scopes, as upkeep builds them; seconds it took."""
    missing = db.execute(
        "select replace(statement, 'concurrently ', '') from embedding.missing_indexes(%s)",
        [set_id],
    ).fetchall()
    return _build(db, [sql.SQL(statement) for (statement,) in missing])


def _batches(made: Iterable[Document]) -> Iterator[list[Document]]:
    """Whole documents, about CHUNKS_PER_BATCH chunks at a time."""
    batch: list[Document] = []
    size = 0
    for document in made:
        batch.append(document)
        size += len(document.chunks)
        if size >= CHUNKS_PER_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _make_temporary_tables(db: Connection) -> None:
    """For what SQL completes: title keys, quality scores."""
    db.execute(
        "create temporary table made_version on commit drop as "
        "select version_id, title, content_hash, file_type, document_type, authority, tags, "
        "effective_date, metadata from corpus.version with no data"
    )
    db.execute(
        "create temporary table made_fact on commit drop as "
        "select chunk_id, status from corpus.chunk_fact with no data"
    )


def _copy_batch(
    db: Connection,
    batch: Sequence[Document],
    *,
    scopes: dict[Place, int],
    set_id: int,
    table: sql.Identifier,
) -> None:
    """A document, its only version, its chunks and vectors share one number."""
    _copy(
        db,
        sql.SQL("corpus.document (document_id, scope_id, source, source_family)"),
        ("int8", "int8", "text", "text"),
        ((d.document_id, scopes[d.place], d.source, d.source_family) for d in batch),
    )
    _copy(
        db,
        sql.SQL("made_version"),
        ("int8", "text", "bytea", "text", "text", "text", "text[]", "date", "jsonb"),
        (
            (
                d.document_id, d.title, d.content_hash, d.file_type, d.document_type,
                d.authority, d.tags, d.effective_date, Jsonb({"topic": d.topic}),
            )
            for d in batch
        ),
    )  # fmt: skip
    db.execute(
        "insert into corpus.version (version_id, document_id, version, state, title, title_key, "
        "content_hash, file_type, document_type, authority, tags, effective_date, metadata, "
        "valid_from, staged_at, published_at) overriding system value "
        "select m.version_id, m.version_id, 1, 'published', m.title, corpus.title_key(m.title), "
        "m.content_hash, m.file_type, m.document_type, m.authority, m.tags, m.effective_date, "
        "m.metadata, coalesce(m.effective_date, %(at)s::date), %(at)s, %(at)s "
        "from made_version as m",
        {"at": PUBLISHED},
    )
    _copy(
        db,
        sql.SQL(
            "corpus.chunk (chunk_id, version_id, document_id, scope_id, chunk_index, start_at, "
            "content, content_hash, embedding_hash)"
        ),
        ("int8", "int8", "int8", "int8", "int4", "int4", "text", "bytea", "bytea"),
        (
            (
                chunk.chunk_id, d.document_id, d.document_id, scopes[d.place], index,
                chunk.start_at, chunk.content, _sha256(chunk.content),
                _sha256(f"{d.title}\n{chunk.content}"),
            )
            for d in batch
            for index, chunk in enumerate(d.chunks)
        ),
    )  # fmt: skip
    _copy(
        db,
        sql.SQL("made_fact"),
        ("int8", "text"),
        ((chunk.chunk_id, chunk.status) for d in batch for chunk in d.chunks),
    )
    db.execute(
        "insert into corpus.chunk_fact (chunk_id, scope_id, status, tags, quality_score) "
        "select c.chunk_id, c.scope_id, m.status, v.tags, corpus.quality_score("
        "length(c.content), v.file_type, cardinality(v.tags), "
        "config.value('kb.chunk_size')::integer) "
        "from made_fact as m "
        "inner join corpus.chunk as c on m.chunk_id = c.chunk_id "
        "inner join corpus.version as v on c.version_id = v.version_id "
        "order by c.chunk_id"
    )
    _copy(
        db,
        table + sql.SQL(" (set_id, chunk_id, scope_id, embedding)"),
        ("int4", "int8", "int8", "halfvec"),
        (
            (set_id, chunk.chunk_id, scopes[d.place], HalfVector(vector))
            for d in batch
            for chunk, vector in zip(d.chunks, d.vectors, strict=True)
        ),
    )
    db.execute("truncate made_version, made_fact")


def _index_texts(db: Connection, *, first: int, last: int) -> None:
    """Postings as corpus.publish_version writes them; the statistics triggers fire."""
    db.execute(
        "insert into search.text_index (chunk_id, scope_id, lexemes, token_count) "
        "select i.chunk_id, i.scope_id, i.lexemes, terms.count_tokens(i.lexemes) "
        "from (select c.chunk_id, c.scope_id, "
        "terms.to_index(embedding.text_of(v.title, c.content)) as lexemes "
        "from corpus.chunk as c inner join corpus.version as v on c.version_id = v.version_id "
        "where c.chunk_id between %s and %s order by c.chunk_id offset 0) as i",
        [first, last],
    )


def _copy(
    db: Connection, target: sql.Composable, types: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    statement = sql.SQL("copy {} from stdin (format binary)").format(target)
    with db.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(types))
        for row in rows:
            copy.write_row(row)


def _restart_sequences(db: Connection) -> None:
    """Numbers given by hand do not move the sequences; the next real document needs the next."""
    for table, column in (
        ("corpus.document", "document_id"),
        ("corpus.version", "version_id"),
        ("corpus.chunk", "chunk_id"),
    ):
        db.execute(
            sql.SQL(
                "select setval(pg_get_serial_sequence({name}, {label}), max({column})) from {table}"
            ).format(
                name=sql.Literal(table),
                label=sql.Literal(column),
                column=sql.Identifier(column),
                table=sql.Identifier(*table.split(".")),
            )
        )


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
