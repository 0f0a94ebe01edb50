"""search.health and the views beside it: how searches went, from the records alone."""

from typing import Any

import psycopg
import pytest

from tests.plans import plans_of
from tests.rows import Row, rows_of

NUMBERS = {
    "result_count": 0,
    "vector_only_count": 0,
    "keyword_only_count": 0,
    "hybrid_count": 0,
    "la_count": 0,
    "national_count": 0,
    "topic_fallback_used": False,
    "no_la_broad_fallback_used": False,
    "school_boosted": False,
}


def note(db: psycopg.Connection[Any], *, days_ago: int = 0, **facts: Any) -> None:
    row = NUMBERS | facts
    names = ", ".join(row)
    db.execute(
        f"insert into search.record (at, {names}) values (now() - make_interval(days => %s)"
        f"{', %s' * len(row)})".encode(),
        [days_ago, *row.values()],
    )


def answered(db: psycopg.Connection[Any], **facts: Any) -> None:
    counts = {
        "result_count": 10,
        "vector_only_count": 2,
        "keyword_only_count": 3,
        "hybrid_count": 5,
        "la_count": 4,
        "national_count": 6,
    }
    note(db, **(counts | facts))


def health(db: psycopg.Connection[Any], since: str = "7 days") -> list[Row]:
    return rows_of(db, f"search.health('{since}')")


def test_without_records_there_is_one_row_of_nothing(kb: psycopg.Connection[Any]) -> None:
    (row,) = health(kb)
    assert row["searches"] == row["questions"] == row["keyword_only_searches"] == 0
    assert {row[name] for name in row} == {None, 0}


def test_a_day_and_the_whole_time_are_summed_up(kb: psycopg.Connection[Any]) -> None:
    for ms in (10, 20, 30):
        answered(kb, total_ms=ms, question_hash=b"a", candidate_count=80, mode="hybrid")
    note(
        kb,
        days_ago=1,
        total_ms=1000,
        question_hash=b"b",
        mode="keyword_only",
        topic_fallback_used=True,
        no_la_broad_fallback_used=True,
        la_code="E10000016",
    )
    whole, today, yesterday = health(kb)
    assert (whole["day"], whole["searches"], whole["questions"]) == (None, 4, 2)
    assert whole["p50_ms"] == 25
    assert today["day"] > yesterday["day"]
    assert (today["searches"], today["results_mean"], today["candidates_mean"]) == (3, 10, 80)
    assert (today["hybrid_share"], today["vector_only_share"]) == (0.5, 0.2)
    assert today["keyword_only_share"] == pytest.approx(0.3)
    assert (today["p50_ms"], today["p95_ms"]) == (20, 29)
    assert (today["no_answer_share"], today["no_local_share"]) == (0, None)
    assert (yesterday["no_answer_share"], yesterday["no_local_share"]) == (1, 1)
    assert yesterday["hybrid_share"] is None, "of no chunk there is no share"
    assert yesterday["topic_fallback_share"] == yesterday["broad_fallback_share"] == 1
    assert yesterday["keyword_only_searches"] == 1


def test_only_the_interval_counts(kb: psycopg.Connection[Any]) -> None:
    answered(kb, days_ago=20)
    answered(kb)
    assert health(kb)[0]["searches"] == 1
    assert health(kb, "30 days")[0]["searches"] == 2


def test_an_interval_reads_the_index_on_time(kb: psycopg.Connection[Any]) -> None:
    answered(kb)
    with plans_of(kb) as plans:
        health(kb)
    assert "record_at_idx" in plans.text


def test_the_slowest_come_first_and_are_at_most_fifty(kb: psycopg.Connection[Any]) -> None:
    for ms in range(60):
        answered(kb, total_ms=ms)
    answered(kb, total_ms=None)
    slowest = [row["total_ms"] for row in rows_of(kb, "search.slowest_search")]
    assert slowest == list(range(59, 9, -1))


def test_questions_without_an_answer_are_counted_by_fingerprint_and_place(
    kb: psycopg.Connection[Any],
) -> None:
    for days_ago in (3, 1):
        note(kb, days_ago=days_ago, question_hash=b"a", la_code="E10000016", topics=["transport"])
    note(kb, question_hash=b"a", question="who pays?")
    answered(kb, question_hash=b"a")
    rows = {row["la_code"]: row for row in rows_of(kb, "search.unanswered_question")}
    assert set(rows) == {"E10000016", None}
    kent = rows["E10000016"]
    assert (kent["searches"], kent["la_name"], kent["topics"]) == (2, "Kent", ["transport"])
    assert kent["question"] is None
    assert rows[None]["question"] == "who pays?"
    assert kent["last_at"] < rows[None]["last_at"]


def test_coverage_misses_are_counted_by_authority_and_topic(kb: psycopg.Connection[Any]) -> None:
    for topics in (["transport", "ehcp"], ["transport"], None):
        kb.execute("select search.record_search('{}', 'E10000016', topics => %s)", [topics])
    kb.execute("select search.record_search('{}')")
    rows = {row["topic"]: row for row in rows_of(kb, "search.coverage_miss")}
    assert {topic: row["misses"] for topic, row in rows.items()} == {
        "transport": 2,
        "ehcp": 1,
        None: 1,
    }
    assert {(row["la_code"], row["la_name"]) for row in rows.values()} == {("E10000016", "Kent")}
    assert rows["transport"]["unanswered"] == 2
