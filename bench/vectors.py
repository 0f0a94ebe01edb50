"""Vectors of texts that were embedded before, kept on disk: a second run embeds nothing."""

import hashlib
import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bench.database import BenchError
from providers.protocols import Embedder

_BATCH = 64
_TABLE = (
    "create table if not exists kept (model text not null, width integer not null, "
    "hash blob not null, vector blob not null, primary key (model, width, hash)) without rowid"
)


class KeptVectors:
    """An embedder that asks another only for texts it has not kept; one file for all models.

    What it returns is what it stored (single precision), so the first run and the next agree.
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self.name = embedder.name
        self.model = embedder.model
        self.width = embedder.width
        self._embedder = embedder
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as kept, kept:
            kept.execute(_TABLE)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, from the file where it has it."""
        hashes = [hashlib.sha256(text.encode()).digest() for text in texts]
        with self._open() as kept:
            found = {each: self._read(kept, each) for each in set(hashes)}
            missing = {
                each: text for each, text in zip(hashes, texts, strict=True) if found[each] is None
            }
            for start in range(0, len(missing), _BATCH):
                batch = dict(list(missing.items())[start : start + _BATCH])
                vectors = self._embedder.embed(list(batch.values()))
                # each batch by itself: what an interrupted run paid for stays
                with kept:
                    for each, vector in zip(batch, vectors, strict=True):
                        kept.execute(
                            "insert or replace into kept values (?, ?, ?, ?)",
                            (self.model, self.width, each, array("f", vector).tobytes()),
                        )
                        found[each] = array("f", vector)
        return [list(found[each] or ()) for each in hashes]

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        """As `embed`."""
        return self.embed(texts)

    def close(self) -> None:
        """Close the embedder underneath."""
        self._embedder.close()

    async def aclose(self) -> None:
        """Close the embedder underneath."""
        await self._embedder.aclose()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._file, timeout=60)) as kept:
                yield kept
        except sqlite3.Error as problem:
            raise BenchError(
                f"{self._file} cannot keep vectors: {problem}; delete it, or name another file"
            ) from None

    def _read(self, kept: sqlite3.Connection, digest: bytes) -> "array[float] | None":
        row = kept.execute(
            "select vector from kept where model = ? and width = ? and hash = ?",
            (self.model, self.width, digest),
        ).fetchone()
        return None if row is None else array("f", row[0])
