"""Embed chunks, and note what it used up."""

import logging
from collections.abc import Sequence

import psycopg

from ingest.embedding.calls import Chunk
from ingest.errors import again_if_passing, words_of
from ingest.spending import calls
from providers.protocols import Embedder
from providers.usage import Usage, metered

log = logging.getLogger(__name__)


def embed_counted(
    db: psycopg.Connection, embedder: Embedder, chunks: Sequence[Chunk], *, set_name: str
) -> list[list[float]]:
    """One vector per chunk; raises what the embedder raises.

    What the provider billed is noted also when it fails halfway. No transaction is open
    meanwhile, and a count that cannot be noted loses no vector.
    """
    with metered() as usage:
        try:
            return embedder.embed([chunk.embedding_text for chunk in chunks])
        finally:
            _note(db, chunks, usage, set_name=set_name)


def _note(db: psycopg.Connection, chunks: Sequence[Chunk], usage: Usage, *, set_name: str) -> None:
    if not usage.by_text:
        return
    try:
        again_if_passing(
            lambda: calls.note_spend(
                db,
                chunk_ids=[chunk.chunk_id for chunk in chunks],
                tokens=[usage.tokens_of(place) for place in range(len(chunks))],
                set_name=set_name,
            )
        )
    except psycopg.Error as error:
        log.warning("tokens used with %s were not counted: %s", set_name, words_of(error))
