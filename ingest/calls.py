"""Every statement ingest sends to Postgres: one function here per function there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from ingest.rows import count, one_row

# ---------------------------------------------------------------------------------------------
# Documents: from a parsed text to a published version
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """What `stage_document` takes: a parsed text and who may see it under which name.

    A title that is only guessed from the file corrects no stated one. A source that is known from
    another origin passes on to the first of `other_sources` that is not.
    """

    source: str
    title: str
    body: str
    file_type: str
    la_code: str | None = None
    school_urn: str | None = None
    owner: str | None = None
    principals: Sequence[str] | None = None
    tags: Sequence[str] = ()
    authority: str | None = None
    document_type: str | None = None
    effective_date: date | None = None
    metadata: Mapping[str, Any] | None = None
    title_is_stated: bool = True
    origin: str | None = None
    other_sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Staged:
    """What became of a text: staged, in_progress, unchanged, updated or duplicate."""

    outcome: str
    kept_as: str
    document_id: int
    version_id: int
    existing_document_id: int | None
    existing_source: str | None
    chunk_count: int
    task_id: int | None
    lease_token: UUID | None


def check_scope(
    db: psycopg.Connection,
    *,
    la_code: str | None,
    school_urn: str | None,
    owner: str | None,
    principals: Sequence[str] | None,
) -> None:
    """Raise for an unknown authority or school, or a pair that does not belong together."""
    # the function makes the scope where it is new; here it is only asked
    with db.transaction(force_rollback=True):
        db.execute(
            "select corpus.scope_for(la_code => %(la_code)s, school_urn => %(school_urn)s,"
            " owner => %(owner)s, principals => %(principals)s)",
            {
                "la_code": la_code,
                "school_urn": school_urn,
                "owner": owner,
                "principals": _list(principals),
            },
        )


def check_tags(db: psycopg.Connection, *, tags: Sequence[str]) -> None:
    """Raise for a tag that is no topic."""
    db.execute("select corpus.check_tags(tags => %(tags)s)", {"tags": list(tags)})


def check_rank(db: psycopg.Connection, *, authority: str) -> None:
    """Raise for a kind of publisher that no pack names."""
    db.execute("select corpus.check_rank(authority => %(authority)s)", {"authority": authority})


def stage_document(db: psycopg.Connection, *, new: NewDocument, lease_holder: str) -> Staged:
    """Store a text nobody sees yet, and its task, leased to the holder."""
    with db.cursor(row_factory=class_row(Staged)) as cursor:
        return one_row(
            cursor.execute(
                "select outcome, kept_as, document_id, version_id, existing_document_id,"
                " existing_source, chunk_count, task_id, lease_token from corpus.stage_document("
                "source => %(source)s, title => %(title)s, body => %(body)s,"
                " file_type => %(file_type)s, la_code => %(la_code)s,"
                " school_urn => %(school_urn)s, owner => %(owner)s,"
                " principals => %(principals)s, tags => %(tags)s, authority => %(authority)s,"
                " document_type => %(document_type)s, effective_date => %(effective_date)s,"
                " metadata => %(metadata)s, lease_holder => %(lease_holder)s,"
                " title_is_stated => %(title_is_stated)s, origin => %(origin)s,"
                " other_sources => %(other_sources)s)",
                {
                    "source": new.source,
                    "title": new.title,
                    "body": new.body,
                    "file_type": new.file_type,
                    "la_code": new.la_code,
                    "school_urn": new.school_urn,
                    "owner": new.owner,
                    "principals": _list(new.principals),
                    "tags": list(new.tags),
                    "authority": new.authority,
                    "document_type": new.document_type,
                    "effective_date": new.effective_date,
                    "metadata": Jsonb(dict(new.metadata or {})),
                    "lease_holder": lease_holder,
                    "title_is_stated": new.title_is_stated,
                    "origin": new.origin,
                    "other_sources": list(new.other_sources),
                },
            )
        )


# ---------------------------------------------------------------------------------------------
# Embedding sets: filled in the background, indexed, switched
# ---------------------------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------------
# The queue and its upkeep
# ---------------------------------------------------------------------------------------------


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


# ---------------------------------------------------------------------------------------------
# Upkeep: plans are made in SQL, their statements run here one by one, as they may not in a function
# ---------------------------------------------------------------------------------------------


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
    """Hold the lock of upkeep until the session ends; false when another session does."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return bool(cursor.execute(f"select pg_try_advisory_lock({_UPKEEP_LOCK})").fetchone())


def upkeep_plan(db: psycopg.Connection) -> list[PlannedStep]:
    """What upkeep would do now."""
    with db.cursor(row_factory=class_row(PlannedStep)) as cursor:
        return cursor.execute(
            "select task, target, statement, why, disk_bytes, graph_bytes, memory_bytes, fits"
            " from dba.upkeep_plan() order by step"
        ).fetchall()


