"""From a question to results: the order of the calls, and no rule of the domain.

No pooled connection is held while a provider is asked: one short loan before, one after.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import asyncpg

from app import calls
from app.calls import Hit, Scope
from app.embedders import Embedded, Embedders
from app.errors import detail_for_log
from app.operations import metrics
from app.pool import Lender, lend

_log = logging.getLogger("pgkb.app")

# the set of a question's vector is unknown, or not searched any more
_SET_IS_GONE = frozenset(["VE005", "VE010"])
# characters of a question that a model is given, as search.word_question does
EMBEDDED_CHARACTERS = 1000

BROAD_FALLBACK = (
    "No local authority is known for this question, so this draws on every area "
    "and may not describe what yours offers."
)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, who asks it and where."""

    question: str
    la: str | None = None
    home_la: str | None = None
    urn: str | None = None
    postcode: str | None = None
    tags: Sequence[str] | None = None
    top_k: int | None = None
    as_of: date | None = None
    principals: Sequence[str] | None = None
    viewer: str = "anonymous"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How the results came about; `notes` are sentences for people.

    `mode` is `hybrid` or `keyword_only`; `query_vector` says where the vector came from:
    `cached`, `provider` or `unavailable`. Timings are milliseconds.
    """

    mode: str
    query_vector: str
    embedding_set: str
    topic_fallback_used: bool
    no_la_broad_fallback_used: bool
    notes: list[str]
    timings_ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned and where it looked."""

    scope: Scope
    topics: list[str]
    expansions: list[str]
    hits: list[Hit]
    retrieval: Retrieval


class Stopwatch:
    """Milliseconds since the last look, by name of the step."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        """Close the step that just ended."""
        now = time.perf_counter()
        self.ms[step] = round((now - self._last) * 1000, 1)
        self._last = now


async def find(pool: Lender, embedders: Embedders, inquiry: Inquiry) -> Found:
    """Search for a question: word it in SQL, get its vector, search, record it.

    Raises the database's errors, `PoolBusyError`, and nothing of a provider.
    """
    try:
        return await _find(pool, embedders, inquiry)
    except asyncpg.PostgresError as error:
        if error.sqlstate not in _SET_IS_GONE:
            raise
        # a switch alone does no harm; but its set was stopped or dropped while it was embedded
        return await _find(pool, embedders, inquiry)


async def _find(pool: Lender, embedders: Embedders, inquiry: Inquiry) -> Found:
    watch = Stopwatch()
    async with lend(pool) as db:
        scope = await calls.scope_of(
            db,
            la=inquiry.la,
            home_la=inquiry.home_la,
            urn=inquiry.urn,
            postcode=inquiry.postcode,
        )
        worded = await calls.word_question(db, question=inquiry.question, viewer=inquiry.viewer)
    active = worded.active
    watch.lap("understand")

    embedded = Embedded(vector=None)
    if worded.cached_vector is None:
        embedded = await embedders.embed(active, inquiry.question[:EMBEDDED_CHARACTERS])
    watch.lap("embed")
    fresh = calls.vector_text(embedded.vector) if embedded.vector is not None else None
    vector = worded.cached_vector or fresh

    async with lend(pool) as db:
        finding = await calls.find(
            db,
            query_vector=vector,
            tsquery=worded.tsquery,
            la=scope.la_code,
            home_la=scope.home_la_code,
            urn=scope.school_urn,
            tags=inquiry.tags,
            top_k=inquiry.top_k,
            principals=inquiry.principals,
            as_of=inquiry.as_of,
            topics=worded.topics,
            embedding_set=active.name,
        )
        watch.lap("search")
        await _keep_trace(
            db,
            inquiry,
            scope,
            worded.topics,
            finding,
            watch,
            mode=_mode(vector=vector, tsquery=worded.tsquery),
            embedding_set=active.name,
            fresh_vector=fresh,
        )

    source = "cached" if worded.cached_vector else "provider" if fresh else "unavailable"
    metrics.searched(
        mode=_mode(vector=vector, tsquery=worded.tsquery),
        found=bool(finding.hits),
        source=source,
        fallbacks={
            "topic": finding.topic_fallback_used,
            "all_areas": finding.no_la_broad_fallback_used,
        },
    )
    return Found(
        scope=scope,
        topics=worded.topics,
        expansions=worded.expansions,
        hits=finding.hits,
        retrieval=_retrieval(
            finding,
            source=source,
            embedding_set=active.name,
            problem=None if vector else embedded.problem,
            timings=watch.ms,
        ),
    )


async def _keep_trace(
    db: calls.Connection,
    inquiry: Inquiry,
    scope: Scope,
    topics: Sequence[str],
    finding: calls.Finding,
    watch: Stopwatch,
    *,
    mode: str,
    embedding_set: str,
    fresh_vector: str | None,
) -> None:
    """Record the search and remember the vector. An answer is worth more than its trace, so a
    database that accepts no writes (a hot standby) costs a log line, not the answer.
    """
    try:
        await calls.record_search(
            db,
            hits=finding.hits,
            la=scope.la_code,
            home_la=scope.home_la_code,
            urn=scope.school_urn,
            topics=topics,
            timings=watch.ms,
            counts=finding.counts,
            mode=mode,
            embedding_set=embedding_set,
            question=inquiry.question,
        )
        if fresh_vector is not None:
            await calls.remember_query(
                db,
                viewer=inquiry.viewer,
                question=inquiry.question,
                vector=fresh_vector,
                embedding_set=embedding_set,
            )
    except asyncpg.PostgresError as error:
        _log.warning("search not recorded: %s", detail_for_log(error, private=(inquiry.question,)))
    watch.lap("record")


def _mode(*, vector: str | None, tsquery: str) -> str:
    """The legs that had something to go by, as a search record names them."""
    if vector is None:
        return "keyword_only" if tsquery else "none"
    return "hybrid" if tsquery else "vector_only"


def _retrieval(
    finding: calls.Finding,
    *,
    source: str,
    embedding_set: str,
    problem: str | None,
    timings: dict[str, float],
) -> Retrieval:
    notes = []
    if problem is not None:
        notes.append(f"Searched by keyword only: {problem.rstrip('.')}.")
    if finding.hits and finding.topic_fallback_used:
        notes.append("Nothing carried the tags asked for, so they were left out.")
    if finding.hits and finding.no_la_broad_fallback_used:
        notes.append(BROAD_FALLBACK)
    return Retrieval(
        mode="keyword_only" if source == "unavailable" else "hybrid",
        query_vector=source,
        embedding_set=embedding_set,
        topic_fallback_used=finding.topic_fallback_used,
        no_la_broad_fallback_used=finding.no_la_broad_fallback_used,
        notes=notes,
        timings_ms=timings,
    )
