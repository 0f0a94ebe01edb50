"""What the indexes cost later: VACUUM after deleting, and the first search of a server."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from psycopg import sql

from bench.baseline import WORD_INDEX
from bench.database import Bed, Connection, connect, whole_number
from bench.measure import SEARCH
from bench.queries import Question, answerable

# one document in so many goes
ONE_IN = 20
_WARM_QUESTIONS = 20


@dataclass(frozen=True, slots=True)
class Vacuum:
    """Seconds until nothing of the deleted is left, after the same chunks went from both tables.

    `seconds` and `flat_seconds` are those of VACUUM alone, `upkeep_seconds` those of what upkeep
    runs on ours: the rebuilds, and the VACUUM of a table whose graphs have nothing to repair.
    """

    deleted: int
    share: float
    seconds: float
    flat_seconds: float
    upkeep_seconds: float


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Milliseconds after a restart: connecting with the first search, the next search in that
    session, a first search in a second session, and a search when all is warm.

    None where the server is not the bench's to restart; `reason` says so. The files are still in
    the system's cache: a machine that was started anew is slower.
    """

    first: float | None
    second: float | None
    new_session: float | None
    warm: float | None
    reason: str = ""


def measure_vacuum(db: Connection, *, set_id: int) -> Vacuum:
    """Delete whole documents, about 5 %, from the vectors, with them their bits, and from the flat
    table, which loses its text index first: only then are vector indexes compared. The corpus is
    of no use afterwards."""
    ours = sql.Identifier("embedding", f"vector_{set_id}")
    bits = sql.Identifier("embedding", "bit_vector")
    flat = sql.Identifier("baseline", "flat_passage")
    before = whole_number(db, "select count(*) from baseline.flat_passage")
    for table in (ours, bits, flat):
        db.execute(sql.SQL("alter table {} set (autovacuum_enabled = false)").format(table))
    db.execute(sql.SQL("drop index {}").format(sql.Identifier("baseline", WORD_INDEX)))
    db.execute("select dba.note_builds()")
    gone = _chunks_of_every(db, ONE_IN, rest=0)
    db.execute(sql.SQL("delete from {} where chunk_id = any(%s)").format(ours), [gone])
    deleted = db.execute(sql.SQL("delete from {} where id = any(%s)").format(flat), [gone]).rowcount
    db.execute("select pg_stat_force_next_flush()")
    db.commit()
    db.autocommit = True
    started = time.monotonic()
    rebuilds = db.execute(
        "select u.statement from dba.upkeep_plan() as u"
        " where u.task in ('note', 'rebuild') order by u.step"
    ).fetchall()
    for (statement,) in rebuilds:
        db.execute(sql.SQL(statement))
    _vacuum(db, ours, bits)
    upkeep_seconds = time.monotonic() - started
    # as many again, for VACUUM alone
    gone = _chunks_of_every(db, ONE_IN, rest=1)
    db.execute(sql.SQL("delete from {} where chunk_id = any(%s)").format(ours), [gone])
    seconds, flat_seconds = _vacuum(db, ours, bits), _vacuum(db, flat)
    db.autocommit = False
    return Vacuum(deleted, deleted / before, seconds, flat_seconds, upkeep_seconds)


def _chunks_of_every(db: Connection, documents: int, *, rest: int) -> list[int]:
    """The chunks of one document in so many."""
    return [
        row[0]
        for row in db.execute(
            "select c.chunk_id from corpus.chunk as c "
            "where mod(abs(hashint8(c.document_id)::bigint), %s) = %s",
            [documents, rest],
        )
    ]


def _vacuum(db: Connection, *tables: sql.Identifier) -> float:
    """Seconds it took."""
    started = time.monotonic()
    for table in tables:
        db.execute(sql.SQL("vacuum (index_cleanup on, process_toast off) {}").format(table))
    return time.monotonic() - started


def measure_cold_start(bed: Bed, questions: Sequence[Question]) -> ColdStart:
    """Restart the server and search. No session of the bench may be open."""
    if bed.restart is None:
        return ColdStart(
            None, None, None, None, "the server ran before the bench, so it is not restarted"
        )
    asked = [q for _, q in answerable(questions)]
    bed.restart()
    started = time.perf_counter()
    with connect(bed.url) as db:
        _search(db, asked[0])
        first = _since(started)
        started = time.perf_counter()
        _search(db, asked[1 % len(asked)])
        second = _since(started)
    started = time.perf_counter()
    with connect(bed.url) as db:
        _search(db, asked[0])
        new_session = _since(started)
        spent = []
        for question in asked[:_WARM_QUESTIONS] * 2:
            started = time.perf_counter()
            _search(db, question)
            spent.append(_since(started))
    return ColdStart(first, second, new_session, float(np.median(spent[len(spent) // 2 :])))


def _search(db: Connection, question: Question) -> None:
    db.execute(SEARCH, question.arguments()).fetchall()


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