def rebuild_plan(db: psycopg.Connection, *, index_name: str | None) -> list[PlannedStep]:
    """What rebuilding this index, or every vector index, takes. Raises UP001."""
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


# ---------------------------------------------------------------------------------------------
# Packs: what ingest/pack.py stores. Each replaces or corrects the rows it is given and returns
# how many there are.
# ---------------------------------------------------------------------------------------------


def load_authorities(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct education authorities and who succeeded whom."""
    return count(db, "select place.load_authorities(rows => %(rows)s)", rows=_json(rows))


def load_districts(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct districts and the education authority of each."""
    return count(db, "select place.load_districts(rows => %(rows)s)", rows=_json(rows))


def load_schools(db: psycopg.Connection, *, rows: Sequence[Mapping[str, object]]) -> int:
    """Add or correct schools."""
    return count(db, "select place.load_schools(rows => %(rows)s)", rows=_json(rows))


# ---------------------------------------------------------------------------------------------
# Registers: what ingest/registers.py copies in and SQL merges
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What merging a register did, in rows."""

    added: int
    changed: int
    unchanged: int
    closed: int
    removed: int
    outside: int
    refused: int
    problems: list[dict[str, Any]]


def open_registers(db: psycopg.Connection) -> None:
    """Make the tables of this transaction that rows are copied into."""
    db.execute("select place.open_registers()")


def copy_schools(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy rows of a register of schools; returns how many."""
    return _copy(
        db,
        "copy pg_temp.arriving_school (line, urn, name, dfe_code, gss, phase, postcode, website,"
        " status, opened, closed) from stdin",
        rows,
    )


def copy_school_links(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy links between schools; returns how many."""
    return _copy(
        db, "copy pg_temp.arriving_school_link (line, urn, link_urn, link_type) from stdin", rows
    )


def copy_postcodes(db: psycopg.Connection, *, rows: Iterable[tuple[object, ...]]) -> int:
    """Copy rows of a register of postcodes; returns how many."""
    return _copy(
        db, "copy pg_temp.arriving_postcode (line, postcode, lad_gss, ended) from stdin", rows
    )


def merge_schools(db: psycopg.Connection) -> MergeReport:
    """Add, correct and close the schools that were copied."""
    return _merge(db, "select * from place.merge_schools()")


def merge_school_links(db: psycopg.Connection) -> MergeReport:
    """Add the successions among the links that were copied."""
    return _merge(db, "select * from place.merge_school_links()")


def merge_postcodes(db: psycopg.Connection, *, shrink: bool) -> MergeReport:
    """Replace the known postcodes by those that were copied."""
    return _merge(db, "select * from place.merge_postcodes(shrink => %(shrink)s)", shrink=shrink)


def authorities(db: psycopg.Connection) -> dict[str, str]:
    """Every authority with all that is known of it, as text to compare."""
    rows = db.execute(
        "select a.gss, a::text || array(select s.successor_gss from place.authority_successor as s"
        " where s.gss = a.gss order by s.successor_gss)::text from place.authority as a"
    )
    return dict(rows.fetchall())


def load_synonyms(
    db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]
) -> int:
    """Replace the synonyms of a pack."""
    return count(
        db,
        "select terms.load_synonyms(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_topics(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the topics of a pack."""
    return count(
        db,
        "select terms.load_topics(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_ranks(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Set how much each kind of publisher weighs."""
    return count(
        db,
        "select corpus.load_ranks(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_domains(db: psycopg.Connection, *, pack: str, rows: Sequence[Mapping[str, object]]) -> int:
    """Replace the national web sites of a pack."""
    return count(
        db,
        "select corpus.load_domains(pack => %(pack)s, rows => %(rows)s)",
        pack=pack,
        rows=_json(rows),
    )


def load_wording(db: psycopg.Connection, *, pack: str, texts: Mapping[str, str]) -> None:
    """Set what a chat says in the domain of a pack."""
    db.execute(
        "select chat.load_wording(pack => %(pack)s, system_prompt => %(system_prompt)s,"
        " no_area_disclaimer => %(no_area_disclaimer)s, not_found => %(not_found)s)",
        {"pack": pack, **texts},
    )


def _list(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else list(values)


def _copy(
    db: psycopg.Connection, statement: LiteralString, rows: Iterable[tuple[object, ...]]
) -> int:
    copied = 0
    with db.cursor() as cursor, cursor.copy(statement) as copy:
        for copied, row in enumerate(rows, start=1):  # noqa: B007 - it is returned
            copy.write_row(row)
    return copied


def _merge(db: psycopg.Connection, statement: LiteralString, **values: object) -> MergeReport:
    with db.cursor(row_factory=class_row(MergeReport)) as cursor:
        return one_row(cursor.execute(statement, values))


def _json(rows: Sequence[Mapping[str, object]]) -> Jsonb:
    return Jsonb([dict(row) for row in rows])
