"""Every statement of upkeep: a worker's rounds, and the plans of people.

Plans are made in SQL; their statements run here one by one, as they may not in a function.
"""

from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row, scalar_row

from ingest.rows import count


def fold_statistics(db: psycopg.Connection) -> int:
    """Fold the noted changes into the search statistics."""
    return count(db, "select search.fold_statistics()")


def refresh_postings(db: psycopg.Connection) -> int:
    """Make the posting lists of scopes that changed much; for how many."""
    return count(db, "select search.refresh_postings()")


def purge_records(db: psycopg.Connection) -> int:
    """Remove a batch of the search records that are old enough."""
    return count(db, "select search.purge_records()")


def purge_people(db: psycopg.Connection) -> int:
    """Remove sessions and limits that are over, and what is left of people who left."""
    return count(db, "select privacy.purge()")


def purge_conversations(db: psycopg.Connection) -> int:
    """Remove a batch of conversations whose time is over; returns how many went."""
    return count(db, "select chat.purge()")


def discard_abandoned(db: psycopg.Connection) -> int:
    """Remove staged versions that nobody will finish."""
    return count(db, "select corpus.discard_abandoned()")


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A statement of a plan; `fits` is false for a build that memory does not suffice for."""

    task: str
    target: str
    statement: str
    why: str
    disk_bytes: int | None
    graph_bytes: int | None
    memory_bytes: int | None
    fits: bool


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Where the build of an index is; `done` is a share of the phase."""

    index_name: str | None
    phase: str
    done: float | None
    waits: bool


@dataclass(frozen=True, slots=True)
class BandRecall:
    """What an audit found in one band of selectivity."""

    band: str
    selectivity: float | None
    queries: int
    mean_recall: float | None
    worst_recall: float | None
    mean_ms: float | None
    plans: str | None
    alert: bool


# the key of the lock that one upkeep or rebuild at a time holds
_UPKEEP_LOCK = "hashtextextended('dba.upkeep', 0)"


def open_upkeep(db: psycopg.Connection, *, memory: str | None) -> None:
    """Make the session end with us, however we end, and give builds this much memory."""
    # a server process that outlives a killed client would build on, and hold the lock
    db.execute("set client_connection_check_interval = '2s'")
    if memory is not None:
        db.execute("select set_config('maintenance_work_mem', %s, false)", [memory])


def lock_upkeep(db: psycopg.Connection) -> bool:
    """Hold the lock of upkeep until it is given back; false when another session does."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(cursor.execute(f"select pg_try_advisory_lock({_UPKEEP_LOCK})").fetchone())


def unlock_upkeep(db: psycopg.Connection) -> None:
    """Give the lock back at once: a session ends some time after its client has closed it."""
    db.execute(f"select pg_advisory_unlock({_UPKEEP_LOCK})")


def upkeep_plan(db: psycopg.Connection) -> list[PlannedStep]:
    """What upkeep would do now."""
    with db.cursor(row_factory=class_row(PlannedStep)) as cursor:
        return cursor.execute(
            "select task, target, statement, why, disk_bytes, graph_bytes, memory_bytes, fits"
            " from dba.upkeep_plan() order by step"
        ).fetchall()


def rebuild_plan(db: psycopg.Connection, *, index_name: str | None) -> list[PlannedStep]:
    """What rebuilding this index, or every vector index, takes. Raises UP001 and UP003."""
    with db.cursor(row_factory=class_row(PlannedStep)) as cursor:
        return cursor.execute(
            "select 'rebuild' as task, target, statement, why, disk_bytes, graph_bytes,"
            " memory_bytes, fits from dba.rebuild_plan(index_name => %(index_name)s) order by step",
            {"index_name": index_name},
        ).fetchall()


def run_step(db: psycopg.Connection, *, statement: str) -> None:
    """Run one statement of a plan, which quoted its names itself."""
    db.execute(statement.encode())


def note_builds(db: psycopg.Connection) -> int:
    """Note which vector indexes were built since the last time."""
    return count(db, "select dba.note_builds()")


def build_progress(db: psycopg.Connection) -> BuildProgress | None:
    """The build that runs in this database, as far as this login may see it."""
    with db.cursor(row_factory=class_row(BuildProgress)) as cursor:
        return cursor.execute(
            "select index_name, phase, done, waits from dba.index_build_progress limit 1"
        ).fetchone()


def recall_audit(db: psycopg.Connection, *, sample: int) -> list[BandRecall]:
    """Measure recall by bands of selectivity and keep it. Raises UP002."""
    with db.cursor(row_factory=class_row(BandRecall)) as cursor:
        return cursor.execute(
            "select band, selectivity::double precision, queries,"
            " mean_recall::double precision, worst_recall::double precision,"
            " mean_ms::double precision, plans, alert"
            " from dba.recall_audit(sample => %(sample)s)",
            {"sample": sample},
        ).fetchall()
