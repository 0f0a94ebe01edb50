"""From what was found to the body of an answer: written by a model, or quoted."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from app.answering import Found
from app.chat import grounding, prompt, quoting, wording
from app.chat.citations import CitationFilter
from app.chat.course import Course, storable
from app.chat.events import Discarded, Tell, Token
from app.chat.grounding import CheckedSentence
from app.chat.sources import CitedSource, quotable
from providers.protocols import ChatModel, ProviderError, Source

_MOST_TOKENS = 1500


@dataclass(slots=True)
class Written:
    """The body of an answer, before it is put together."""

    by: str | None
    citations: list[int]
    found: bool
    sentences: list[CheckedSentence] = field(default_factory=list)
    quotes: dict[int, list[str]] = field(default_factory=dict)
    dropped: int = 0


class Writer:
    """Tells an answer piece by piece; `told` is what is on the screen, `tokens` what it cost."""

    def __init__(self, course: Course, tell: Tell) -> None:
        self._course = course
        self._tell = tell
        self.told: list[str] = []
        self.tokens: tuple[int | None, int | None] = (None, None)

    async def write(self, found: Found, sources: Sequence[CitedSource]) -> Written:
        """The body of the answer, told as it comes about."""
        if not found.hits:
            await self._say(
                wording.not_found(
                    self._course.context.wording,
                    searched=self._course.searched,
                    scope=found.scope,
                )
            )
            return Written(by=None, citations=[], found=False)
        quoted = quotable(sources, found.hits)
        if self._course.model is not None:
            written = await self._generate(self._course.model, found, sources, quoted)
            if written is not None:
                return written
        elif self._course.desk.model is not None:
            self._course.degraded.append("model_failed")
        return await self._quote(found, quoted)

    async def _generate(
        self,
        model: ChatModel,
        found: Found,
        sources: Sequence[CitedSource],
        quoted: Sequence[Source],
    ) -> Written | None:
        """The model's answer; None when it failed, with nothing of it left on the screen."""
        spoken = self._course.context.wording
        messages = prompt.answer_messages(
            system_prompt=spoken.system_prompt if spoken else None,
            sources=quoted,
            history=self._course.context.history,
            question=self._course.begun.ask.inquiry.question,
            standalone=self._course.question,
            disclaimed=found.retrieval.no_la_broad_fallback_used,
        )
        marks = CitationFilter(frozenset(source.number for source in quoted))
        start = await self._disclaim(found)
        try:
            async with (
                asyncio.timeout(self._course.desk.chat_timeout),
                aclosing(model.stream(messages, most_tokens=_MOST_TOKENS)) as parts,
            ):
                async for part in parts:
                    self.tokens = (
                        part.prompt_tokens or self.tokens[0],
                        part.completion_tokens or self.tokens[1],
                    )
                    shown = marks.feed(storable(part.text))
                    await self._say(shown if len(self.told) > start else shown.lstrip())
        except (ProviderError, TimeoutError) as error:
            stopped = len(self.told) > start
            self._course.model_failed("model_stopped" if stopped else "model_failed", error)
            if self.told:
                self.told.clear()
                await self._tell(Discarded(self._course.degraded[-1]))
            return None
        await self._say(marks.end())
        body = "".join(self.told[start:])
        offset = len("".join(self.told[:start]))
        checked = grounding.check(body, quoted)
        passages = {source.number: source.text for source in sources}
        return Written(
            by="model",
            citations=sorted(marks.cited),
            found=bool(marks.cited),
            sentences=[
                replace(each, start=each.start + offset, end=each.end + offset) for each in checked
            ],
            quotes=grounding.best_passages(body, checked, passages),
            dropped=marks.dropped,
        )

    async def _quote(self, found: Found, quoted: Sequence[Source]) -> Written:
        """The best passages word for word: what there is without a model."""
        try:
            said = await quoting.quote(
                self._course.desk.embedders, self._course.question, quoted, found.expansions
            )
        except ProviderError as error:
            self._course.failed("quoting failed", error)
            await self._say(wording.SOURCES_ONLY)
            return Written(by="sources_only", citations=[], found=False)
        if not said.found:
            await self._say(wording.NO_QUOTE)
            return Written(by="extractive", citations=[], found=False)
        start = await self._disclaim(found)
        quotes = quoting.quotations(said.text)
        for block in quoting.blocks(quoting.without_footnotes(said.text, quotes)):
            await self._say(block)
        offset = len("".join(self.told[:start]))
        return Written(
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
            await self._say(f"{wording.disclaimer(self._course.context.wording)}\n\n")
        return len(self.told)

    async def _say(self, text: str) -> None:
        if text:
            self.told.append(text)
            await self._tell(Token(text))
