"""From a question to what is found for it, in other words where nothing is."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from app.answering import Found, find
from app.chat import calls, prompt
from app.chat.course import Course, storable
from app.pool import lend
from providers.protocols import ChatMessage, ProviderError

_MOST_TOKENS_OF_A_QUESTION = 200
_REWORD_WITHIN = 10.0
_LONGEST_QUESTION = 1000


async def understand(course: Course) -> None:
    """Let the model put a question of several into one that stands alone."""
    if course.context.history and course.model:
        reworded = await _ask_for_a_question(
            course,
            prompt.rewording_messages(
                history=course.context.history, question=course.begun.ask.inquiry.question
            ),
        )
        course.question = reworded or course.question
    course.watch.lap("reword")


async def search(course: Course) -> Found:
    """The hits, those first that answer best; in other words where there are none."""
    found = await _find(course, course.question)
    for _ in range(course.desk.max_retries):
        if found.hits:
            break
        other = await _other_words(course)
        if other is None or other in course.searched:
            break
        found = await _find(course, other)
    found = await _rerank(course, found)
    if found.retrieval.query_vector == "unavailable":
        course.degraded.append("embedding_failed")
    return found


async def _rerank(course: Course, found: Found) -> Found:
    """The same hits, those first that a reranker thinks answer best; as they were without."""
    if course.desk.reranker is None or len(found.hits) < 2:
        return found
    try:
        scores = await course.desk.reranker.scores(
            course.question, [f"{hit.title}\n{hit.content}" for hit in found.hits]
        )
    except ProviderError as error:
        course.failed("reranker", error)
        course.degraded.append("rerank_failed")
        return found
    finally:
        course.watch.lap("rerank")
    # equal scores stay in the order of the search
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return replace(found, hits=[found.hits[at] for at in order])


async def _find(course: Course, question: str) -> Found:
    """Search with these words at the place that is known."""
    course.searched.append(question)
    scope = course.context.scope
    found = await find(
        course.desk.pool,
        course.desk.embedders,
        replace(
            course.begun.ask.inquiry,
            question=question,
            la=scope.la_code,
            home_la=scope.home_la_code,
            urn=scope.school_urn,
            postcode=None,
        ),
    )
    course.watch.lap("search")
    return found


async def _other_words(course: Course) -> str | None:
    if course.model:
        reworded = await _ask_for_a_question(
            course, prompt.broadening_messages(question=course.question)
        )
        if reworded:
            return reworded
    async with lend(course.desk.pool) as db:
        return await calls.broader_question(db, question=course.question)


async def _ask_for_a_question(course: Course, messages: Sequence[ChatMessage]) -> str | None:
    """One line that the model says; None when it fails or says anything else."""
    if course.model is None:
        return None
    said: list[str] = []
    try:
        async with (
            asyncio.timeout(_REWORD_WITHIN),
            aclosing(
                course.model.stream(messages, most_tokens=_MOST_TOKENS_OF_A_QUESTION)
            ) as parts,
        ):
            async for part in parts:
                said.append(part.text)
    except (ProviderError, TimeoutError) as error:
        course.model_failed("rewrite_failed", error)
        return None
    line = storable("".join(said)).strip().strip('"“”')
    if not line or "\n" in line or len(line) > _LONGEST_QUESTION:
        course.degraded.append("rewrite_failed")
        return None
    return line
