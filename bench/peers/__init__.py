"""Two stores a user would pick instead, on the same server with the same chunks and vectors."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from psycopg import conninfo, sql

from bench.database import Connection, whole_number
from bench.measure import ROUNDS, Timing, search_times, timing_of
from bench.queries import Question, answerable

NAMES = ("langchain-postgres", "llama-index-vector-stores-postgres")
MOST_CHUNKS = 50_000
MOST_ADDED = 2000
# they rank by words over everything any word matches: a few questions must do
MOST_QUESTIONS = 40
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
    the whole corpus. `reason` says why one is missing."""

    chunks: int
    search_kb: Timing | None
    peers: list[Peer]
    reason: str = ""


def measure_peers(
    db: Connection,
    url: str,
    questions: Sequence[Question],
    *,
    set_id: int,
    width: int,
    most_chunks: int,
) -> Peers:
    """Questions without tags, which the peers cannot filter by; then they add the chunks that
    were ingested after the flat table was made, as the ingest cut and embedded them."""
    python = Path(os.environ.get("PGKB_BENCH_PEERS", PYTHON))
    if not python.exists():
        return Peers(0, None, [], f"not installed: make peers, or set PGKB_BENCH_PEERS ({python})")
    chunks = min(most_chunks, whole_number(db, "select count(*) from baseline.flat_passage"))
    asked = [q for _, q in answerable(questions) if q.tags is None][:MOST_QUESTIONS]
    added = db.execute(
        sql.SQL(
            "select c.content, coalesce(s.school_urn, s.la_code, 'national'), f.status, "
            "v.embedding from corpus.chunk as c "
            "inner join corpus.scope as s on c.scope_id = s.scope_id "
            "inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id "
            "inner join {} as v on c.chunk_id = v.chunk_id "
            "where c.chunk_id > (select max(p.id) from baseline.flat_passage as p) "
            "order by c.chunk_id limit {}"
        ).format(sql.Identifier("embedding", f"vector_{set_id}"), sql.Literal(MOST_ADDED))
    ).fetchall()
    db.rollback()
    ours = timing_of("search_kb", search_times(db, asked))
    with tempfile.TemporaryDirectory(prefix="pgkb-bench-") as folder:
        vectors = Path(folder) / "vectors.npy"
        np.save(
            vectors,
            np.stack(
                [
                    v.to_numpy().astype(np.float32)
                    for v in (*(q.vector for q in asked), *(row[3] for row in added))
                ]
            ),
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
            "new": [
                {"content": content, "scope": scope, "status": status}
                for content, scope, status, _ in added
            ],
            "vectors": str(vectors),
        }
        found = [_ask(python, name, json.dumps(job)) for name in NAMES]
    return Peers(
        chunks,
        ours,
        [peer for peer in found if isinstance(peer, Peer)],
        "; ".join(peer for peer in found if isinstance(peer, str)),
    )


def _ask(python: Path, name: str, job: str) -> Peer | str:
    """What the peer came to, or why there is nothing."""
    # the job holds the password, so it goes through a pipe and not through a file
    done = subprocess.run(
        [python, _WORKER, name], input=job, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return f"{name} failed: {said[-1][:200]}"
    found = json.loads(done.stdout.splitlines()[-1])
    return Peer(
        name=found["peer"],
        query=timing_of(found["peer"], found["times"]),
        answered=found["answered"],
        index_bytes=found["index_bytes"],
        index_seconds=found["index_seconds"],
        added=found["added"],
        add_seconds=found["add_seconds"],
    )
