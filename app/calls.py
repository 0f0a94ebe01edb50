"""Every statement the app sends to Postgres: one function here per function there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import TypeAlias

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"


@dataclass(frozen=True, slots=True)
class ActiveSet:
    """The embedding set questions are embedded for."""

    name: str
    provider: str
    model: str
    width: int
    endpoint_url: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a search looks, resolved to live codes and their names."""

    la_code: str | None
    la_name: str | None
    home_la_code: str | None
    home_la_name: str | None
    school_urn: str | None
    school_name: str | None


@dataclass(frozen=True, slots=True)
class Worded:
    """What SQL made of a question: topics, added phrases, the text query, the embedding set that
    was active at that moment, a cached vector of that set.
    """

    topics: list[str]
    expansions: list[str]
    tsquery: str
    active: ActiveSet
    cached_vector: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of `search_kb`."""

    chunk_id: int
    document_id: int
    title: str
    source: str
    content: str
    context: str | None
    chunk_index: int
    la_code: str | None
    school_urn: str | None
    tags: list[str] | None
    document_type: str | None
    authority: str | None
    version: int
    effective_date: date | None
    created_at: datetime
    scope: str
    similarity: float | None
    vector_rank: int | None
    bm25_score: float | None
    bm25_rank: int | None
    matched_by: str
    rrf_raw: float
    freshness: float
    authority_weight: float
    boost: float
    score: float
    topic_fallback_used: bool
    no_la_broad_fallback_used: bool
    school_boosted: bool
    page_from: int | None
    page_to: int | None
    heading_path: list[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """An answer, its flags also where it is empty; `counts` is for `record_search`, unread."""

    hits: list[Hit]
    counts: str
    topic_fallback_used: bool
    no_la_broad_fallback_used: bool


@dataclass(frozen=True, slots=True)
class Health:
    """What the database says about itself; a version is None where the thing is absent."""

    server_version: str
    pgvector_version: str | None
    deployed: bool
    plpython: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """A statistic of BM25 that is not what the text index says."""

    statistic: str
    subject: str
    kept: int
    counted: int


# a million chunks take a minute or two
_RECOUNT_SECONDS = 900
_HIT_COLUMNS = tuple(column.name for column in fields(Hit))


async def take_app_role(db: Connection) -> None:
    """Step down to the role `pgkb_app` for the rest of the session."""
    await db.execute("set role pgkb_app")


async def become_app(db: Connection, *, settings: Mapping[str, str]) -> None:
    """Take the role `pgkb_app`, where the login may, and settings, until the transaction ends."""
    await db.fetchrow(
        "select (select set_config('role', r.rolname, true) from pg_catalog.pg_roles as r"
        " where r.rolname = 'pgkb_app' and pg_has_role(r.oid, 'member')),"
        " array(select set_config(s.name, s.value, true)"
        " from unnest($1::text[], $2::text[]) as s (name, value))",
        list(settings),
        list(settings.values()),
    )


async def check_setting(db: Connection, *, name: str, value: str) -> None:
    """Raises ST002 when a setting cannot have this value."""
    await db.execute("select config.check_value(name => $1::text, value => $2::text)", name, value)


async def health(db: Connection) -> Health:
    """Versions of the server and of pgvector, and whether pgkb's functions are there."""
    row = await one_row(
        db,
        "select current_setting('server_version') as server_version,"
        " (select e.extversion from pg_catalog.pg_extension as e where e.extname = 'vector')"
        " as pgvector_version,"
        " to_regtype('public.search_result') is not null"
        " and to_regclass('embedding.set') is not null as deployed,"
        " exists (select from pg_catalog.pg_proc as p"
        " where p.pronamespace = to_regnamespace('embedding') and p.proname = 'embed_text')"
        " as plpython",
    )
    return Health(**dict(row))


async def active_set(db: Connection) -> ActiveSet:
    """The active embedding set. Raises VE004 when none is active."""
    row = await one_row(
        db, "select name, provider, model, width, endpoint_url from embedding.active_set()"
    )
    return ActiveSet(**dict(row))


async def loaded_packs(db: Connection) -> list[str]:
    """The packs whose words are loaded, by name."""
    return [row["pack"] for row in await db.fetch("select pack from terms.pack order by pack")]


async def check_statistics(db: Connection) -> list[Difference]:
    """Compare the statistics with a recount; needs a login that may, and time on a large corpus."""
    rows = await db.fetch(
        "select statistic, subject, kept, counted from search.check_statistics()",
        timeout=_RECOUNT_SECONDS,
    )
    return [Difference(**dict(row)) for row in rows]


async def find_active_set(db: Connection) -> ActiveSet | None:
    """The active embedding set, or None when none is active."""
    try:
        return await active_set(db)
    except asyncpg.PostgresError as error:
        if error.sqlstate != "VE004":
            raise
        return None


async def scope_of(
    db: Connection,
    *,
    la: str | None,
    home_la: str | None,
    urn: str | None,
    postcode: str | None,
) -> Scope:
    """Resolve what the asker gave to where a search looks. Raises PL001, PL002, PL003 or PL005
    for what is not known.
    """
    row = await one_row(
        db,
        "select la_code, la_name, home_la_code, home_la_name, school_urn, school_name"
        " from search.scope_of(la => $1::text, home_la => $2::text, urn => $3::text,"
        " postcode => $4::text)",
        la,
        home_la,
        urn,
        postcode,
    )
    return Scope(**dict(row))


