"""How searches went, what is missing, and the state of the indexes: views, as they are."""

from typing import Annotated

import msgspec
from litestar import Controller, get
from litestar.params import QueryParameter

from app.access.guards import curators
from app.admin.acting import acting
from app.admin.analytics import calls
from app.admin.fields import ADMIN_PROBLEMS, Rows
from app.errors import AnyRequest


class Searches(msgspec.Struct, frozen=True, kw_only=True):
    """How searches went: a row for each day, and first one without a day for all of them."""

    searches: list[calls.SearchDay]


class Fallbacks(msgspec.Struct, frozen=True, kw_only=True):
    """Areas whose searches had to do with less."""

    fallbacks: list[calls.FallbackUse]


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Authorities that lack documents of a topic."""

    coverage: list[calls.CoverageMiss]


class Slowest(msgspec.Struct, frozen=True, kw_only=True):
    """The fifty slowest searches among the records kept."""

    slowest: list[calls.SlowSearch]


class UnansweredQuestions(msgspec.Struct, frozen=True, kw_only=True):
    """Fingerprints of questions that returned nothing; no question is shown."""

    unanswered: list[calls.Unanswered]


class Indexes(msgspec.Struct, frozen=True, kw_only=True):
    """Every index, those that need something first."""

    indexes: list[calls.IndexHealth]


class AnalyticsController(Controller):
    """See how the knowledge base serves."""

    path = "/api/admin/analytics"
    tags = ("analytics",)
    guards = (curators,)

    @get("/searches", summary="How searches went", responses=ADMIN_PROBLEMS)
    async def searches(
        self,
        request: AnyRequest,
        days: Annotated[int, QueryParameter(ge=1, le=366, description="So many days back.")] = 7,
    ) -> Searches:
        """Numbers only: no question is kept."""
        async with acting(request) as db:
            return Searches(searches=await calls.search_days(db, days=days))

    @get("/fallbacks", summary="Where searches had to do with less", responses=ADMIN_PROBLEMS)
    async def fallbacks(self, request: AnyRequest, at_most: Rows = 100) -> Fallbacks:
        """Without topics, in all areas, without a vector; the most first."""
        async with acting(request) as db:
            return Fallbacks(fallbacks=await calls.fallback_use(db, at_most=at_most))

    @get("/coverage", summary="What authorities lack", responses=ADMIN_PROBLEMS)
    async def coverage(self, request: AnyRequest, at_most: Rows = 100) -> Coverage:
        """Questions of an authority that found nothing of its own, by topic; the most first."""
        async with acting(request) as db:
            return Coverage(coverage=await calls.coverage_misses(db, at_most=at_most))

    @get("/slowest", summary="The slowest searches", responses=ADMIN_PROBLEMS)
    async def slowest(self, request: AnyRequest) -> Slowest:
        """With the milliseconds of each step."""
        async with acting(request) as db:
            return Slowest(slowest=await calls.slowest_searches(db))

    @get("/unanswered", summary="Questions without an answer", responses=ADMIN_PROBLEMS)
    async def unanswered(self, request: AnyRequest, at_most: Rows = 100) -> UnansweredQuestions:
        """By fingerprint, area and topics; the most asked first."""
        async with acting(request) as db:
            return UnansweredQuestions(
                unanswered=await calls.unanswered_questions(db, at_most=at_most)
            )

    @get("/indexes", summary="The state of the indexes", responses=ADMIN_PROBLEMS)
    async def indexes(self, request: AnyRequest) -> Indexes:
        """With the statement that helps, where one does."""
        async with acting(request) as db:
            return Indexes(indexes=await calls.index_health(db))
