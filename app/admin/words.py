"""Reasons that were stored for people, once more without anything that is not for them."""

import re

from app.masking import mask_secrets

# where a server or a file lies is nobody's business who asks over HTTP
_PLACES = (
    (re.compile(r"(?<![\w./:])(?:/[\w.@+-]+){2,}/?"), "[path]"),
    (re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b"), "[address]"),
    (re.compile(r"(?i)\b(host|server at|port)\s+\"?[\w.:-]*[\w-]\"?"), r"\1 [address]"),
)
_LONGEST = 500


def for_people(reason: str | None) -> str | None:
    """A stored reason in one line, without secrets, paths of this machine and addresses of servers.

    What is stored is written for people; this is for the error that somebody passed on as it was.
    """
    if reason is None:
        return None
    line = " ".join(mask_secrets(reason).split())[:_LONGEST]
    for pattern, instead in _PLACES:
        line = pattern.sub(instead, line)
    return line
