"""The statements behind `pgkb doctor`, for a login that may read tables and not only functions."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from app.calls import Connection, one_row


@dataclass(frozen=True, slots=True)
class UnusableSetting:
    """A setting of the database that makes requests fail; `legal` says what it can be."""

    name: str
    value: str
    given_by: str
    legal: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `pgkb doctor` asks the database beyond its health."""

    roles: list[str]
    packs: list[str]
    plpython_offered: bool
    chunks: int
    chunks_without_vector: int
    invalid_indexes: list[str]
    tasks_waiting: int
    tasks_dead: int
    records: int
    record_days: int
    record_bytes: int
    unfolded: int


Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Surface:
    """What the views of schema dba say, as rows by column."""

    index_health: Rows
    upkeep_due: Rows
    vacuum_plan: Rows
    recall: Rows
    settings: Rows
    storage: Rows


async def unusable_settings(db: Connection) -> list[UnusableSetting]:
    """The settings that have a value they cannot have. Those of this session are put aside, so
    that everything else can be looked at.
    """
    rows = await db.fetch(
        "select u.name, u.value, u.given_by, u.legal,"
        " set_config(u.name, '', false) as put_aside from config.unusable_settings() as u"
    )
    return [
        UnusableSetting(
            name=row["name"], value=row["value"], given_by=row["given_by"], legal=row["legal"]
        )
        for row in rows
    ]


async def packs_without_wording(db: Connection) -> list[str]:
    """Packs that were loaded before the database knew the texts of a chat."""
    rows = await db.fetch(
        "select p.pack from terms.pack as p"
        " where not exists (select from chat.wording as w where w.pack = p.pack) order by p.pack"
    )
    return [row["pack"] for row in rows]


async def diagnose(db: Connection) -> Diagnosis:
    """Counts and names that show whether the database is in order; reads tables directly, so it
    needs a login that may.
    """
    row = await one_row(
        db,
        "select"
        " array(select r.rolname::text from pg_catalog.pg_roles as r"
        " where r.rolname like 'pgkb\\_%' order by 1) as roles,"
        " array(select p.pack from terms.pack as p order by 1) as packs,"
        " exists (select from pg_catalog.pg_available_extensions as x"
        " where x.name = 'plpython3u') as plpython_offered,"
        " (select count(*) from search.text_index) as chunks,"
        " (select count(*) from search.text_index as t where not exists ("
        "select from embedding.vector as v inner join embedding.set as s on s.set_id = v.set_id"
        " where s.active and v.chunk_id = t.chunk_id)) as chunks_without_vector,"
        " array(select i.indexrelid::regclass::text from pg_catalog.pg_index as i"
        " where not i.indisvalid order by 1) as invalid_indexes,"
        " (select count(*) from queue.task as t where not t.dead) as tasks_waiting,"
        " (select count(*) from queue.task as t where t.dead) as tasks_dead,"
        " (select count(*) from search.record) as records,"
        " coalesce((select s.value::integer from config.settings as s"
        " where s.name = 'kb.record_days'), 0) as record_days,"
        " pg_total_relation_size('search.record') as record_bytes,"
        " (select count(*) from search.scope_delta as d where d.scope_id = 0) as unfolded",
    )
    return Diagnosis(**dict(row))


async def survey(db: Connection) -> Surface:
    """The views of schema dba, of recall the latest audit; needs a login that may."""
    return Surface(
        index_health=await _plain_rows(db, "select * from dba.index_health"),
        upkeep_due=await _plain_rows(
            db,
            "select p.task, p.target, p.why from dba.upkeep_plan() as p"
            " where p.task in ('list', 'index', 'rebuild') order by p.step",
        ),
        vacuum_plan=await _plain_rows(db, "select * from dba.vacuum_plan"),
        recall=await _plain_rows(
            db,
            "select * from dba.recall as r"
            " where r.run_id = (select max(l.run_id) from dba.recall_run as l)",
        ),
        settings=await _plain_rows(db, "select * from dba.settings"),
        storage=await _plain_rows(db, "select * from dba.storage"),
    )


async def _plain_rows(db: Connection, statement: str) -> Rows:
    """Rows whose numbers are numbers in JSON, too."""
    return [
        {name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()}
        for row in await db.fetch(statement)
    ]