async def word_question(db: Connection, *, question: str, viewer: str) -> Worded:
    """Topics, expansions and text query of a question, and its vector if it was asked before.

    One statement, so that the set and the vector belong together whoever switches meanwhile.
    Raises VE004 when no set is active.
    """
    row = await one_row(
        db,
        "select terms.topics_for(question => $1::text) as topics,"
        " worded.expansions,"
        " terms.build_tsquery(question => $1::text, expansions => worded.expansions)::text"
        " as tsquery,"
        " s.name, s.provider, s.model, s.width, s.endpoint_url,"
        " embedding.cached_query(viewer => $2::text, question => $1::text,"
        " set_name => s.name)::text as cached_vector"
        " from embedding.active_set() as s"
        " cross join (select terms.expand_query(question => $1::text) as expansions) as worded",
        question,
        viewer,
    )
    return Worded(
        active=ActiveSet(**{column.name: row[column.name] for column in fields(ActiveSet)}),
        topics=list(row["topics"] or ()),
        expansions=list(row["expansions"] or ()),
        tsquery=row["tsquery"] or "",
        cached_vector=row["cached_vector"],
    )


async def remember_query(
    db: Connection, *, viewer: str, question: str, vector: str, embedding_set: str
) -> None:
    """Keep a question's vector for the next time this viewer asks it."""
    await db.execute(
        # a crash may lose it, and the question is embedded again
        "select set_config('synchronous_commit', 'off', true), embedding.remember_query("
        "viewer => $1::text, question => $2::text, given => $3::text::vector,"
        " set_name => $4::text)",
        viewer,
        question,
        vector,
        embedding_set,
    )


async def find(
    db: Connection,
    *,
    query_vector: str | None,
    tsquery: str,
    la: str | None,
    home_la: str | None,
    urn: str | None,
    tags: Sequence[str] | None,
    top_k: int | None,
    principals: Sequence[str] | None,
    as_of: date | None,
    topics: Sequence[str],
    embedding_set: str,
) -> Finding:
    """The search itself, in the set the vector was made for; no hit is an honest "nothing found".

    Raises VE010 when that set is not searched any more.
    """
    row = await one_row(
        db,
        "select f.results, f.counts::text, (f.counts).topic_fallback_used,"
        " (f.counts).no_la_broad_fallback_used from search.find("
        "query_vec => $1::text::vector, tsquery => $2::text::tsquery, la => $3::text,"
        " home_la => $4::text, urn => $5::text, tags => $6::text[], top_k => $7::integer,"
        " principals => $8::text[], as_of => $9::date, topics => $10::text[],"
        " embedding_set => $11::text) as f",
        query_vector,
        tsquery or None,
        la,
        home_la,
        urn,
        list(tags) if tags else None,
        top_k,
        list(principals) if principals else None,
        as_of,
        list(topics) or None,
        embedding_set,
    )
    return Finding(
        hits=[Hit(**{name: hit[name] for name in _HIT_COLUMNS}) for hit in row["results"]],
        counts=row["counts"],
        topic_fallback_used=row["topic_fallback_used"],
        no_la_broad_fallback_used=row["no_la_broad_fallback_used"],
    )


async def record_search(
    db: Connection,
    *,
    hits: Sequence[Hit],
    la: str | None,
    home_la: str | None,
    urn: str | None,
    topics: Sequence[str],
    timings: Mapping[str, float],
    counts: str,
    mode: str,
    embedding_set: str,
    question: str,
) -> int:
    """Store the counts of a search; of the question SQL keeps a fingerprint. The record's id."""
    return int(
        await db.fetchval(
            # an answer waits for no disk: a crash of the server may lose its last traces
            "select set_config('synchronous_commit', 'off', true), search.record_search("
            "results => array(select row_of from"
            " jsonb_populate_recordset(null::search_result, $1::jsonb) as row_of),"
            " la => $2::text, home_la => $3::text, urn => $4::text, topics => $5::text[],"
            " timings => $6::jsonb, mode => $7::text, embedding_set => $8::text,"
            " question => $9::text, counts => $10::text::search.candidate_count)",
            _without_text(hits),
            la,
            home_la,
            urn,
            list(topics),
            msgspec.json.encode(dict(timings)).decode(),
            mode,
            embedding_set,
            question,
            counts,
            column=1,
        )
    )


async def one_row(db: Connection, statement: str, *values: object) -> asyncpg.Record:
    """The row of a statement that always has one."""
    row = await db.fetchrow(statement, *values)
    if row is None:
        raise LookupError("a statement that always has a row had none")
    return row


def vector_text(vector: Sequence[float]) -> str:
    """A vector as pgvector's text literal, which is how it travels: as a bound text."""
    return "[" + ",".join(map(repr, vector)) + "]"


def _without_text(hits: Sequence[Hit]) -> str:
    left_out: dict[str, object] = {"content": "", "context": None, "heading_path": []}
    rows = [msgspec.to_builtins(hit) | left_out for hit in hits]
    return msgspec.json.encode(rows).decode()
