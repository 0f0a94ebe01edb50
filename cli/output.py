"""Printing: data on stdout, words about the work on stderr."""

import json
import sys
import unicodedata
from typing import Any


def print_json(data: Any) -> None:  # noqa: ANN401 - any dataclass, struct or plain value
    """One JSON document on stdout, indented, with a line end."""
    import msgspec

    try:
        text = msgspec.json.format(msgspec.json.encode(data, enc_hook=str), indent=2).decode()
    except UnicodeEncodeError:
        # a file name that is no UTF-8: its stray bytes are written as escapes
        text = json.dumps(msgspec.to_builtins(data, enc_hook=str), indent=2)
    sys.stdout.write(text + "\n")


def say(line: str) -> None:
    """A line of the result on stdout."""
    sys.stdout.write(_harmless(line) + "\n")


def note(line: str) -> None:
    """A line about the work on stderr."""
    sys.stderr.write(_harmless(line) + "\n")
    sys.stderr.flush()


def _harmless(text: str) -> str:
    """The text without control characters: a document must not steer the terminal."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def shorten(text: str, width: int = 96) -> str:
    """The text on one line of at most `width` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rstrip() + "…"


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
