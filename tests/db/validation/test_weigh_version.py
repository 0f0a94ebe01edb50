"""validation.weigh_version: what speaks for a text and against it, each in a sentence."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows

KENT = "E10000016"


def weigh(db: psycopg.Connection, version_id: int) -> dict[str, tuple[float, str]]:
    """Score and explanation by part."""
    return {
        part: (score, explanation)
        for part, score, explanation in ask_rows(
            db, "select part, score, explanation from validation.weigh_version(%s)", version_id
        )
    }


def test_a_recent_text_on_the_site_of_its_own_council_has_no_doubt_but_its_quality(
    reference: psycopg.Connection,
) -> None:
    reference.execute(
        "update place.authority set website = 'https://www.kent.gov.uk' where gss = %s", [KENT]
    )
    version = add(
        reference,
        "the council helps families",
        source="https://localoffer.kent.gov.uk/help",
        la_code=KENT,
        authority="la",
        tags=["transport", "exclusion", "ehcp"],
    ).version_id
    reference.execute("update corpus.version set effective_date = current_date - 30")
    parts = weigh(reference, version)
    assert {part: score for part, (score, _) in parts.items() if part != "quality"} == {
        "text": 1,
        "publisher": 1,
        "place": 1,
        "date": 1,
        "decisions": 1,
    }
    assert 0.7 <= parts["quality"][0] < 1
    assert parts["place"][1] == "localoffer.kent.gov.uk is a site of Kent"


@pytest.mark.parametrize(
    ("metadata", "score"),
    [
        ({}, 1),
        ({"warnings": []}, 1),
        ({"warnings": ["character encoding guessed as cp1252"]}, 0.9),
        ({"warnings": ["hard to tell"], "main_text_unsure": True}, 0.7),
        ({"warnings": ["no words"], "low_quality": True}, 0.3),
        ({"warnings": ["1 of 4"], "pages_without_text": [2], "page_count": 4}, 0.75),
        ({"pages_without_text": [1, 2], "page_count": None}, 0),
        # a parser of another day: nothing here may break
        ({"warnings": "text", "pages_without_text": "2", "page_count": "four"}, 1),
    ],
)
def test_what_the_parser_was_not_sure_of_counts(
    reference: psycopg.Connection, metadata: dict[str, Any], score: float
) -> None:
    version = add(reference, "a text", source="a.txt", la_code=KENT).version_id
    reference.execute("update corpus.version set metadata = %s", [Jsonb(metadata)])
    assert weigh(reference, version)["text"][0] == pytest.approx(score)


@pytest.mark.parametrize(
    ("source", "score", "told"),
    [
        ("https://www.gov.uk/send", 1, "gov.uk holds everywhere"),
        ("upload.txt", 0.95, "an uploaded file"),
        ("https://blog.example/send", 0.85, "nobody knows whose site blog.example is"),
        ("https://birmingham.gov.uk/send", 0.3, "is a site of Birmingham"),
        # an ending alone makes no site of it
        ("https://notbirmingham.gov.uk/send", 0.85, "nobody knows"),
    ],
)
def test_the_site_of_another_council_is_a_grave_doubt(
    reference: psycopg.Connection, source: str, score: float, told: str
) -> None:
    reference.execute(
        "update place.authority set website = 'https://www.birmingham.gov.uk'"
        " where gss = 'E08000025'"
    )
    version = add(reference, "a text", source=source, la_code=KENT).version_id
    place = weigh(reference, version)["place"]
    assert (place[0], told in place[1]) == (score, True)


def test_a_day_that_has_not_come_an_old_one_and_none(reference: psycopg.Connection) -> None:
    version = add(reference, "a text", source="a.txt", la_code=KENT).version_id
    scores = []
    for day in ("null", "current_date + 1", "current_date", "current_date - 3650"):
        reference.execute(f"update corpus.version set effective_date = {day}".encode())
        scores.append(weigh(reference, version)["date"][0])
    assert scores == [0.9, 0.6, 1, 0.85]


def test_what_people_doubted_counts_and_an_unknown_publisher_too(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, "word " * 500, source="a.txt", la_code=KENT)
    reference.execute("update corpus.version set authority = null")
    assert weigh(reference, added.version_id)["decisions"][0] == 1
    assert weigh(reference, added.version_id)["publisher"][0] == 0.85
    reference.execute("select corpus.set_status(%s::bigint[], 'flagged')", [added.chunk_ids[:1]])
    decisions = weigh(reference, added.version_id)["decisions"]
    assert decisions == (0.6, "1 of its passages were rejected or flagged")


def test_an_unknown_version_has_no_parts(reference: psycopg.Connection) -> None:
    assert ask(reference, "select count(*) from validation.weigh_version(-1)") == 0
