"""`python -m bench churn`: what recall is left when a corpus is replaced piece by piece.

Each round gives a share of the documents a new version the way ingest does (staged, embedded,
published), measures recall through the index, runs the upkeep job and measures again. The
questions stay the same, in the cache where those of people are. The candidate list is as short as
the answer, so that a worse graph shows at once instead of hiding behind a long list.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from pgvector import Vector

from bench.database import BenchError, Connection, Say, bench_database, connect, whole_number
from bench.load import load
from bench.world import Floats, World, make_world, normalised
from ingest.upkeep import plans as upkeep

# the goal of the project: points of recall@20 that upkeep may leave lost
MOST_LOST = 1.0
K = 20
# how like a new version is to the old one, and a question to its passage
_KEPT, _LIKE = 0.7, 0.8


@dataclass(frozen=True, slots=True)
class Round:
    """Recall of one round, before and after its upkeep, and what that did."""

    number: int
    replaced: int
    churned: float
    kept_up: float
    worst: float
    dead_rows: int
    rebuilt: int
    vacuumed: int
    upkeep_seconds: float


@dataclass(frozen=True, slots=True)
class Churn:
    """All rounds, and the recall they began with."""

    chunks: int
    width: int
    share: float
    questions: int
    before: float
    rounds: list[Round]

    @property
    def lost(self) -> float:
        """Points of recall lost after the worst round's upkeep."""
        return 100 * (self.before - min(done.kept_up for done in self.rounds))


