"""corpus.correct_facts, through corpus.stage_document: facts are corrected, the text stays."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import add, search, stage
from tests.db.corpus_fixtures import ask, ask_rows

BODY = "The panel meets on Tuesdays and decides within ten working days of a request. " * 30


def _facts(db: psycopg.Connection, version_id: int) -> tuple[Any, ...]:
    return ask_rows(
        db,
        "select title, tags, authority, effective_date from corpus.version where version_id = %s",
        version_id,
    )[0]


def test_corrected_facts_of_an_unchanged_text_are_applied_without_embedding(
    reference: psycopg.Connection,
) -> None:
    first = add(reference, BODY, source="a.txt", title="Panel days", tags=["transport"])
    vectors = ask_rows(reference, "select chunk_id, embedding::text from embedding.vector")
    again = stage(
        reference,
        BODY,
        source="a.txt",
        title="Weekly hearings",
        tags=["ehcp", "exclusion"],
        authority="charity",
        effective_date=date(2025, 1, 2),
    )
    assert (again["outcome"], again["version_id"]) == ("updated", first.version_id)
    assert again["task_id"] is None
    assert _facts(reference, first.version_id) == (
        "Weekly hearings",
        ["ehcp", "exclusion"],
        "charity",
        date(2025, 1, 2),
    )
    assert ask_rows(reference, "select chunk_id, embedding::text from embedding.vector") == vectors
    assert ask_rows(reference, "select distinct tags from corpus.chunk_fact") == [
        (["ehcp", "exclusion"],)
    ]
    assert [row["title"] for row in search(reference, words="hearings", top_k=1)] == [
        "Weekly hearings"
    ]
    assert ask(reference, "select count(*) from audit.event where kind = 'corrected'") == 1


def test_what_is_not_given_and_a_guessed_title_correct_nothing(
    reference: psycopg.Connection,
) -> None:
    first = add(
        reference,
        BODY,
        source="a.txt",
        title="Panel days",
        tags=["transport"],
        authority="charity",
        effective_date=date(2025, 1, 2),
    )
    before = _facts(reference, first.version_id)
    outcome = ask(
        reference,
        "select outcome from corpus.stage_document(source => 'a.txt', title => 'A', body => %s,"
        " file_type => 'txt', title_is_stated => false)",
        BODY,
    )
    assert outcome == "unchanged"
    assert _facts(reference, first.version_id) == before


def test_tags_that_a_curator_changed_stay(reference: psycopg.Connection) -> None:
    first = add(reference, BODY, source="a.txt", tags=["transport"])
    reference.execute("select corpus.set_tags(%s, '{exclusion}')", [first.chunk_ids[:1]])
    stage(reference, BODY, source="a.txt", tags=["ehcp"])
    tags = ask_rows(reference, "select tags from corpus.chunk_fact order by chunk_id")
    assert tags[0] == (["exclusion"],)
    assert {tuple(row[0]) for row in tags[1:]} == {("ehcp",)}


@pytest.mark.parametrize("day", [date(2026, 1, 1), None])
def test_a_corrected_title_or_day_decides_anew_who_is_in_force(
    reference: psycopg.Connection, day: date | None
) -> None:
    old = add(
        reference, BODY, source="a.txt", title="Panel policy", effective_date=date(2025, 1, 1)
    )
    new = add(
        reference,
        BODY + "New.",
        source="b.txt",
        title="Panel policy",
        effective_date=date(2025, 6, 1),
    )
    third = add(
        reference,
        BODY + "Newest.",
        source="c.txt",
        title="Other subject",
        effective_date=date(2024, 1, 1),
    )
    again = stage(
        reference,
        BODY + "Newest.",
        source="c.txt",
        title="Panel policy",
        effective_date=day,
    )
    assert again["outcome"] == "updated"
    states: dict[int, str] = dict(
        ask_rows(reference, "select version_id, state from corpus.version")
    )
    assert states[old.version_id] == "superseded"
    # its new title makes it a version of the policy, of its day
    assert states[third.version_id] == ("published" if day else "superseded")
    assert states[new.version_id] == ("superseded" if day else "published")


def test_an_outranked_document_whose_day_is_corrected_comes_in_force(
    reference: psycopg.Connection,
) -> None:
    add(reference, BODY, source="a.txt", title="Panel policy", effective_date=date(2025, 6, 1))
    outranked = add(
        reference,
        BODY + "Two.",
        source="b.txt",
        title="Panel policy",
        effective_date=date(2024, 1, 1),
    )
    again = add(
        reference,
        BODY + "Two.",
        source="b.txt",
        title="Panel policy",
        effective_date=date(2026, 1, 1),
    )
    assert (again.outcome, again.document_id) == ("staged", outranked.document_id)
    assert ask_rows(
        reference,
        "select d.source, v.effective_date from corpus.version as v"
        " join corpus.document as d using (document_id) where v.state = 'published'",
    ) == [("b.txt", date(2026, 1, 1))]


def test_a_staged_text_that_is_taken_over_gets_the_facts_given_now(
    reference: psycopg.Connection,
) -> None:
    first = stage(reference, BODY, source="a.txt", title="Panel days", lease_holder=None)
    again = stage(reference, BODY, source="a.txt", title="Hearings", tags=["ehcp"])
    assert (again["outcome"], again["version_id"]) == ("staged", first["version_id"])
    assert _facts(reference, first["version_id"])[:2] == ("Hearings", ["ehcp"])
    assert ask(
        reference,
        "select bool_and(embedding_hash = sha256(convert_to("
        "embedding.text_of('Hearings', content), 'UTF8'))) from corpus.chunk",
    )
