"""The steps from a question to a cited answer, and what is said when one of them fails.

No database connection is held while a model is asked or anything is told: each step borrows one
for as long as its statement runs. Whoever leaves cancels the task that runs this, and with it the
call of the model.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from uuid import UUID

import asyncpg

from app.answering import Found, Inquiry, Stopwatch, find
from app.chat import calls, grounding, prompt, quoting, wording
from app.chat.calls import Context, Ending, NumberedChunk, Trace, Turn
from app.chat.citations import CitationFilter
from app.chat.desk import Desk
from app.chat.events import ChatAnswer, Discarded, Searched, Started, Tell, Token
from app.chat.grounding import CheckedSentence
from app.chat.sources import CitedSource, highlight, number_sources, quotable
from app.errors import detail_for_log
from app.pool import lend
from providers.protocols import ChatMessage, ChatModel, ProviderError, Source

_log = logging.getLogger("pgkb.app")

_READ_ONLY = "25006"
_MOST_TOKENS, _MOST_TOKENS_OF_A_QUESTION = 1500, 200
_REWORD_WITHIN = 10.0
_LONGEST_QUESTION = 1000


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and in which conversation; without `keep` nothing is kept of it."""

    inquiry: Inquiry
    conversation_id: UUID | None = None
    person_id: UUID | None = None
    child_id: UUID | None = None
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Begun:
    """A question whose place and history are known; `turn` is None where nothing is kept."""

    ask: Ask
    context: Context
    turn: Turn | None
    not_kept: bool = False


async def begin(desk: Desk, ask: Ask) -> Begun:
    """Resolve place and conversation and note the question; what is wrong with it shows here.

    Raises the database's errors. A database that accepts no writes answers all the same.
    """
    inquiry = ask.inquiry
    async with lend(desk.pool) as db:
        context = await calls.context_of(
            db,
            question=inquiry.question,
            conversation_id=ask.conversation_id,
            person_id=ask.person_id,
            child_id=ask.child_id,
            la=inquiry.la,
            home_la=inquiry.home_la,
            urn=inquiry.urn,
            postcode=inquiry.postcode,
        )
        if not ask.keep:
            return Begun(ask, context, None)
        try:
            turn = await calls.start_turn(
                db,
                question=inquiry.question,
                conversation_id=ask.conversation_id,
                person_id=ask.person_id,
                context=context,
            )
        except asyncpg.PostgresError as error:
            if error.sqlstate != _READ_ONLY:
                raise
            return Begun(ask, context, None, not_kept=True)
    return Begun(ask, context, turn)


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


@dataclass(slots=True)
class _Written:
    """The body of an answer, before it is put together."""

    by: str | None
    citations: list[int]
    found: bool
    sentences: list[CheckedSentence] = field(default_factory=list)
    quotes: dict[int, list[str]] = field(default_factory=dict)
    dropped: int = 0


