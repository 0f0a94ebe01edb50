"""What answering needs besides a question."""

from dataclasses import dataclass, field

from app.chat.keeping import Keeper
from app.embedders import Embedders
from app.pool import Lender
from providers.protocols import ChatModel, Reranker


@dataclass(frozen=True, slots=True)
class Desk:
    """Database, embedders and, where they are configured, a chat model and a reranker.

    `max_retries` is how often a question that found nothing is asked in other words;
    `chat_timeout` the longest a model may take for one answer, in seconds.
    """

    pool: Lender
    embedders: Embedders
    model: ChatModel | None = None
    reranker: Reranker | None = None
    max_retries: int = 0
    chat_timeout: float = 120.0
    keeper: Keeper = field(default_factory=Keeper)
