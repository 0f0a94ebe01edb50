"""Failures of ingest in words for people."""

from collections.abc import Callable
from typing import TypeVar

import psycopg

Result = TypeVar("Result")

_TRIES = 4


class IngestError(Exception):
    """Nothing can be ingested this way; the message is one line: what, why, what to do."""


class UpkeepError(IngestError):
    """Upkeep or a rebuild cannot begin; the message is one line: what, why, what to do."""


class OptionError(IngestError):
    """An option given for the files (area, school, tag, publisher) is refused."""


def words_of(error: psycopg.Error) -> str:
    """A database error as one line: its message and what to do about it."""
    message = error.diag.message_primary or str(error).strip() or type(error).__name__
    parts = [message.splitlines()[0], error.diag.message_hint or ""]
    return ". ".join(" ".join(part.split()).rstrip(".") for part in parts if part)


def is_refusal(error: psycopg.Error) -> bool:
    """Whether the database refused what it was given, by one of our own rules."""
    return (error.sqlstate or "")[:2] in {"KB", "PL", "TE", "ST", "IN", "WC"}


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same statement may succeed at once: a deadlock or a serialisation failure."""
    return error.sqlstate in {"40P01", "40001"}


def again_if_passing(call: Callable[[], Result]) -> Result:
    """Do it, and again when it lost to another transaction in a way that a repeat cures."""
    for _ in range(_TRIES - 1):
        try:
            return call()
        except psycopg.Error as error:
            if not is_passing(error):
                raise
    return call()
