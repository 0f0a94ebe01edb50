"""What a model client must look like, and the one error every client raises."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

# Codes of failures that a second call cannot cure; the rest of a run need not find out again.
LASTING = frozenset(["misconfigured", "unauthorised", "quota_exhausted"])


class ProviderError(Exception):
    """A model client could not do its work.

    ``str(error)`` is one line for people; it never holds a key, an address or a text that was sent.

    code         stable word for callers that store or show the failure: ``misconfigured``,
                 ``blank_input``, ``bad_vector``, ``refused``, ``unauthorised``, ``rate_limited``,
                 ``quota_exhausted``, ``unreachable``, ``timeout``, ``service_failed``
    retryable    the same call may succeed later
    retry_after  seconds the service asked to wait, never above the longest wait we accept;
                 None when it named none
    item         index of the guilty text in the call, when one text is to blame
    finished     vectors of the first texts of the call, which were answered before it failed:
                 whoever keeps them does not pay for them again
    detail       more for the server's log (status, address, the service's words with keys masked)
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retryable: bool = False,
        retry_after: float | None = None,
        item: int | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after
        self.item = item
        self.detail = detail
        self.finished: list[list[float]] = []


class Embedder(Protocol):
    """Turns texts into vectors of length one, in the order of the texts.

    Both calls raise ProviderError; neither returns a zero, non-finite or wrongly wide vector.
    A blank text is refused before anything is sent.
    """

    @property
    def name(self) -> str:
        """Which client this is: local, openai, azure or compatible."""

    @property
    def model(self) -> str:
        """The model's name, as kept in the embedding set."""

    @property
    def width(self) -> int:
        """How many numbers each vector holds."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text; blocks the thread."""

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text; leaves the event loop free."""

    def close(self) -> None:
        """Close the connections that ``embed`` opened; calling it twice is harmless."""

    async def aclose(self) -> None:
        """Close every connection, those that ``aembed`` opened in this event loop included."""


@dataclass(frozen=True, slots=True)
class Source:
    """One passage an answer may rest on; ``number`` is what ``[n]`` in the answer refers to.

    ``text`` may go beyond the passage that the search found, to its neighbours: then ``passage``
    is what was found itself. ``scope`` says whose document it is, as the search names it.
    """

    number: int
    title: str
    text: str
    source: str
    section: str | None = None
    version: int | None = None
    effective_date: date | None = None
    passage: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's text, the source numbers it cites in order, and whether anything was found."""

    text: str
    citations: list[int]
    found: bool


class Answerer(Protocol):
    """Answers a question from numbered sources and from nothing else."""

    async def answer(
        self, *, question: str, sources: Sequence[Source], expansions: Sequence[str] = ()
    ) -> Answer:
        """Answer, or say honestly that the sources do not hold it; raises ProviderError.

        ``expansions`` are other words for what the question is about.
        """


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of what a chat model is given."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatPart:
    """A piece of a model's answer as it comes in; the last may say what it cost."""

    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Reranker(Protocol):
    """Says how well texts answer a question."""

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, the highest for the best; raises ProviderError."""

    async def aclose(self) -> None:
        """Close every connection."""


class ChatModel(Protocol):
    """Goes on with a conversation, a piece at a time."""

    @property
    def name(self) -> str:
        """Which client this is: openai, azure or compatible."""

    @property
    def model(self) -> str:
        """The model's name."""

    def stream(
        self, messages: Sequence[ChatMessage], *, most_tokens: int
    ) -> AsyncGenerator[ChatPart, None]:
        """The answer in pieces; raises ProviderError, also after some of them.

        An answer that ends before the model had finished it is an error too. Whoever stops
        listening closes the generator: the service is then told at once, by the closed connection.
        """

    async def aclose(self) -> None:
        """Close every connection."""
