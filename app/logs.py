"""Logging of a process that stays: one stream, no secrets, no question texts.

A person at a terminal reads lines; whatever collects logs gets a JSON object a line.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

from app.masking import mask_secrets


def log_to(stream: TextIO = sys.stderr) -> None:
    """Log to a stream: our own lines from INFO on, everybody else's from WARNING on.

    Model clients log what they send when asked for more, so nothing here asks.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(readable=stream.isatty()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for room in ("pgkb", "ingest"):
        logging.getLogger(room).setLevel(logging.INFO)


def formatter(*, readable: bool) -> logging.Formatter:
    """Turns records into lines for people, or into JSON; secrets are masked in both."""
    render: Any = (
        structlog.dev.ConsoleRenderer(colors=False)
        if readable
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            _mask,
            render,
        ],
    )


def _mask(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Masks whatever any library put into a record."""
    for name, value in event.items():
        if not isinstance(value, (bool, int, float)) and value is not None:
            event[name] = mask_secrets(str(value))
    return event
