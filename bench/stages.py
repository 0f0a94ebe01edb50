"""Where the time of an ingest goes: the stages of a document's way, one after the other.

`ingest.load` runs stages beside each other, so that its time says nothing about theirs. Here the
same documents go through the same calls in turn, as each kind of file, with vectors at hand.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import psycopg

from bench.database import BenchError
from bench.generate import Document
from bench.world import World
from ingest import calls
from ingest.connect import connect
from ingest.embedding import calls as embedding
from ingest.parse import Refused, Sandbox
from ingest.samples.docx import as_docx
from ingest.samples.pages import as_html, as_txt
from ingest.samples.pdf import as_pdf
from ingest.samples.source import Heading, Paragraph, Sample
from ingest.tasks import calls as tasks

STAGES = ("parse", "chunk", "stage", "list texts to embed", "store vectors", "publish")
DOCUMENTS = 20
_SITE = "bench.example"
_DAY = date(2025, 6, 1)
_MAKERS: dict[str, Callable[[Sample], bytes]] = {
    "txt": as_txt,
    "html": lambda sample: as_html(sample, site=_SITE),
    "docx": lambda sample: as_docx(sample, site=_SITE),
    "pdf": lambda sample: as_pdf(sample, site=_SITE),
}
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class StageCost:
    """Seconds of each of STAGES over all documents of one kind of file."""

    kind: str
    documents: int
    chunks: int
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        """Seconds."""
        return sum(self.seconds.values())


def measure_stages(
    url: str, world: World, documents: Sequence[Document], *, folder: Path
) -> list[StageCost]:
    """The first documents as every kind of file, each kind for an authority of its own."""
    codes = [place.la_code for place in world.places if place.kind == "la"]
    with closing(connect(url)) as db, Sandbox() as sandbox:
        return [
            _measure(
                _Way(
                    db, sandbox, embedding.active_set(db), folder, kind, codes[number % len(codes)]
                ),
                documents[:DOCUMENTS],
            )
            for number, kind in enumerate(_MAKERS)
        ]


@dataclass(frozen=True, slots=True)
class _Way:
    """What all documents of one kind of file pass."""

    db: psycopg.Connection
    sandbox: Sandbox
    active: embedding.EmbeddingSet
    folder: Path
    kind: str
    la_code: str | None


def _measure(way: _Way, documents: Sequence[Document]) -> StageCost:
    seconds = dict.fromkeys(STAGES, 0.0)
    chunks = sum(_ingest(way, document, seconds) for document in documents)
    return StageCost(way.kind, len(documents), chunks, seconds)


def _ingest(way: _Way, document: Document, seconds: dict[str, float]) -> int:
    """One document to its end, what each stage took added to `seconds`; returns its chunks."""

    def timed(stage: str, call: Callable[[], _Result]) -> _Result:
        started = time.perf_counter()
        result = call()
        seconds[stage] += time.perf_counter() - started
        return result

    db, active = way.db, way.active
    path = way.folder / f"stage-{document.document_id}.{way.kind}"
    path.write_bytes(_MAKERS[way.kind](_sample(document, path, way.kind)))
    try:
        parsed = timed("parse", lambda: way.sandbox.parse(path))
    except Refused as refused:
        raise BenchError(f"a made-up {way.kind} file was refused: {refused.reason}") from None
    new = calls.NewDocument(
        source=path.name,
        title=document.title,
        body=parsed.text,
        file_type=parsed.file_type,
        la_code=way.la_code,
        tags=document.tags,
        metadata=parsed.metadata,
    )
    before = seconds["chunk"]
    timed("chunk", lambda: _cut(db, parsed.text))
    staged = timed("stage", lambda: calls.stage_document(db, new=new, lease_holder="bench"))
    # staging cuts the text as well
    seconds["stage"] -= seconds["chunk"] - before
    if staged.task_id is None or staged.lease_token is None:
        raise BenchError(f"a made-up {way.kind} file was {staged.outcome}, not staged")
    task_ids, lease_tokens = [staged.task_id], [staged.lease_token]
    lacking = timed(
        "list texts to embed",
        lambda: embedding.chunks_to_embed(
            db,
            version_id=staged.version_id,
            batch_size=staged.chunk_count,
            set_name=active.name,
        ),
    )
    rows = document.vectors.tolist()
    timed(
        "store vectors",
        lambda: embedding.store_vectors(
            db,
            chunk_ids=[chunk.chunk_id for chunk in lacking],
            vectors=[rows[at % len(rows)] for at in range(len(lacking))],
            set_name=active.name,
        ),
    )
    timed(
        "publish",
        lambda: tasks.publish_tasks(db, task_ids=task_ids, lease_tokens=lease_tokens),
    )
    return staged.chunk_count


def _cut(db: psycopg.Connection, text: str) -> None:
    db.execute("select count(*) from corpus.chunk_text(%s)", [text]).fetchall()


def _sample(document: Document, path: Path, kind: str) -> Sample:
    """The document as its makers of files want it: a heading over every passage's new text."""
    starts = [chunk.start_at for chunk in document.chunks]
    ends = [*(after - at for at, after in pairwise(starts)), None]
    bodies = [chunk.content[:end] for chunk, end in zip(document.chunks, ends, strict=True)]
    blocks = [
        block
        for number, body in enumerate(bodies, start=1)
        for block in (Heading(2, f"Part {number}"), Paragraph(" ".join(body.split())))
    ]
    return Sample(
        path=path,
        title=document.title,
        format=kind,
        la_code=None,
        school_urn=None,
        authority=document.authority,
        document_type=document.document_type,
        effective_date=_DAY,
        tags=tuple(document.tags),
        blocks=(Heading(1, document.title), *blocks),
    )
