"""search_kb, rule 10: a superseded version never appears; with as_of the one of that day does."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add, axis, near, search
from tests.rows import value_of
from tests.sandbox import refused
from tests.timing import best_of_three

LEGS: dict[str, dict[str, Any]] = {
    "both legs": {"words": "transport", "vector": axis(3)},
    "vector only": {"vector": axis(3)},
    "keyword only": {"words": "transport"},
}


@pytest.fixture(params=LEGS.values(), ids=[*LEGS])
def question(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


def add_rules(db: psycopg.Connection[Any], year: int, **facts: Any) -> Added:
    return add(
        db,
        f"The rules of {year} on transport.",
        source="rules",
        effective_date=date(year, 9, 1),
        vector=near(3, 0.9, towards=year % 300),
        **facts,
    )


@pytest.fixture
def rules(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    for year in (2019, 2021, 2024):
        add_rules(kb, year)
    return kb


def years(db: psycopg.Connection[Any], question: dict[str, Any], **asked: Any) -> list[int]:
    return sorted(int(r["effective_date"][:4]) for r in search(db, **question, **asked))


def test_only_the_version_in_force_answers(
    rules: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    assert years(rules, question) == [2024]


@pytest.mark.parametrize(
    ("day", "year"),
    [
        (date(2019, 9, 1), 2019),
        (date(2021, 8, 31), 2019),
        (date(2021, 9, 1), 2021),
        (date(2024, 8, 31), 2021),
        (date(2024, 9, 1), 2024),
        (date(2040, 1, 1), 2024),
    ],
)
def test_a_day_is_answered_by_the_version_in_force_on_it(
    rules: psycopg.Connection[Any], question: dict[str, Any], day: date, year: int
) -> None:
    assert years(rules, question, as_of=day) == [year]


def test_before_the_first_version_there_is_no_answer(
    rules: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    assert search(rules, **question, as_of=date(2019, 8, 31)) == []


def test_an_older_version_added_late_changes_nothing_today(
    rules: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    late = add_rules(rules, 2017)
    assert late.outcome == "staged"
    assert years(rules, question) == [2024]
    assert years(rules, question, as_of=date(2018, 1, 1)) == [2017]


def test_scope_holds_for_the_past_too(
    kb: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    add_rules(kb, 2019, la_code="E10000016")
    add_rules(kb, 2024, la_code="E10000016")
    assert years(kb, question, la="E10000016", as_of=date(2020, 1, 1)) == [2019]
    assert years(kb, question, la="E08000025", as_of=date(2020, 1, 1)) == []


def test_what_a_curator_rejected_does_not_come_back_through_the_past(
    kb: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    for status, year in (("rejected", 2015), ("flagged", 2017)):
        added = add_rules(kb, year)
        kb.execute("select corpus.set_status(%s, %s)", [added.chunk_ids, status])
    add_rules(kb, 2024)
    for day in (date(2016, 1, 1), date(2018, 1, 1)):
        assert search(kb, **question, as_of=day) == []
    assert years(kb, question, as_of=date(2025, 1, 1)) == [2024]


def test_age_counts_from_the_day_asked_about(rules: psycopg.Connection[Any]) -> None:
    (row,) = search(rules, **LEGS["both legs"], as_of=date(2020, 9, 1))
    assert row["freshness"] == pytest.approx(0.9, abs=1e-3)


def test_the_context_of_an_old_passage_is_of_its_own_version(
    kb: psycopg.Connection[Any],
) -> None:
    kb.execute("set local kb.chunk_size = 100")
    kb.execute("set local kb.chunk_overlap = 0")
    body = "\n\n".join(f"Old sentence {n} on transport and on{' more' * 12}." for n in range(4))
    old = add(kb, body, source="rules", effective_date=date(2019, 1, 1), vector=axis(3))
    add(
        kb,
        body.replace("Old", "New"),
        source="rules",
        effective_date=date(2024, 1, 1),
        vector=axis(3),
    )
    assert len(old.chunk_ids) == 4
    rows = search(kb, vector=axis(3), as_of=date(2020, 1, 1))
    assert rows
    for row in rows:
        assert "New" not in row["context"]
    assert max(len(r["context"]) - len(r["content"]) for r in rows) > 0


def test_a_day_is_searched_without_reading_every_text_again(
    large: psycopg.Connection[Any],
) -> None:
    today = value_of(large, "select current_date")
    ask: dict[str, Any] = {"words": "subject7", "top_k": 100}
    large.execute("set local kb.max_chunks_per_document = 100")
    large.execute("set local kb.keyword_coverage = 0")
    now = search(large, **ask)
    then = search(large, **ask, as_of=today)
    assert best_of_three(lambda: search(large, **ask, as_of=today)) < 0.5
    assert {r["chunk_id"]: r["bm25_score"] for r in then} == pytest.approx(
        {r["chunk_id"]: r["bm25_score"] for r in now}
    )
    assert len(now) == 51, "every chunk with the word"


def test_a_superseded_state_cannot_be_asked_for_by_name(rules: psycopg.Connection[Any]) -> None:
    with refused(rules, "SE002"):
        search(rules, words="transport", statuses=["superseded"], as_of=date(2020, 1, 1))


def test_a_document_of_the_same_title_supersedes_and_the_past_keeps_it(
    kb: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    for year in (2019, 2024):
        add(
            kb,
            f"Travel in {year} means transport.",
            source=f"travel-{year}.pdf",
            title=f"Travel to school {year}",
            effective_date=date(year, 1, 1),
            vector=axis(3),
        )
    assert years(kb, question) == [2024]
    assert years(kb, question, as_of=date(2023, 12, 31)) == [2019]
    assert years(kb, question, as_of=date(2024, 1, 1)) == [2024]


def test_the_ends_of_time_may_be_asked_about(
    rules: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    (row,) = search(rules, **question, as_of="infinity")
    assert (row["effective_date"], row["freshness"]) == ("2024-09-01", 0.8)
    assert search(rules, **question, as_of="-infinity") == []


def test_only_what_was_approved_then_answers_for_approved_text(
    rules: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    add_rules(rules, 2025)
    asked: dict[str, Any] = {"as_of": date(2022, 1, 1)}
    assert years(rules, question, **asked, statuses=["approved"]) == []
    assert years(rules, question, **asked, statuses=["pending"]) == [2021]


@pytest.mark.parametrize("order", [(2019, 2024, 2021), (2024, 2021, 2019), (2021, 2019, 2024)])
def test_three_files_of_one_title_answer_each_day_once_in_any_order_of_arrival(
    kb: psycopg.Connection[Any], question: dict[str, Any], order: tuple[int, ...]
) -> None:
    for year in order:
        add(
            kb,
            f"Travel in {year} means transport.",
            source=f"travel-{year}.pdf",
            title=f"Travel to school {year}",
            effective_date=date(year, 1, 1),
            vector=axis(3),
        )
    for day, year in ((date(2020, 6, 1), 2019), (date(2022, 6, 1), 2021), (date(2025, 1, 1), 2024)):
        assert years(kb, question, as_of=day) == [year]
