"""Bulk ingest through the product's own path with a model that costs nothing, the indexes live."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bench.database import BenchError, connect
from bench.generate import Document, documents
from bench.world import World, make_world
from ingest.embedding.calls import active_set
from ingest.items import Item
from ingest.load import load_paths

# enough that starting does not count: a bulk ingest is longer still
NEW_CHUNKS = 3000
# another stream than any corpus has
_OTHER_SEED = 1_000_003


@dataclass(frozen=True, slots=True)
class Ingest:
    """Documents that were read, parsed, chunked, embedded by a fake, indexed and published.

    `chunks` are those chunk_text cut."""

    documents: int
    chunks: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Chunks."""
        return self.chunks / self.seconds


class StoredEmbedder:
    """An embedder that hands out prepared vectors, in turn."""

    name = "stored"

    def __init__(self, model: str, width: int, vectors: list[list[float]]) -> None:
        self.model = model
        self.width = width
        self._vectors = cycle(vectors)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return list(islice(self._vectors, len(texts)))

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        return self.embed(texts)

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


def new_documents(world: World, *, chunks: int = NEW_CHUNKS) -> list[Document]:
    """Documents of the same kind that the corpus does not hold."""
    return list(
        documents(make_world(chunks=chunks, width=world.width, seed=world.seed + _OTHER_SEED))
    )


def measure_ingest(url: str, world: World, new: Sequence[Document], *, folder: Path) -> Ingest:
    """These documents as text files, for authorities of this world, as `pgkb ingest` reads them."""
    codes = cycle([place.la_code for place in world.places if place.kind == "la"])
    items = []
    for document in new:
        path = folder / f"{document.document_id}.txt"
        path.write_text(_body(document))
        items.append(
            Item(
                path=path,
                source=f"https://new.example/{document.document_id}",
                title=document.title,
                la_code=next(codes),
                tags=tuple(document.tags),
                document_type=document.document_type,
            )
        )
    with connect(url) as db:
        active = active_set(db)
    vectors = [row for document in new for row in document.vectors.tolist()]
    embedder = StoredEmbedder(active.model, active.width, vectors)
    started = time.monotonic()
    results = list(load_paths(url, items, embedder=embedder))
    seconds = time.monotonic() - started
    if bad := [result for result in results if result.status != "stored"]:
        raise BenchError(f"a new document was {bad[0].status}: {bad[0].reason}")
    return Ingest(len(results), sum(result.chunks for result in results), seconds)


def _body(document: Document) -> str:
    """The text its overlapping chunks were cut from."""
    body = ""
    for chunk in document.chunks:
        body = body[: chunk.start_at - 1].ljust(chunk.start_at - 1) + chunk.content
    return body
