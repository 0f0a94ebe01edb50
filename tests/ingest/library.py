"""Texts, and what a test asks the database about them."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from ingest.items import FileResult, Item
from ingest.load import load_paths
from providers.protocols import Embedder

BIRMINGHAM, KENT = "E08000025", "E10000016"
SCHOOL = "990001"


def words(about: str, paragraphs: int = 3) -> str:
    """A text about something, a chunk or so per two paragraphs."""
    return "\n\n".join(
        f"Paragraph {number} about {about}. The council tells every family in writing what it "
        f"decided about {about} and why, and whom to call. Families who disagree with paragraph "
        f"{number} write to the service within four weeks and say what they want changed. "
        "A person who did not take part in the first decision then looks at it again."
        for number in range(1, paragraphs + 1)
    )


def write_texts(folder: Path, **texts: str) -> list[Item]:
    """A file per text, `name.txt`, and the items to ingest them."""
    items = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        items.append(Item(path=path))
    return items


def load(url: str, items: Sequence[Item], embedder: Embedder) -> list[FileResult]:
    """Ingest, all results."""
    return list(load_paths(url, items, embedder=embedder))


def statuses(results: Sequence[FileResult]) -> dict[str, str]:
    """Source to status."""
    return {result.source: result.status for result in results}


def visible(db: psycopg.Connection) -> list[dict[str, Any]]:
    """What people see: source and number of chunks, by source."""
    db.rollback()
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            "select source, count(*)::int as chunks, count(distinct chunk_index)::int as places"
            " from knowledge_base where validation_status in ('approved', 'pending')"
            " group by source order by source"
        ).fetchall()


def one(db: psycopg.Connection, question: str, *values: object) -> Any:
    """The first column of the first row."""
    db.rollback()
    row = db.execute(question, values).fetchone()
    return None if row is None else row[0]


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    """Until it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)
