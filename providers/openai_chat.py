"""Chat models behind OpenAI's protocol: OpenAI itself, Azure, and any server that speaks it."""

import asyncio
import weakref
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import openai

from providers.openai_clients import Connection, async_client
from providers.openai_errors import explain
from providers.protocols import ChatMessage, ChatPart, ProviderError

# how a finished answer ends; anything else was cut, filtered, or wants a tool we have not
_FINISHED = frozenset(["stop", "end_turn", "eos"])


class OpenAIChat:
    """A ChatModel over HTTP. It asks once: whoever waits for an answer is better off with another
    kind of answer than with a second try.
    """

    def __init__(self, *, connection: Connection, model: str, silence: float) -> None:
        """`silence` is the longest wait for a byte, in seconds; the caller limits the whole."""
        self.name = connection.provider
        self.model = model
        self._connection = connection
        self._silence = silence
        # a connection belongs to the event loop that opened it
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = (
            weakref.WeakKeyDictionary()
        )

    async def stream(
        self, messages: Sequence[ChatMessage], *, most_tokens: int
    ) -> AsyncGenerator[ChatPart, None]:
        """The answer in pieces. Raises ProviderError."""
        said, finish = False, None
        try:
            async with aclosing(self._events(messages, most_tokens)) as events:
                async for event in events:
                    finish = _finish_of(event) or finish
                    part = _part_of(event)
                    said = said or bool(part.text.strip())
                    if part != ChatPart():
                        yield part
        except ProviderError:
            raise
        except Exception as error:
            raise self._explain(error, messages) from error
        if finish not in _FINISHED or not said:
            raise ProviderError(
                f"the chat service for {self.model} ended before the answer was finished",
                code="service_failed",
                retryable=True,
                detail=f"finish {finish}"[:80],
            )

    async def _events(
        self, messages: Sequence[ChatMessage], most_tokens: int
    ) -> AsyncGenerator[Any, None]:
        told: dict[str, Any] = {
            "model": self._connection.deployment or self.model,
            "messages": [
                {"role": message.role, "content": message.content} for message in messages
            ],
            "stream": True,
        }
        if self.name == "compatible":
            # what servers of one's own know of
            told |= {"max_tokens": most_tokens, "temperature": 0}
        else:
            told |= {
                "max_completion_tokens": most_tokens,
                "stream_options": {"include_usage": True},
            }
        async with await self._client().chat.completions.create(**told) as events:
            async for event in events:
                yield event

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = async_client(self._connection, timeout=self._silence)
        return self._clients[loop]

    def _explain(self, error: Exception, messages: Sequence[ChatMessage]) -> ProviderError:
        return explain(
            error,
            model=self.model,
            key=self._connection.key,
            key_name=self._connection.key_name,
            texts=[message.content for message in messages],
            service="chat",
        ).error

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()


def _choice(event: object) -> object:
    """The event's first choice; servers also send events without one."""
    choices = getattr(event, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _finish_of(event: object) -> str | None:
    finish = getattr(_choice(event), "finish_reason", None)
    return finish if isinstance(finish, str) else None


def _part_of(event: object) -> ChatPart:
    """What an event adds. The client checks no types, so this does; tool calls add nothing."""
    text = getattr(getattr(_choice(event), "delta", None), "content", None)
    usage = getattr(event, "usage", None)
    return ChatPart(
        text=text if isinstance(text, str) else "",
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**31 else None
