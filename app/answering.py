"""From a question to results and an answer: the order of the calls, and no rule of the domain.

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
from app.pool import Pool, lend
from providers.extractive import NOT_FOUND, ExtractiveAnswerer
from providers.protocols import Answer, ProviderError, Source

_log = logging.getLogger("pgkb.app")

# the set of a question's vector is unknown, or not searched any more
_SET_IS_GONE = frozenset(["VE005", "VE010"])
# characters of a question that a model is given, as search.word_question does
EMBEDDED_CHARACTERS = 1000

_BROAD_FALLBACK = (
    "No local authority is known for this question, so this draws on every area "
    "and may not describe what yours offers."
)
_NO_QUOTE = (
    "I found no sentence that answers this by itself. The documents nearest to the question are "
    "listed as sources."
)
_SOURCES_ONLY = "The sources could not be quoted just now; the passages found are listed with them."


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


async def find(pool: Pool, embedders: Embedders, inquiry: Inquiry) -> Found:
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


async def _find(pool: Pool, embedders: Embedders, inquiry: Inquiry) -> Found:
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
        notes.append(_BROAD_FALLBACK)
    return Retrieval(
        mode="keyword_only" if source == "unavailable" else "hybrid",
        query_vector=source,
        embedding_set=embedding_set,
        topic_fallback_used=finding.topic_fallback_used,
        no_la_broad_fallback_used=finding.no_la_broad_fallback_used,
        notes=notes,
        timings_ms=timings,
    )


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One numbered source of an answer; `text` is the passage that was found."""

    number: int
    title: str
    source: str
    text: str
    scope: str
    la_code: str | None
    school_urn: str | None
    document_type: str | None
    authority: str | None
    version: int
    effective_date: date | None
    document_id: int
    chunk_id: int
    matched_by: str
    similarity: float | None
    score: float
    page_from: int | None
    page_to: int | None
    heading_path: list[str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with its sources; `citations` are the source numbers it quotes."""

    answer: str
    found: bool
    citations: list[int]
    answered_by: str
    sources: list[CitedSource]


async def reply(found: Found, embedders: Embedders, *, question: str) -> Reply:
    """Answer by quoting what was found. Sources are numbered before any text is written."""
    sources = [_cite(number, hit) for number, hit in enumerate(found.hits, start=1)]
    quoted = [_source(source, hit) for source, hit in zip(sources, found.hits, strict=True)]
    answer = Answer(text=NOT_FOUND, citations=[], found=False)
    answered_by = "extractive"
    try:
        if sources:
            answerer = ExtractiveAnswerer(await embedders.offline())
            answer = await answerer.answer(
                question=question, sources=quoted, expansions=found.expansions
            )
    except ProviderError as error:
        _log.warning("quoting failed: %s", detail_for_log(error, private=(question,)))
        answer = Answer(text=_SOURCES_ONLY, citations=[], found=bool(sources))
        answered_by = "sources_only"
    text = answer.text if answer.found or not sources else _NO_QUOTE
    if answer.found and found.retrieval.no_la_broad_fallback_used:
        text = f"{_BROAD_FALLBACK}\n\n{text}"
    return Reply(
        answer=text,
        found=answer.found,
        citations=list(answer.citations),
        answered_by=answered_by,
        sources=sources,
    )


def _cite(number: int, hit: Hit) -> CitedSource:
    return CitedSource(
        number=number,
        title=hit.title,
        source=hit.source,
        text=hit.content,
        scope=hit.scope,
        la_code=hit.la_code,
        school_urn=hit.school_urn,
        document_type=hit.document_type,
        authority=hit.authority,
        version=hit.version,
        effective_date=hit.effective_date,
        document_id=hit.document_id,
        chunk_id=hit.chunk_id,
        matched_by=hit.matched_by,
        similarity=hit.similarity,
        score=hit.score,
        page_from=hit.page_from,
        page_to=hit.page_to,
        heading_path=hit.heading_path,
    )


def _source(cited: CitedSource, hit: Hit) -> Source:
    return Source(
        number=cited.number,
        title=cited.title,
        text=hit.context or hit.content,
        source=cited.source,
        version=cited.version,
        effective_date=cited.effective_date,
        passage=hit.content,
        scope=cited.scope,
    )