class _Run:
    """One question on its way."""

    def __init__(self, desk: Desk, begun: Begun, tell: Tell) -> None:
        self._desk = desk
        self._begun = begun
        self._context = begun.context
        self._tell = tell
        self._watch = Stopwatch()
        self._question = begun.context.standalone
        self._searched: list[str] = []
        self._mode: str | None = None
        self._degraded: list[str] = ["not_kept"] if begun.not_kept else []
        # a service that failed a moment ago is not asked again for the same answer
        self._model = desk.model
        self._told: list[str] = []
        self._sources: list[CitedSource] = []
        self._written: _Written | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)

    async def through(self) -> ChatAnswer:
        turn = self._begun.turn
        await self._tell(
            Started(
                conversation_id=turn.conversation_id if turn else None,
                turn_id=turn.turn_id if turn else None,
            )
        )
        await self._understand()
        found = await self._search()
        self._sources = number_sources(found.hits)
        await self._tell(Searched(self._question, found.scope, found.topics, self._sources))
        self._written = await self._write(found)
        self._watch.lap("write")
        self._sources = highlight(self._sources, self._written.quotes)
        state = "answered" if self._written.found else "not_found"
        if turn and not await self._desk.keeper.finish(self._desk.pool, turn, self._ending(state)):
            self._degraded.append("not_kept")
        return self._answer(found, self._written)

    def note_later(self, state: str) -> None:
        """Note an ending that nobody waits for."""
        if self._begun.turn:
            self._desk.keeper.finish_later(self._desk.pool, self._begun.turn, self._ending(state))

    # -- the question

    async def _understand(self) -> None:
        """Let the model put a question of several into one that stands alone."""
        if self._context.history and self._model:
            reworded = await self._ask_for_a_question(
                prompt.rewording_messages(
                    history=self._context.history, question=self._begun.ask.inquiry.question
                )
            )
            self._question = reworded or self._question
        self._watch.lap("reword")

    async def _search(self) -> Found:
        found = await self._find(self._question)
        for _ in range(self._desk.max_retries):
            if found.hits:
                break
            other = await self._other_words()
            if other is None or other in self._searched:
                break
            found = await self._find(other)
        found = await self._rerank(found)
        self._mode = found.retrieval.mode
        if found.retrieval.query_vector == "unavailable":
            self._degraded.append("embedding_failed")
        return found

    async def _rerank(self, found: Found) -> Found:
        """The same hits, those first that a reranker thinks answer best; as they were without."""
        if self._desk.reranker is None or len(found.hits) < 2:
            return found
        try:
            scores = await self._desk.reranker.scores(
                self._question, [f"{hit.title}\n{hit.content}" for hit in found.hits]
            )
        except ProviderError as error:
            _log.warning("reranker: %s", detail_for_log(error, private=self._private()))
            self._degraded.append("rerank_failed")
            return found
        finally:
            self._watch.lap("rerank")
        # equal scores stay in the order of the search
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        return replace(found, hits=[found.hits[at] for at in order])

    async def _find(self, question: str) -> Found:
        """Search with these words at the place that is known."""
        self._searched.append(question)
        scope = self._context.scope
        found = await find(
            self._desk.pool,
            self._desk.embedders,
            replace(
                self._begun.ask.inquiry,
                question=question,
                la=scope.la_code,
                home_la=scope.home_la_code,
                urn=scope.school_urn,
                postcode=None,
            ),
        )
        self._watch.lap("search")
        return found

    async def _other_words(self) -> str | None:
        if self._model:
            reworded = await self._ask_for_a_question(
                prompt.broadening_messages(question=self._question)
            )
            if reworded:
                return reworded
        async with lend(self._desk.pool) as db:
            return await calls.broader_question(db, question=self._question)

    async def _ask_for_a_question(self, messages: Sequence[ChatMessage]) -> str | None:
        """One line that the model says; None when it fails or says anything else."""
        if self._model is None:
            return None
        said: list[str] = []
        try:
            async with (
                asyncio.timeout(_REWORD_WITHIN),
                aclosing(
                    self._model.stream(messages, most_tokens=_MOST_TOKENS_OF_A_QUESTION)
                ) as parts,
            ):
                async for part in parts:
                    said.append(part.text)
        except (ProviderError, TimeoutError) as error:
            self._model_failed("rewrite_failed", error)
            return None
        line = _storable("".join(said)).strip().strip('"“”')
        if not line or "\n" in line or len(line) > _LONGEST_QUESTION:
            self._degraded.append("rewrite_failed")
            return None
        return line

    def _model_failed(self, code: str, error: Exception) -> None:
        _log.warning("chat model: %s: %s", code, detail_for_log(error, private=self._private()))
        self._degraded.append(code)
        self._model = None

    def _private(self) -> tuple[str, ...]:
        said = [each.question for each in self._context.history]
        return (self._begun.ask.inquiry.question, self._question, *said)

    # -- the answer

    async def _write(self, found: Found) -> _Written:
        if not found.hits:
            await self._say(
                wording.not_found(self._context.wording, searched=self._searched, scope=found.scope)
            )
            return _Written(by=None, citations=[], found=False)
        quoted = quotable(self._sources, found.hits)
        if self._model is not None:
            written = await self._generate(self._model, found, quoted)
            if written is not None:
                return written
        elif self._desk.model is not None:
            self._degraded.append("model_failed")
        return await self._quote(found, quoted)

    async def _generate(
        self, model: ChatModel, found: Found, quoted: Sequence[Source]
    ) -> _Written | None:
        """The model's answer; None when it failed, with nothing of it left on the screen."""
        spoken = self._context.wording
        messages = prompt.answer_messages(
            system_prompt=spoken.system_prompt if spoken else None,
            sources=quoted,
            history=self._context.history,
            question=self._begun.ask.inquiry.question,
            standalone=self._question,
            disclaimed=found.retrieval.no_la_broad_fallback_used,
        )
        marks = CitationFilter(frozenset(source.number for source in quoted))
        start = await self._disclaim(found)
        try:
            async with (
                asyncio.timeout(self._desk.chat_timeout),
                aclosing(model.stream(messages, most_tokens=_MOST_TOKENS)) as parts,
            ):
                async for part in parts:
                    self._tokens = (
                        part.prompt_tokens or self._tokens[0],
                        part.completion_tokens or self._tokens[1],
                    )
                    shown = marks.feed(_storable(part.text))
                    await self._say(shown if len(self._told) > start else shown.lstrip())
        except (ProviderError, TimeoutError) as error:
            stopped = len(self._told) > start
            self._model_failed("model_stopped" if stopped else "model_failed", error)
            if self._told:
                self._told.clear()
                await self._tell(Discarded(self._degraded[-1]))
            return None
        await self._say(marks.end())
        body = "".join(self._told[start:])
        offset = len("".join(self._told[:start]))
        checked = grounding.check(body, quoted)
        passages = {source.number: source.text for source in self._sources}
        return _Written(
            by="model",
            citations=sorted(marks.cited),
            found=bool(marks.cited),
            sentences=[
                replace(each, start=each.start + offset, end=each.end + offset) for each in checked
            ],
            quotes=grounding.best_passages(body, checked, passages),
            dropped=marks.dropped,
        )

    async def _quote(self, found: Found, quoted: Sequence[Source]) -> _Written:
        """The best passages word for word: what there is without a model."""
        try:
            said = await quoting.quote(
                self._desk.embedders, self._question, quoted, found.expansions
            )
        except ProviderError as error:
            _log.warning("quoting failed: %s", detail_for_log(error, private=self._private()))
            await self._say(wording.SOURCES_ONLY)
            return _Written(by="sources_only", citations=[], found=False)
        if not said.found:
            await self._say(wording.NO_QUOTE)
            return _Written(by="extractive", citations=[], found=False)
        start = await self._disclaim(found)
        quotes = quoting.quotations(said.text)
        for block in quoting.blocks(quoting.without_footnotes(said.text, quotes)):
            await self._say(block)
        offset = len("".join(self._told[:start]))
        return _Written(
            by="extractive",
            citations=list(said.citations),
            found=True,
            sentences=[
                CheckedSentence(each.start + offset, each.end + offset, [each.number], True)
                for each in quotes
            ],
            quotes=quoting.by_source(quotes),
        )

    async def _disclaim(self, found: Found) -> int:
        """Say first that no area is known, where that is so; how many pieces were said."""
        if found.retrieval.no_la_broad_fallback_used:
            await self._say(f"{wording.disclaimer(self._context.wording)}\n\n")
        return len(self._told)

    async def _say(self, text: str) -> None:
        if text:
            self._told.append(text)
            await self._tell(Token(text))

    # -- what is kept and returned

    def _ending(self, state: str) -> Ending:
        cited = set(self._written.citations) if self._written else set()
        sentences = self._written.sentences if self._written else []
        prompt_tokens, completion_tokens = self._tokens
        return Ending(
            state=state,
            answer="".join(self._told) or None,
            answered_by=self._written.by if self._written else None,
            standalone=self._question,
            sources=[
                NumberedChunk(source.number, source.chunk_id, source.number in cited)
                for source in self._sources
            ],
            trace=Trace(
                model=self._desk.model.model if self._desk.model else None,
                search_mode=self._mode,
                degraded=self._degraded,
                searches=len(self._searched),
                dropped_citations=self._written.dropped if self._written else 0,
                sentences=len(sentences),
                unsupported_sentences=sum(each.supported is False for each in sentences),
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                timings=self._watch.ms,
            ),
        )

    def _answer(self, found: Found, written: _Written) -> ChatAnswer:
        turn = self._begun.turn
        degraded = list(dict.fromkeys(self._degraded))
        notes = [wording.DEGRADED[code] for code in degraded if code != "embedding_failed"]
        return ChatAnswer(
            answer="".join(self._told),
            found=written.found,
            citations=written.citations,
            answered_by=written.by,
            model=self._desk.model.model if self._desk.model and written.by == "model" else None,
            sources=self._sources,
            sentences=written.sentences,
            dropped_citations=written.dropped,
            question=self._question,
            scope=found.scope,
            place_from=self._context.place_from,
            topics=found.topics,
            retrieval=found.retrieval,
            degraded=degraded,
            notes=[*found.retrieval.notes, *notes],
            conversation_id=turn.conversation_id if turn else None,
            turn_id=turn.turn_id if turn else None,
            timings_ms=self._watch.ms,
        )


def _storable(text: str) -> str:
    """The text without what neither UTF-8 nor the database can hold."""
    return text.encode("utf-8", "ignore").decode().replace("\x00", "")
