"""Logging of a process that stays: one stream, no secrets, no question texts."""

import logging
import sys
from typing import TextIO

from app.masking import mask_secrets


class _Masking(logging.Formatter):
    """Masks whatever any library put into a record."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


def log_to(stream: TextIO = sys.stderr) -> None:
    """Log to a stream: our own lines from INFO on, everybody else's from WARNING on.

    Model clients log what they send when asked for more, so nothing here asks.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Masking("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for room in ("pgkb", "ingest"):
        logging.getLogger(room).setLevel(logging.INFO)
