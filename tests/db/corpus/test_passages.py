"""corpus.passages: each passage knows its pages and the headings above it."""

from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.db.corpus_fixtures import ask
from tests.rows import Row

PART = "This sentence tells what the council does and why it does it. " * 30


def passages(db: psycopg.Connection, body: str, metadata: Any) -> list[Row]:
    """The passages of a text with this metadata."""
    with db.cursor(row_factory=dict_row) as cursor:
        cursor.execute(
            "select * from corpus.passages(%s, %s) order by chunk_index", [body, Jsonb(metadata)]
        )
        return cursor.fetchall()


def laid_out() -> tuple[str, list[dict[str, Any]]]:
    """A text of nested headings, each with a part under it, and where they stand."""
    body = ""
    headings = []
    for level, text in ((1, "Transport"), (2, "Who pays"), (3, "Fees"), (2, "Appeals")):
        headings.append({"level": level, "text": text, "start": len(body)})
        body += f"{text}\n\n{PART}\n\n"
    return body, headings


def test_a_passage_is_told_with_the_headings_it_begins_under(reference: psycopg.Connection) -> None:
    body, headings = laid_out()
    found = passages(reference, body, {"headings": headings})
    assert len(found) > 4
    expected = {
        "Transport": ["Transport"],
        "Who pays": ["Transport", "Who pays"],
        "Fees": ["Transport", "Who pays", "Fees"],
        "Appeals": ["Transport", "Appeals"],
    }
    for row in found:
        last = [h for h in headings if h["start"] <= row["start_at"]][-1]
        assert row["heading_path"] == expected[last["text"]]
    assert {row["heading_path"][-1] for row in found} == set(expected)


def test_a_passage_is_told_with_the_pages_it_stands_on(reference: psycopg.Connection) -> None:
    body = PART * 4
    # the second page is empty: it begins where the third one does
    starts = [0, 1000, 1000, 2500, 7000]
    found = passages(reference, body, {"page_starts": starts})
    for row in found:
        first, last = row["start_at"], row["start_at"] + len(row["content"]) - 1
        assert row["page_from"] == sum(start <= first for start in starts)
        assert row["page_to"] == sum(start <= last for start in starts)
    assert found[0]["page_from"] == 1
    assert found[-1]["page_to"] == 5
    assert 2 not in {row["page_from"] for row in found}


def test_characters_are_counted_and_not_bytes(reference: psycopg.Connection) -> None:
    body = "Ł£–" * 400 + "\n\nFees\n\nTen pounds."
    start = body.index("Fees")
    found = passages(
        reference,
        body + PART,
        {"headings": [{"level": 1, "text": "Fees", "start": start}], "page_starts": [0, start]},
    )
    for row in found:
        assert (row["page_from"] == 2) == (row["start_at"] >= start)
        assert (row["heading_path"] == ["Fees"]) == (row["start_at"] >= start)
    assert found[0]["heading_path"] == []


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        {},
        {"headings": None, "page_starts": None},
        {"headings": "Fees", "page_starts": "0"},
        {"headings": [1, None, {"start": "0", "level": 1, "text": "x"}, {"text": "y"}]},
        {
            "headings": [
                {"start": -1, "level": 1, "text": "x"},
                {"start": 0, "level": 99, "text": "x"},
            ]
        },
        {
            "headings": [{"start": 0, "level": 1, "text": ["x"]}],
            "page_starts": [None, "1", -3, 1e40],
        },
    ],
)
def test_metadata_of_another_shape_is_passed_over(
    reference: psycopg.Connection, metadata: Any
) -> None:
    found = passages(reference, PART * 2, metadata)
    assert len(found) > 2
    assert {(row["page_from"], row["page_to"], *row["heading_path"]) for row in found} == {
        (None, None)
    }


def test_without_metadata_the_passages_are_those_of_the_text(reference: psycopg.Connection) -> None:
    assert ask(
        reference,
        "select (select array_agg(p.content order by p.chunk_index)"
        " from corpus.passages(%s, null) as p)"
        " = (select array_agg(c.content order by c.chunk_index)"
        " from corpus.chunk_text(%s) as c)",
        PART * 3,
        PART * 3,
    )
