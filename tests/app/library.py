"""A small library of documents and places, to fill a test's database with."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import httpx
import psycopg
from litestar import Litestar

from providers.embed import embedder_for
from tests.registers import merge_postcodes

BIRMINGHAM, KENT, BARNSLEY = "E08000025", "E10000016", "E08000038"
OLD_BARNSLEY, CANTERBURY = "E08000016", "E07000106"
SCHOOL = "990001"
# asking without an account, as most of these tests do
OPEN = {"PGKB_ANONYMOUS": "on"}
HOMES = {"CT1 2EH": CANTERBURY, "B1 1AA": BIRMINGHAM}

_AUTHORITIES = [
    {"gss": BIRMINGHAM, "dfe_code": "330", "name": "Birmingham"},
    {"gss": KENT, "dfe_code": "886", "name": "Kent"},
    {"gss": BARNSLEY, "dfe_code": "370", "name": "Barnsley"},
    {"gss": OLD_BARNSLEY, "dfe_code": "370", "name": "Barnsley", "status": "ended"},
]


@dataclass(frozen=True, slots=True)
class Page:
    """One document of the library."""

    source: str
    title: str
    body: str
    la: str | None = None
    urn: str | None = None
    authority: str = "la"
    tags: tuple[str, ...] = ()
    owner: str | None = None


_PAGES = (
    Page(
        "law/exclusion.txt",
        "Exclusion from school: the law",
        "A head teacher may exclude a pupil from school for disciplinary reasons. The parents of "
        "an excluded pupil can ask the governing board to review a permanent exclusion, and then "
        "ask for an independent review panel. Section 51A of the Education Act 2002 gives the "
        "power to exclude.",
        authority="statutory",
        tags=("exclusion",),
    ),
    Page(
        "birmingham/exclusion.txt",
        "Birmingham exclusions team",
        "The Birmingham exclusions team advises families whose child has been excluded from a "
        "Birmingham school. Call the team within five school days of the exclusion and ask for a "
        "place at the Rowan Centre while the exclusion is reviewed.",
        la=BIRMINGHAM,
        tags=("exclusion",),
    ),
    Page(
        "kent/exclusion.txt",
        "Kent inclusion advisers",
        "Kent inclusion advisers help families whose child has been excluded from a Kent school. "
        "Write to the adviser of your district within ten school days of the exclusion and ask "
        "for a meeting at the Medway House.",
        la=KENT,
        tags=("exclusion",),
    ),
    Page(
        "kent/transport.txt",
        "Home to school transport in Kent, policy POL-2041",
        "Kent pays for home to school transport when a child with special educational needs "
        "cannot walk to the nearest suitable school. Form KT-7 asks for a taxi under policy "
        "POL-2041.",
        la=KENT,
        tags=("transport",),
    ),
    Page(
        "school/behaviour.txt",
        "Behaviour policy of Hawthorn School",
        "Hawthorn School meets the parents of every pupil before a suspension or exclusion and "
        "writes a support plan with the special educational needs coordinator within two days.",
        la=BIRMINGHAM,
        urn=SCHOOL,
        authority="school",
        tags=("exclusion",),
    ),
)


def fill_library(db: psycopg.Connection) -> None:
    """Load places, words and pages, embed the pages with the offline model, publish them."""
    load_places_and_words(db)
    for page in _PAGES:
        publish(db, page)
    # tests ask more often than people do; tests of limits set them
    db.execute(
        "update config.setting set installed_value = '0'"
        " where name in ('kb.asks_per_person', 'kb.asks_per_address', 'kb.reads_per_person',"
        " 'kb.reads_per_address')"
    )


def load_places_and_words(db: psycopg.Connection) -> None:
    """Load the authorities, a district, a school, topics, synonyms and kinds of publishers."""
    db.autocommit = True
    _load(db, "place.load_authorities", [_authority(row) for row in _AUTHORITIES])
    _load(
        db,
        "place.load_districts",
        [{"lad_gss": CANTERBURY, "name": "Canterbury", "authority_gss": KENT}],
    )
    _load(
        db,
        "place.load_schools",
        [{"urn": SCHOOL, "name": "Hawthorn School", "la_code": BIRMINGHAM, "phase": "primary"}],
    )
    with db.transaction():
        merge_postcodes(db, HOMES)
    _load_words(db)


def _authority(row: dict[str, str]) -> dict[str, object]:
    successors = [BARNSLEY] if row.get("status") == "ended" else []
    return {
        "kind": "district",
        "region": "England",
        "status": "live",
        "successors": successors,
        **row,
    }


def _load(db: psycopg.Connection, function: str, rows: list[dict[str, object]]) -> None:
    db.execute(f"select {function}(rows => %s::jsonb)".encode(), [json.dumps(rows)])


def _load_words(db: psycopg.Connection) -> None:
    words: dict[str, list[dict[str, object]]] = {
        "corpus.load_ranks": [
            {"authority": "statutory", "weight": 1.2, "meaning": "law"},
            {"authority": "la", "weight": 1.1, "meaning": "local authority"},
            {"authority": "school", "weight": 1.0, "meaning": "school"},
        ],
        "terms.load_topics": [
            {"slug": "exclusion", "name": "Exclusion", "pattern": r"\yexclu|kicked out"},
            {"slug": "transport", "name": "Transport", "pattern": r"\ytransport|\ytaxi"},
        ],
        "terms.load_synonyms": [
            {
                "pattern": r"\ykicked out\y",
                "phrases": "kicked out",
                "expansions": ["excluded", "exclusion"],
            }
        ],
    }
    for function, rows in words.items():
        db.execute(
            f"select {function}(pack => 'test', rows => %s::jsonb)".encode(), [json.dumps(rows)]
        )


def publish(db: psycopg.Connection, page: Page) -> None:
    """Stage a page, embed it with the offline model, publish it."""
    embed = embedder_for("local", "all-MiniLM-L6-v2-int8", 384).embed
    staged = db.execute(
        "select version_id, task_id, lease_token from corpus.stage_document(source => %s,"
        " title => %s, body => %s, file_type => 'txt', la_code => %s, school_urn => %s,"
        " authority => %s, tags => %s, owner => %s, lease_holder => 'library')",
        [
            page.source,
            page.title,
            page.body,
            page.la,
            page.urn,
            page.authority,
            list(page.tags),
            page.owner,
        ],
    ).fetchone()
    assert staged is not None
    version, *claim = staged
    chunks = db.execute(
        "select chunk_id, embedding_text from embedding.chunks_to_embed(version_id => %s)",
        [version],
    ).fetchall()
    vectors = [str(vector) for vector in embed([text for _, text in chunks])]
    db.execute(
        "select embedding.store_vectors(chunk_ids => %s::bigint[], vectors => %s::text[],"
        " set_name => 'local-minilm')",
        [[chunk_id for chunk_id, _ in chunks], vectors],
    )
    db.execute("select * from corpus.publish_version(version_id => %s)", [version])
    db.execute("select queue.finish_task(task_id => %s, lease_token => %s)", claim)


@asynccontextmanager
async def asking(app: Litestar) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the running app, in the test's own loop: requests can be under way together.

    The framework's own test client works through them one by one.
    """
    started, done = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        # one task from start to stop, as the framework needs; a fixture's two halves are two
        async with app.lifespan():
            started.set()
            await done.wait()

    living = asyncio.create_task(live())
    started_or_failed = {asyncio.create_task(started.wait()), living}
    await asyncio.wait(started_or_failed, return_when=asyncio.FIRST_COMPLETED)
    transport = httpx.ASGITransport(app=cast(Any, app))
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver.local") as c:
            yield c
    finally:
        done.set()
        started.set()
        await living
