"""Why an address gave nothing, in one line for people and in a word for programs."""

from typing import Literal

FetchFailure = Literal[
    "address",  # not an address that may be asked for: scheme, port, spelling, a password in it
    "forbidden",  # it leads to a machine that is not on the public internet
    "unknown-host",
    "connect",
    "certificate",
    "timeout",
    "broken",  # the answer is no HTTP, ends early, or is packed in a way nobody reads
    "status",  # the site answered with a refusal
    "redirects",
    "too-big",
]


class FetchError(Exception):
    """A page that was not fetched; the message is one line: what, why, what to do.

    `passing` says whether the same address may work later, `retry_after` in how many seconds at
    the earliest when the site said so.
    """

    def __init__(
        self,
        kind: FetchFailure,
        reason: str,
        *,
        passing: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind: FetchFailure = kind
        self.reason = reason
        self.passing = passing
        self.status = status
        self.retry_after = retry_after
