"""Two stores a user would pick instead, on the same server with the same chunks and vectors."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from psycopg import conninfo

from bench.database import Connection, whole_number
from bench.generate import Document
from bench.measure import ROUNDS, Timing, search_times, timing_of
from bench.queries import Question, answerable

MOST_CHUNKS = 50_000
MOST_ADDED = 2000
# they rank by words over everything any word matches: a few questions must do
MOST_QUESTIONS = 60
PYTHON = Path("build/peers/bin/python")
_WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True, slots=True)
class Peer:
    """A store; its times are those of hybrid search as its manual describes it."""

    name: str
    query: Timing
    answered: int
    index_bytes: int
    index_seconds: float
    added: int
    add_seconds: float

    @property
    def add_per_second(self) -> float:
        """Chunks, their vectors given, indexes live."""
        return self.added / self.add_seconds


@dataclass(frozen=True, slots=True)
class Peers:
    """What they did with the first `chunks` chunks, and search_kb with the same questions over
    the whole corpus. `peers` is empty where they are not installed; `reason` says so."""

    chunks: int
    search_kb: Timing | None
    peers: list[Peer]
    reason: str = ""


def measure_peers(
    db: Connection,
    url: str,
    questions: Sequence[Question],
    new: Sequence[Document],
    *,
    width: int,
    most_chunks: int,
) -> Peers:
    """Questions without tags, which the peers cannot filter by; then the new chunks are added."""
    python = Path(os.environ.get("PGKB_BENCH_PEERS", PYTHON))
    if not python.exists():
        return Peers(0, None, [], f"not installed: make peers, or set PGKB_BENCH_PEERS ({python})")
    if width > 2000:
        return Peers(0, None, [], "their index takes at most 2000 dimensions")
    chunks = min(most_chunks, whole_number(db, "select count(*) from baseline.flat_passage"))
    db.rollback()
    asked = [q for _, q in answerable(questions) if q.tags is None][:MOST_QUESTIONS]
    added = [
        ({"content": chunk.content, "scope": document.place.la_code or "national",
          "status": chunk.status}, vector)
        for document in new
        for chunk, vector in zip(document.chunks, document.vectors, strict=True)
    ][:MOST_ADDED]  # fmt: skip
    ours = timing_of("search_kb", search_times(db, asked))
    with tempfile.TemporaryDirectory(prefix="pgkb-bench-") as folder:
        vectors = Path(folder) / "vectors.npy"
        np.save(
            vectors,
            np.stack([*(q.vector.to_numpy() for q in asked), *(vector for _, vector in added)]),
        )
        job = {
            "server": conninfo.conninfo_to_dict(url),
            "width": width,
            "chunks": chunks,
            "rounds": ROUNDS,
            "questions": [
                {"text": q.text, "scopes": ["national", *filter(None, (q.la, q.home_la, q.urn))]}
                for q in asked
            ],
            "new": [new for new, _ in added],
            "vectors": str(vectors),
        }
        # the job holds the password, so it goes through a pipe and not through a file
        done = subprocess.run(
            [python, _WORKER], input=json.dumps(job), capture_output=True, text=True, check=False
        )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return Peers(chunks, ours, [], f"they failed: {said[-1][:200]}")
    return Peers(
        chunks,
        ours,
        [
            Peer(
                name=found["peer"],
                query=timing_of(found["peer"], found["times"]),
                answered=found["answered"],
                index_bytes=found["index_bytes"],
                index_seconds=found["index_seconds"],
                added=found["added"],
                add_seconds=found["add_seconds"],
            )
            for found in json.loads(done.stdout.splitlines()[-1])
        ],
    )
