"""What the steps of one answer share: the question as it is now, the model, what went wrong."""

import logging

from app.answering import Stopwatch
from app.chat.asking import Begun
from app.chat.desk import Desk
from app.errors import detail_for_log
from providers.protocols import ChatModel

_log = logging.getLogger("pgkb.app")


class Course:
    """One question on its way; `searched` are the words it was searched for with, in order."""

    def __init__(self, desk: Desk, begun: Begun) -> None:
        self.desk = desk
        self.begun = begun
        self.context = begun.context
        self.question = begun.context.standalone
        self.searched: list[str] = []
        self.degraded: list[str] = ["not_kept"] if begun.not_kept else []
        # a service that failed a moment ago is not asked again for the same answer
        self.model: ChatModel | None = desk.model
        self.watch = Stopwatch()

    def model_failed(self, code: str, error: Exception) -> None:
        """Go on without the model."""
        self.failed("chat model: " + code, error)
        self.degraded.append(code)
        self.model = None

    def failed(self, what: str, error: Exception) -> None:
        """Log what failed, without a word of what was asked."""
        said = [each.question for each in self.context.history]
        private = (self.begun.ask.inquiry.question, self.question, *said)
        _log.warning("%s: %s", what, detail_for_log(error, private=private))


def storable(text: str) -> str:
    """The text without what neither UTF-8 nor the database can hold."""
    return text.encode("utf-8", "ignore").decode().replace("\x00", "")
