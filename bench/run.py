"""One bench, from an empty database to its results."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import anatomy, baseline, pages, report, upkeep
from bench.bands import measure_bands
from bench.clients import SECONDS, measure_throughput
from bench.database import Bed, Say, bench_bed, connect
from bench.http import measure_http
from bench.ingesting import NEW_CHUNKS, measure_ingest, new_documents
from bench.load import load
from bench.measure import Sessions, measure_keyword_recall, measure_latency, measure_recall
from bench.peers import MOST_CHUNKS, measure_peers
from bench.queries import make_questions
from bench.results import Results
from bench.world import World, make_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to measure; the last three bound how long it takes."""

    chunks: int
    width: int
    seed: int = 1
    questions_per_cell: int = 12
    keep: bool = False
    peer_chunks: int = MOST_CHUNKS
    new_chunks: int = NEW_CHUNKS
    client_seconds: float = SECONDS


def run(options: Options, say: Say) -> Results:
    """Raises BenchError, and what the server and the deploy raise."""
    started = time.monotonic()
    # what else the machine does while ratios are taken
    busy = f"{os.getloadavg()[0]:.1f} before the run"
    world = make_world(chunks=options.chunks, width=options.width, seed=options.seed)
    with bench_bed(keep=options.keep, say=lambda _: None) as bed:
        return _run(bed, world, options, say, started=started, busy=busy)


def _run(
    bed: Bed, world: World, options: Options, say: Say, *, started: float, busy: str
) -> Results:
    with connect(bed.url) as db:
        say(f"loading {options.chunks:,} chunks of {options.width} dimensions")
        loaded = load(db, world, say=say)
        say("copying them into the flat table they are compared with")
        plain = baseline.build(db, set_id=loaded.set_id, width=options.width)
        questions = make_questions(
            db, world, set_id=loaded.set_id, per_cell=options.questions_per_cell
        )
        db.rollback()
        with (
            baseline.vector_session(bed.url, iterative=False) as bare,
            baseline.vector_session(bed.url, iterative=True) as iterative,
        ):
            sessions = Sessions(search=db, bare=bare, iterative=iterative)
            say(f"timing {len(questions)} questions")
            latency = measure_latency(sessions, questions, plain=plain, set_id=loaded.set_id)
            say("recall")
            recall = measure_recall(sessions, questions, plain=plain, set_id=loaded.set_id)
        bands = measure_bands(db, questions, set_id=loaded.set_id, seed=options.seed)
        keyword_recall = measure_keyword_recall(db, questions)
        say("cost of functions, chunking, pages written")
        functions = anatomy.measure_functions(db, questions)
        chunking = anatomy.measure_chunking(db)
        stored = anatomy.measure_bytes(db, set_id=loaded.set_id)
        index_bytes = anatomy.vector_index_bytes(db, set_id=loaded.set_id)
        written = pages.measure_pages(db, set_id=loaded.set_id)
        say("several clients at once")
        throughput = measure_throughput(bed.url, questions, seconds=options.client_seconds)
        say("the same over HTTP")
        http = measure_http(bed.url, questions)
        say("bulk ingest")
        new = new_documents(world, chunks=options.new_chunks)
        with tempfile.TemporaryDirectory(prefix="pgkb-bench-") as folder:
            ingested = measure_ingest(bed.url, world, new, folder=Path(folder))
        say("the peers")
        peers = measure_peers(
            db,
            bed.url,
            questions,
            set_id=loaded.set_id,
            width=options.width,
            most_chunks=options.peer_chunks,
        )
        machine = report.machine(db) | {"load average": busy}
    say("a restart, if the server is ours")
    cold = upkeep.measure_cold_start(bed, questions)
    with connect(bed.url) as db:
        say("deleting and vacuuming")
        vacuum = upkeep.measure_vacuum(db, set_id=loaded.set_id)
    return Results(
        chunks=options.chunks,
        width=options.width,
        seed=options.seed,
        machine=machine,
        seconds=time.monotonic() - started,
        load=loaded,
        latency=latency,
        recall=recall,
        bands=bands,
        keyword_recall=keyword_recall,
        pages=written,
        functions=functions,
        chunking_mb_per_second=chunking,
        bytes=stored,
        vector_index_bytes=index_bytes,
        plain=plain,
        throughput=throughput,
        http=http,
        ingest=ingested,
        peers=peers,
        cold_start=cold,
        vacuum=vacuum,
    )
