"""Every statement about how searches went."""

from datetime import date, datetime, timedelta
from typing import Any

from app.admin.calls import Shown, shown_rows
from app.calls import Connection


class SearchDay(Shown, frozen=True, kw_only=True):
    """How searches went on a day; without a day, in the whole time. Shares are 0 to 1."""

    day: date | None
    searches: int
    questions: int
    results_mean: float | None
    candidates_mean: float | None
    no_answer_share: float | None
    hybrid_share: float | None
    vector_only_share: float | None
    keyword_only_share: float | None
    keyword_only_searches: int
    topic_fallback_share: float | None
    broad_fallback_share: float | None
    school_boosted_share: float | None
    no_local_share: float | None
    p50_ms: float | None
    p95_ms: float | None


class FallbackUse(Shown, frozen=True, kw_only=True):
    """How often searches of an area had to do with less."""

    la_code: str | None
    la_name: str | None
    searches: int
    without_topics: int
    all_areas: int
    keyword_only: int
    unanswered: int
    last_at: datetime


class CoverageMiss(Shown, frozen=True, kw_only=True):
    """An authority whose questions of a topic found nothing of its own."""

    la_code: str | None
    la_name: str | None
    topic: str | None
    misses: int
    unanswered: int
    last_at: datetime


class SlowSearch(Shown, frozen=True, kw_only=True):
    """One of the slowest searches; `timings` are milliseconds by step."""

    at: datetime
    total_ms: float
    timings: dict[str, Any] | None
    mode: str
    embedding_set: str | None
    la_code: str | None
    topics: list[str] | None
    attempts: int
    candidate_count: int
    result_count: int


class Unanswered(Shown, frozen=True, kw_only=True):
    """A question that returned nothing, by its fingerprint: never its words."""

    fingerprint: str | None
    la_code: str | None
    la_name: str | None
    topics: list[str] | None
    searches: int
    last_at: datetime


class IndexHealth(Shown, frozen=True, kw_only=True):
    """An index, how much of it is dead weight, and what to do about it."""

    index_name: str
    kind: str
    size: str | None
    bloat: float | None
    churn: float | None
    valid: bool
    advice: str


async def search_days(db: Connection, *, days: int) -> list[SearchDay]:
    """How searches went, a row for each day and first one for the whole time."""
    return await shown_rows(
        db,
        SearchDay,
        "select day, searches, questions, results_mean, candidates_mean, no_answer_share,"
        " hybrid_share, vector_only_share, keyword_only_share, keyword_only_searches,"
        " topic_fallback_share, broad_fallback_share, school_boosted_share, no_local_share,"
        " p50_ms, p95_ms from search.health(since => $1::interval)",
        timedelta(days=days),
    )


async def fallback_use(db: Connection, *, at_most: int) -> list[FallbackUse]:
    """Areas whose searches had to do with less, the most first."""
    return await shown_rows(
        db,
        FallbackUse,
        "select la_code, la_name, searches, without_topics, all_areas, keyword_only, unanswered,"
        " last_at from search.fallback_use"
        " order by without_topics + all_areas + keyword_only desc, la_code limit $1::integer",
        at_most,
    )


async def coverage_misses(db: Connection, *, at_most: int) -> list[CoverageMiss]:
    """Authorities that lack documents of a topic, the most missed first."""
    return await shown_rows(
        db,
        CoverageMiss,
        "select la_code, la_name, topic, misses, unanswered, last_at from search.coverage_miss"
        " order by misses desc, la_code, topic limit $1::integer",
        at_most,
    )


async def slowest_searches(db: Connection) -> list[SlowSearch]:
    """The fifty slowest searches."""
    return await shown_rows(
        db,
        SlowSearch,
        "select at, total_ms, timings, mode, embedding_set, la_code, topics, attempts,"
        " candidate_count, result_count from search.slowest_search",
    )


async def unanswered_questions(db: Connection, *, at_most: int) -> list[Unanswered]:
    """Fingerprints of questions that returned nothing, the most asked first."""
    return await shown_rows(
        db,
        Unanswered,
        "select encode(question_hash, 'hex') as fingerprint, la_code, la_name, topics, searches,"
        " last_at from search.unanswered_question"
        " order by searches desc, last_at desc limit $1::integer",
        at_most,
    )


async def index_health(db: Connection) -> list[IndexHealth]:
    """Every index of ours, those that need something first."""
    return await shown_rows(
        db,
        IndexHealth,
        "select index_name, kind, size, bloat, churn, valid, advice from dba.index_health"
        " order by advice = 'nothing to do', index_name",
    )
