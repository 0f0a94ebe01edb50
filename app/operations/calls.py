"""The statements behind health and metrics."""

from dataclasses import dataclass

from app.calls import Connection


@dataclass(frozen=True, slots=True)
class Check:
    """One thing readiness looks at: `state` is ok, warn or fail."""

    name: str
    state: str
    finding: str


@dataclass(frozen=True, slots=True)
class VitalSigns:
    """What metrics show of the database."""

    invalid_indexes: int
    tasks_ready: int
    tasks_running: int
    tasks_dead: int
    oldest_ready_seconds: float


async def readiness(db: Connection, *, migration: str | None) -> list[Check]:
    """Every check, in order; `migration` is the newest one this program knows."""
    rows = await db.fetch(
        "select name, state, finding from dba.readiness(expected => $1::text)", migration
    )
    return [Check(**dict(row)) for row in rows]


async def vital_signs(db: Connection) -> VitalSigns:
    """The figures for monitoring."""
    row = await db.fetchrow(
        "select invalid_indexes, tasks_ready, tasks_running, tasks_dead, oldest_ready_seconds"
        " from dba.vital_signs()"
    )
    if row is None:
        raise LookupError("a statement that always has a row had none")
    return VitalSigns(**dict(row))
