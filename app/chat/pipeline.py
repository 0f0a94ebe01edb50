"""The steps from a question to a cited answer, and what is said when one of them fails.

No database connection is held while a model is asked or anything is told: each step borrows one
for as long as its statement runs. Whoever leaves cancels the task that runs this, and with it the
call of the model.
"""

import asyncio

from app.answering import Found
from app.chat import wording
from app.chat.asking import Begun
from app.chat.calls import Ending, NumberedChunk, Trace
from app.chat.course import Course
from app.chat.desk import Desk
from app.chat.events import ChatAnswer, Searched, Started, Tell
from app.chat.searching import search, understand
from app.chat.sources import CitedSource, highlight, number_sources
from app.chat.writing import Writer, Written


async def answer(desk: Desk, begun: Begun, tell: Tell) -> ChatAnswer:
    """Answer, telling every step; the last thing told is what is returned.

    Raises the database's errors and nothing of a provider. Cancelled or failed, it notes so.
    """
    run = _Run(desk, begun, tell)
    with desk.keeper.answering():
        try:
            said = await run.through()
        except asyncio.CancelledError:
            run.note_later("interrupted")
            raise
        except Exception:
            run.note_later("failed")
            raise
    await tell(said)
    return said


class _Run:
    """One question on its way."""

    def __init__(self, desk: Desk, begun: Begun, tell: Tell) -> None:
        self._course = Course(desk, begun)
        self._tell = tell
        self._writer = Writer(self._course, tell)
        self._mode: str | None = None
        self._sources: list[CitedSource] = []
        self._written: Written | None = None

    async def through(self) -> ChatAnswer:
        course = self._course
        turn = course.begun.turn
        await self._tell(
            Started(
                conversation_id=turn.conversation_id if turn else None,
                turn_id=turn.turn_id if turn else None,
            )
        )
        await understand(course)
        found = await search(course)
        self._mode = found.retrieval.mode
        self._sources = number_sources(found.hits)
        await self._tell(Searched(course.question, found.scope, found.topics, self._sources))
        self._written = await self._writer.write(found, self._sources)
        course.watch.lap("write")
        self._sources = highlight(self._sources, self._written.quotes)
        state = "answered" if self._written.found else "not_found"
        if turn and not await course.desk.keeper.finish(
            course.desk.pool, turn, self._ending(state)
        ):
            course.degraded.append("not_kept")
        return self._answer(found, self._written)

    def note_later(self, state: str) -> None:
        """Note an ending that nobody waits for."""
        course = self._course
        if course.begun.turn:
            course.desk.keeper.finish_later(
                course.desk.pool, course.begun.turn, self._ending(state)
            )

    def _ending(self, state: str) -> Ending:
        course = self._course
        cited = set(self._written.citations) if self._written else set()
        sentences = self._written.sentences if self._written else []
        prompt_tokens, completion_tokens = self._writer.tokens
        return Ending(
            state=state,
            answer="".join(self._writer.told) or None,
            answered_by=self._written.by if self._written else None,
            standalone=course.question,
            sources=[
                NumberedChunk(source.number, source.chunk_id, source.number in cited)
                for source in self._sources
            ],
            trace=Trace(
                model=course.desk.model.model if course.desk.model else None,
                search_mode=self._mode,
                degraded=course.degraded,
                searches=len(course.searched),
                dropped_citations=self._written.dropped if self._written else 0,
                sentences=len(sentences),
                unsupported_sentences=sum(each.supported is False for each in sentences),
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                timings=course.watch.ms,
            ),
        )

    def _answer(self, found: Found, written: Written) -> ChatAnswer:
        course = self._course
        turn = course.begun.turn
        degraded = list(dict.fromkeys(course.degraded))
        notes = [wording.DEGRADED[code] for code in degraded if code != "embedding_failed"]
        return ChatAnswer(
            answer="".join(self._writer.told),
            found=written.found,
            citations=written.citations,
            answered_by=written.by,
            model=course.desk.model.model if course.desk.model and written.by == "model" else None,
            sources=self._sources,
            sentences=written.sentences,
            dropped_citations=written.dropped,
            question=course.question,
            scope=found.scope,
            place_from=course.context.place_from,
            topics=found.topics,
            retrieval=found.retrieval,
            degraded=degraded,
            notes=[*found.retrieval.notes, *notes],
            conversation_id=turn.conversation_id if turn else None,
            turn_id=turn.turn_id if turn else None,
            timings_ms=course.watch.ms,
        )