def main(arguments: Sequence[str]) -> int:
    """0 when upkeep keeps recall, 1 when it does not; errors are those of `python -m bench`."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    found = run(
        chunks=options.chunks, width=options.width, rounds=options.rounds, share=options.share,
        questions=options.questions, seed=options.seed, keep=options.keep, say=say,
    )  # fmt: skip
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({**asdict(found), "lost": found.lost}, indent=1) + "\n")
    print(to_table(found))
    print(f"\nwritten to {options.json}")
    return int(found.lost > MOST_LOST)


def run(
    *, chunks: int, width: int, rounds: int, share: float, questions: int, seed: int,
    keep: bool = False, say: Say,
) -> Churn:  # fmt: skip
    """One churn bench, from an empty database to its figures."""
    world = make_world(chunks=chunks, width=width, seed=seed)
    rng = np.random.default_rng([seed, 77])
    with bench_database(keep=keep, say=lambda _: None) as url, connect(url) as db:
        say(f"loading {chunks:,} chunks of {width} dimensions")
        set_id = load(db, world, say=lambda _: None).set_id
        _ask(db, world, rng, set_id=set_id, count=questions)
        before, _ = _measure(db, questions=questions)
        say(f"recall@{K} {before:.4f}")
        done = []
        for number in range(1, rounds + 1):
            replaced = _replace(db, world, rng, set_id=set_id, share=share, edition=number)
            churned, _ = _measure(db, questions=questions)
            db.execute("select pg_stat_force_next_flush()")
            db.commit()
            dead = whole_number(
                db,
                "select dead_rows from dba.our_table where table_name = 'embedding.vector_' || %s",
                [set_id],
            )
            db.commit()
            started = time.monotonic()
            steps, _ = upkeep.upkeep(url, sample=0, options=upkeep.Options())
            seconds = time.monotonic() - started
            if failed := [step for step in steps if step.outcome in {"failed", "left out"}]:
                raise BenchError(f"upkeep of {failed[0].target}: {failed[0].reason}")
            kept_up, worst = _measure(db, questions=questions)
            done.append(
                Round(
                    number=number,
                    replaced=replaced,
                    churned=churned,
                    kept_up=kept_up,
                    worst=worst,
                    dead_rows=dead,
                    rebuilt=sum(step.task == "rebuild" for step in steps),
                    vacuumed=sum(step.statement.startswith("vacuum") for step in steps),
                    upkeep_seconds=round(seconds, 2),
                )
            )
            say(f"round {number}: {churned:.4f}, after upkeep {kept_up:.4f}")
    return Churn(
        chunks=chunks, width=width, share=share, questions=questions, before=before, rounds=done
    )


def to_table(found: Churn) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"recall@{K} through the index, {found.chunks:,} chunks of {found.width} dimensions, "
        f"{100 * found.share:.0f} % replaced in each round, {found.questions} questions; "
        f"{found.before:.4f} before",
        "",
        "| round | replaced | recall, churned | after upkeep | worst question | rebuilt | vacuumed "
        "| upkeep |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {done.number} | {done.replaced:,} | {done.churned:.4f} | {done.kept_up:.4f} "
        f"| {done.worst:.2f} | {done.rebuilt} | {done.vacuumed} | {done.upkeep_seconds:.1f} s |"
        for done in found.rounds
    ]
    kept = "kept" if found.lost <= MOST_LOST else "MISSED"
    lines += ["", f"lost at worst: {found.lost:.2f} points, goal at most {MOST_LOST}: {kept}"]
    return "\n".join(lines)


def _measure(db: Connection, *, questions: int) -> tuple[float, float]:
    """Mean and worst recall over the whole corpus, through the index, with the shortest list."""
    for name, value in (
        ("kb.exact_limit", "0"), ("kb.ef_search", str(K)), ("kb.candidates", str(K))
    ):  # fmt: skip
        db.execute("select set_config(%s, %s, true)", [name, value])
    row = db.execute(
        "select mean_recall, worst_recall"
        " from dba.measure_recall(sample => %s, k => %s, bands => '{everything}')",
        [questions, K],
    ).fetchone()
    db.commit()
    if row is None or row[0] is None:
        raise BenchError("no question found anything; load more chunks")
    return float(row[0]), float(row[1])


def _ask(
    db: Connection, world: World, rng: np.random.Generator, *, set_id: int, count: int
) -> None:
    """Put questions near passages into the cache of questions asked before."""
    rows = db.execute(
        "select v.embedding from embedding.vector as v where v.set_id = %s"
        " order by md5(v.chunk_id::text) limit %s",
        [set_id, count],
    ).fetchall()
    near = _like(np.array([row[0].to_list() for row in rows]), world, rng, cosine=_LIKE)
    for number, vector in enumerate(near):
        db.execute(
            "select embedding.remember_query(%s, %s, %s)",
            ["bench", f"question {number}", Vector(vector)],
        )
    db.commit()


def _replace(
    db: Connection, world: World, rng: np.random.Generator, *, set_id: int, share: float,
    edition: int,
) -> int:  # fmt: skip
    """Publish a new version of so many documents that they hold this share of the chunks."""
    total = whole_number(db, "select count(*) from search.text_index")
    replaced = 0
    for version_id, size in _drawn_versions(db, rng):
        if replaced >= share * total:
            break
        _publish_edition(db, world, rng, version_id=version_id, set_id=set_id, edition=edition)
        replaced += size
    return replaced


def _drawn_versions(db: Connection, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    rows = db.execute(
        "select v.version_id, count(*) from corpus.version as v"
        " inner join corpus.chunk as c on c.version_id = v.version_id"
        " where v.state = 'published' group by v.version_id order by v.version_id"
    ).fetchall()
    for at in rng.permutation(len(rows)):
        yield rows[at][0], rows[at][1]


def _publish_edition(
    db: Connection, world: World, rng: np.random.Generator, *, version_id: int, set_id: int,
    edition: int,
) -> None:  # fmt: skip
    """The document with another beginning, which moves every chunk, and vectors like its own."""
    rows = db.execute(
        "select e.embedding from embedding.vector as e"
        " inner join corpus.chunk as c on c.chunk_id = e.chunk_id"
        " where e.set_id = %s and c.version_id = %s",
        [set_id, version_id],
    ).fetchall()
    about = normalised(np.array([row[0].to_list() for row in rows]).mean(axis=0, keepdims=True))
    staged = db.execute(
        "select s.version_id, s.chunk_count, s.task_id, s.lease_token"
        " from corpus.version as v"
        " inner join corpus.document as d on d.document_id = v.document_id"
        " inner join corpus.scope as o on o.scope_id = d.scope_id"
        " cross join lateral corpus.stage_document(source => d.source, title => v.title,"
        " body => (select 'Edition ' || %(edition)s || '. ' || string_agg("
        "left(p.content, p.length), '' order by p.chunk_index)"
        " from (select c.content, c.chunk_index, coalesce(lead(c.start_at)"
        " over (order by c.chunk_index) - c.start_at, 1000000) as length"
        " from corpus.chunk as c where c.version_id = v.version_id) as p),"
        " file_type => v.file_type, la_code => case when o.kind = 'la' then o.la_code end,"
        " school_urn => o.school_urn, tags => v.tags, authority => v.authority,"
        " effective_date => v.effective_date, lease_holder => 'bench') as s"
        " where v.version_id = %(version_id)s",
        {"edition": edition, "version_id": version_id},
    ).fetchone()
    if staged is None:
        raise LookupError(f"version {version_id} is gone")
    new_version, count, task, token = staged
    vectors = _like(np.repeat(about, count, axis=0), world, rng, cosine=_KEPT)
    db.execute(
        "select embedding.store_vectors(array(select c.chunk_id from corpus.chunk as c"
        " where c.version_id = %s order by c.chunk_index), %s)",
        [new_version, [Vector(vector).to_text() for vector in vectors]],
    )
    db.execute("select corpus.publish_version(%s)", [new_version])
    db.execute("select queue.finish_task(%s, %s)", [task, token])
    db.commit()


def _like(rows: Floats, world: World, rng: np.random.Generator, *, cosine: float) -> Floats:
    """Unit vectors at about this cosine to the rows."""
    noise = world.noise(rng, len(rows))
    return normalised((cosine * rows + np.sqrt(1 - cosine**2) * noise).astype(np.float32))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench churn",
        description="Replace a share of the corpus in rounds, run the upkeep job after each, and "
        "report recall before and after it. Exit code 1 when more than a point is lost.",
    )
    parser.add_argument("--chunks", type=int, default=6000, metavar="N")
    parser.add_argument("--width", type=int, choices=(384, 1536), default=384)
    parser.add_argument("--rounds", type=int, default=10, metavar="N")
    parser.add_argument("--share", type=float, default=0.1, metavar="SHARE")
    parser.add_argument("--questions", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--keep", action="store_true", help="keep the database for a closer look")
    parser.add_argument("--json", type=Path, default=Path("build/churn.json"), metavar="FILE")
    return parser
