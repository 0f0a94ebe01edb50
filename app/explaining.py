"""Why a search found what it found: the same wording and the same vector, then the explanation."""

from dataclasses import dataclass

from app import calls
from app.answering import EMBEDDED_CHARACTERS, Inquiry
from app.calls import Scope
from app.embedders import Embedded, Embedders
from app.library import calls as library
from app.library.calls import Asked, Step, Verdict
from app.pool import Pool, lend


@dataclass(frozen=True, slots=True)
class Explanation:
    """What every stage of a search did, and the verdict on one chunk when that was asked."""

    scope: Scope
    topics: list[str]
    expansions: list[str]
    steps: list[Step]
    verdict: Verdict | None
    notes: list[str]


async def explain(
    pool: Pool, embedders: Embedders, inquiry: Inquiry, *, chunk_id: int | None
) -> Explanation:
    """Explain the search `app.answering.find` would do; nothing is recorded.

    Raises the database's errors and `PoolBusyError`.
    """
    async with lend(pool) as db:
        scope = await calls.scope_of(
            db, la=inquiry.la, home_la=inquiry.home_la, urn=inquiry.urn, postcode=inquiry.postcode
        )
        worded = await calls.word_question(db, question=inquiry.question, viewer=inquiry.viewer)
    embedded = Embedded(vector=None)
    if worded.cached_vector is None:
        question = inquiry.question[:EMBEDDED_CHARACTERS]
        embedded = await embedders.embed(worded.active, question)
    fresh = calls.vector_text(embedded.vector) if embedded.vector is not None else None
    asked = Asked(
        query_vector=worded.cached_vector or fresh,
        tsquery=worded.tsquery,
        la=scope.la_code,
        home_la=scope.home_la_code,
        urn=scope.school_urn,
        tags=inquiry.tags,
        top_k=inquiry.top_k,
        principals=inquiry.principals,
        as_of=inquiry.as_of,
        topics=worded.topics,
        embedding_set=worded.active.name,
    )
    async with lend(pool) as db:
        steps = await library.explain_search(db, asked)
        verdict = None
        if chunk_id is not None:
            verdict = await library.why_not(db, asked, chunk_id=chunk_id)
    problem = None if asked.query_vector else embedded.problem
    return Explanation(
        scope=scope,
        topics=worded.topics,
        expansions=worded.expansions,
        steps=steps,
        verdict=verdict,
        notes=[f"Searched by keyword only: {problem.rstrip('.')}."] if problem else [],
    )
