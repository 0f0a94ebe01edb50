"""See the plans of every statement, also of those inside functions, where EXPLAIN is blind."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.errors import Diagnostic
from psycopg.pq import TransactionStatus

MARK = "plan:\n"


@dataclass(slots=True)
class Plans:
    """The plans of the statements that ran, in the order in which they ended."""

    documents: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything as indented JSON, to search for the name of an index or a node."""
        return "\n".join(json.dumps(document, indent=1) for document in self.documents)

    def nodes(self) -> list[dict[str, Any]]:
        """Every plan node, parents before children."""
        return [node for document in self.documents for node in _walk(document["Plan"])]

    def of(self, words: str) -> "Plans":
        """Only the plans of statements whose text holds these words."""
        return Plans([document for document in self.documents if words in document["Query Text"]])


@contextmanager
def plans_of(
    db: psycopg.Connection, *, analyze: bool = False, enable_seqscan: bool = False
) -> Iterator[Plans]:
    """Collect plans while the block runs. Needs a superuser's connection.

    `analyze` adds row counts and buffers as they happened. Sequential scans are off by default,
    because on the few rows of a test the planner prefers them to any index.
    """
    plans = Plans()

    def collect(message: Diagnostic) -> None:
        _, mark, document = (message.message_primary or "").partition(MARK)
        if mark:
            plans.documents.append(json.loads(document))

    settings = {
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_format": "json",
        "auto_explain.log_analyze": "on" if analyze else "off",
        "auto_explain.log_buffers": "on" if analyze else "off",
        "enable_seqscan": "on" if enable_seqscan else "off",
        "client_min_messages": "log",
        "auto_explain.log_min_duration": "0",
    }
    db.execute("load 'auto_explain'")
    for name, value in settings.items():
        db.execute("select set_config(%s, %s, false)", (name, value))
    db.add_notice_handler(collect)
    try:
        yield plans
    finally:
        db.remove_notice_handler(collect)
        if db.info.transaction_status == TransactionStatus.INERROR:
            db.rollback()
        for name in settings:
            db.execute(f"reset {name}")


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _walk(child)
