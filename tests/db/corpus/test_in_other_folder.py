"""corpus.in_other_folder: what lies apart in an archive is not the same document (Z-06)."""

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows


@pytest.mark.parametrize(
    ("source", "other", "apart"),
    [
        ("a.zip/north/p.pdf", "a.zip/south/p.pdf", True),
        ("a.zip/p.pdf", "A.ZIP/south/p.pdf", True),
        ("a.zip/in.zip/p.pdf", "a.zip/p.pdf", True),
        ("a.zip/north/p 2024.pdf", "a.zip/north/p 2025.pdf", False),
        ("a.zip/north/p.pdf", "b.zip/south/p.pdf", False),
        ("north/p.pdf", "south/p.pdf", False),
        ("p.pdf", "a.zip/p.pdf", False),
    ],
)
def test_two_folders_of_one_archive_are_apart(
    reference: psycopg.Connection, source: str, other: str, apart: bool
) -> None:
    assert ask(reference, "select corpus.in_other_folder(%s, %s)", source, other) is apart
    assert ask(reference, "select corpus.in_other_folder(%s, %s)", other, source) is apart


def test_equal_titles_in_two_folders_of_an_archive_do_not_supersede(
    reference: psycopg.Connection,
) -> None:
    for source in ("a.zip/north/plan.txt", "a.zip/south/plan.txt", "a.zip/south/plan 2025.txt"):
        add(
            reference,
            f"The transport plan of {source}. " * 9,
            source=source,
            title="Transport plan",
        )
    assert ask_rows(
        reference,
        "select d.source from corpus.version as v join corpus.document as d using (document_id)"
        " where v.state = 'published' order by 1",
    ) == [("a.zip/north/plan.txt",), ("a.zip/south/plan 2025.txt",)]
