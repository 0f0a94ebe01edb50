"""search.chunks_as_of: rule 10, the versions in force on a day."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import add, stage
from tests.rows import value_of


def in_force(
    db: psycopg.Connection[Any],
    day: str,
    *,
    tags: list[str] | None = None,
    statuses: str = "{approved,pending}",
) -> set[int]:
    rows = db.execute(
        "select search.chunks_as_of(%s, (select array_agg(scope_id) from corpus.scope), %s, %s)",
        [day, statuses, tags],
    ).fetchall()
    assert len(rows) == len({row[0] for row in rows})
    return {row[0] for row in rows}


def test_each_day_has_the_version_in_force_on_it(kb: psycopg.Connection[Any]) -> None:
    years = (2019, 2021, 2024)
    versions = {
        year: add(kb, f"Rules of {year}.", source="rules", effective_date=date(year, 9, 1))
        for year in years
    }
    ids = {year: set(added.chunk_ids) for year, added in versions.items()}
    assert in_force(kb, "2019-08-31") == set()
    assert in_force(kb, "2019-09-01") == ids[2019]
    assert in_force(kb, "2021-08-31") == ids[2019]
    assert in_force(kb, "2021-09-01") == ids[2021]
    assert in_force(kb, "2024-09-01") == ids[2024]
    assert in_force(kb, "2999-01-01") == ids[2024]


def test_a_version_published_late_holds_in_the_past_it_names(kb: psycopg.Connection[Any]) -> None:
    new = add(kb, "Rules of 2024.", source="rules", effective_date=date(2024, 1, 1))
    late = add(kb, "Rules of 2020.", source="rules", effective_date=date(2020, 1, 1))
    assert in_force(kb, "2022-01-01") == set(late.chunk_ids)
    assert in_force(kb, "2024-01-01") == set(new.chunk_ids)


def test_a_version_that_comes_late_between_two_others_ends_the_earlier_of_them(
    kb: psycopg.Connection[Any],
) -> None:
    ids = {
        year: set(
            add(kb, f"Rules of {year}.", source="r", effective_date=date(year, 1, 1)).chunk_ids
        )
        for year in (2019, 2024, 2021)
    }
    assert in_force(kb, "2020-12-31") == ids[2019]
    assert in_force(kb, "2021-01-01") == in_force(kb, "2023-12-31") == ids[2021]
    assert in_force(kb, "2024-01-01") == ids[2024]


def test_of_two_texts_of_one_day_the_later_published_is_in_force(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "Draft.", source="rules", effective_date=date(2024, 1, 1))
    final = add(kb, "Final.", source="rules", effective_date=date(2024, 1, 1))
    assert in_force(kb, "2024-01-01") == in_force(kb, "2025-01-01") == set(final.chunk_ids)


def test_a_text_without_a_date_is_in_force_from_the_day_it_came(
    kb: psycopg.Connection[Any],
) -> None:
    added = add(kb, "Undated.", source="a")
    today = str(value_of(kb, "select current_date"))
    yesterday = str(value_of(kb, "select current_date - 1"))
    assert in_force(kb, today) == set(added.chunk_ids)
    assert in_force(kb, yesterday) == set()


def test_a_text_still_to_come_is_not_in_force(kb: psycopg.Connection[Any]) -> None:
    added = add(kb, "From 2090.", source="a", effective_date=date(2090, 1, 1))
    assert in_force(kb, "2089-12-31") == set()
    assert in_force(kb, "2090-01-01") == set(added.chunk_ids)


def test_staged_rejected_and_flagged_text_was_never_in_force(kb: psycopg.Connection[Any]) -> None:
    rejected = add(kb, "Rejected.", source="a", effective_date=date(2020, 1, 1))
    flagged = add(kb, "Flagged.", source="b", effective_date=date(2020, 1, 1))
    kb.execute(
        "select corpus.set_status(%s, 'rejected'), corpus.set_status(%s, 'flagged')",
        [rejected.chunk_ids, flagged.chunk_ids],
    )
    # superseded afterwards, and still out
    newer = add(kb, "New.", source="a", effective_date=date(2024, 1, 1))
    stage(kb, "Staged.", source="c", effective_date=date(2020, 1, 1))
    assert in_force(kb, "2022-01-01") == set()
    assert in_force(kb, "2024-01-01") == set(newer.chunk_ids)


def test_tags_narrow(kb: psycopg.Connection[Any]) -> None:
    add(kb, "One.", source="a", effective_date=date(2020, 1, 1))
    tagged = add(kb, "Two.", source="b", effective_date=date(2020, 1, 1), tags=["transport"])
    assert in_force(kb, "2022-01-01", tags=["transport", "ehcp"]) == set(tagged.chunk_ids)
    assert in_force(kb, "2022-01-01", tags=["ehcp"]) == set()


@pytest.mark.parametrize("reviewed", [True, False])
def test_what_was_pending_when_it_was_superseded_is_not_approved_afterwards(
    kb: psycopg.Connection[Any], reviewed: bool
) -> None:
    old = add(kb, "Old.", source="a", effective_date=date(2020, 1, 1))
    if reviewed:
        kb.execute("select corpus.set_status(%s, 'approved')", [old.chunk_ids])
    add(kb, "New.", source="a", effective_date=date(2024, 1, 1))
    expected = set(old.chunk_ids)
    assert in_force(kb, "2022-01-01", statuses="{approved}") == (expected if reviewed else set())
    assert in_force(kb, "2022-01-01", statuses="{pending}") == (set() if reviewed else expected)
    assert in_force(kb, "2022-01-01") == expected


def test_a_text_that_came_too_late_to_be_seen_was_pending(kb: psycopg.Connection[Any]) -> None:
    add(kb, "New.", source="a", effective_date=date(2024, 1, 1))
    late = add(kb, "Late.", source="a", effective_date=date(2020, 1, 1))
    assert in_force(kb, "2022-01-01", statuses="{approved}") == set()
    assert in_force(kb, "2022-01-01", statuses="{pending}") == set(late.chunk_ids)


@pytest.mark.parametrize("status", ["rejected", "flagged"])
def test_a_passage_taken_out_stays_out_of_the_past_of_a_version_that_came_late(
    kb: psycopg.Connection[Any], status: str
) -> None:
    new = add(kb, "A wrong passage.", source="a", title="N", effective_date=date(2024, 1, 1))
    kb.execute("select corpus.set_status(%s, %s)", [new.chunk_ids, status])
    # as if there had been more text around it: the same text would only correct the facts
    kb.execute("update corpus.version set content_hash = sha256('other')")
    late = add(kb, "A wrong passage.", source="a", title="L", effective_date=date(2020, 1, 1))
    assert late.outcome == "staged"
    assert in_force(kb, "2022-01-01") == set()


def test_the_ends_of_time_are_days_too(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Old.", source="a", effective_date=date(2020, 1, 1))
    new = add(kb, "New.", source="a", effective_date=date(2024, 1, 1))
    assert in_force(kb, "infinity") == set(new.chunk_ids)
    assert in_force(kb, "-infinity") == set()
