"""Editions of one subject from several sources, and what a search sees of them."""

from datetime import date
from typing import Any

import psycopg

from tests.corpus import add, axis, search
from tests.db.corpus_fixtures import ask, ask_rows

TITLE = "Transport policy"


def add_edition(db: psycopg.Connection, source: str, year: int | None = None, **facts: Any) -> int:
    """Publish a text of this source under `TITLE`; its version."""
    return add(
        db,
        facts.pop("body", f"The text of {source}."),
        source=source,
        title=facts.pop("title", TITLE),
        effective_date=date(year, 1, 1) if year else None,
        **facts,
    ).version_id


def live(db: psycopg.Connection) -> list[str]:
    """What each leg of a search finds, which must be the same."""
    by_words = sorted(row["source"] for row in search(db, words="text", top_k=20))
    by_vector = sorted(row["source"] for row in search(db, vector=axis(1), top_k=20))
    assert by_words == by_vector
    return by_words


def behind(db: psycopg.Connection) -> dict[str, str]:
    """Which source each superseded version stands behind."""
    return dict(
        ask_rows(
            db,
            "select d.source, o.source from corpus.version as v"
            " join corpus.document as d using (document_id)"
            " join corpus.version as s on v.superseded_by = s.version_id"
            " join corpus.document as o on s.document_id = o.document_id"
            " where v.state = 'superseded'",
        )
    )


def take_out_two(db: psycopg.Connection) -> None:
    """Beside edition b of 2025 one that a curator put behind it, and one that was withdrawn."""
    documents = {
        source: ask(
            db,
            "select document_id from corpus.version where version_id = %s",
            add_edition(db, source, year, title=title),
        )
        for source, year, title in (
            ("named", 2020, "Panel days"),
            ("gone", 2023, TITLE),
            ("b", 2025, TITLE),
        )
    }
    db.execute("select corpus.supersede(%(named)s, %(b)s)", documents)
    db.execute("select corpus.withdraw(%(gone)s)", documents)
