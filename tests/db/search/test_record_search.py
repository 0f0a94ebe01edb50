"""search.record_search: what a search returned, in numbers, never in words."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import add, axis, literal, near
from tests.rows import Row, rows_of, value_of
from tests.sandbox import refused

SECRET = "appeal over the exclusion of Zebulon, POL-001"


@pytest.fixture
def answered(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    add(kb, "National text on exclusion.", source="national", vector=near(5, 0.9))
    add(kb, "Transport only.", source="other", vector=near(5, 0.5))
    add(kb, "Birmingham on POL-001.", source="bham", la_code="E08000025", vector=near(6, 0.9))
    return kb


def record(
    db: psycopg.Connection[Any],
    *,
    la: str | None = None,
    home_la: str | None = None,
    urn: str | None = None,
    axis_of: int = 5,
    timings: dict[str, Any] | None = None,
) -> Row:
    record_id = value_of(
        db,
        "select search.record_search(array(select r from search_kb(%(vector)s, "
        "terms.build_tsquery(%(question)s), %(la)s, %(home_la)s, %(urn)s) as r), "
        "%(la)s, %(home_la)s, %(urn)s, '{exclusion}', %(timings)s)",
        {
            "vector": literal(axis(axis_of)),
            "question": SECRET,
            "la": la,
            "home_la": home_la,
            "urn": urn,
            "timings": None if timings is None else Jsonb(timings),
        },
    )
    (row,) = rows_of(db, f"(select * from search.record where record_id = {record_id})")
    return row


def misses(db: psycopg.Connection[Any]) -> list[Row]:
    return rows_of(db, "(select * from audit.event where kind = 'la_coverage_miss')")


def test_the_counts_are_those_of_the_answer(answered: psycopg.Connection[Any]) -> None:
    row = record(answered, la="E08000025", urn="990001", timings={"search": 12.5})
    assert (row["la_code"], row["school_urn"], row["topics"]) == (
        "E08000025",
        "990001",
        ["exclusion"],
    )
    assert row["result_count"] == 3
    assert row["vector_only_count"] + row["keyword_only_count"] + row["hybrid_count"] == 3
    assert (row["vector_only_count"], row["hybrid_count"], row["keyword_only_count"]) == (1, 1, 1)
    assert (row["la_count"], row["national_count"]) == (1, 2)
    assert row["top_similarity"] == pytest.approx(0.9, abs=1e-3)
    assert row["top_bm25"] > 0
    assert row["top_rrf"] == pytest.approx(1 / 61, rel=0.2)
    assert not row["topic_fallback_used"]
    assert row["timings"] == {"search": 12.5}


def test_an_authority_without_a_hit_of_its_own_is_noted(answered: psycopg.Connection[Any]) -> None:
    record(answered, la="E08000025")
    assert misses(answered) == []
    record(answered, la="E10000016", home_la="E08000025")
    (miss,) = misses(answered)
    assert miss["subject"] == "E10000016"
    assert miss["detail"] == {"topics": ["exclusion"], "results": 3}


def test_the_authority_is_noted_by_the_code_it_has_today(answered: psycopg.Connection[Any]) -> None:
    assert record(answered, la="E08000016")["la_code"] == "E08000038"
    assert misses(answered)[0]["subject"] == "E08000038"


def test_no_authority_is_no_miss(answered: psycopg.Connection[Any]) -> None:
    record(answered)
    assert misses(answered) == []


def test_an_empty_answer_is_recorded_too(answered: psycopg.Connection[Any]) -> None:
    for results in ("'{}'", "null"):
        record_id = value_of(answered, f"select search.record_search({results}, 'E10000016')")
        (row,) = rows_of(answered, f"(select * from search.record where record_id = {record_id})")
        assert (row["result_count"], row["top_similarity"], row["timings"]) == (0, None, {})
        assert row["school_boosted"] is False
    assert len(misses(answered)) == 2


def test_neither_the_question_nor_a_passage_is_stored(answered: psycopg.Connection[Any]) -> None:
    record(answered, la="E10000016", timings={"search": 1, "question": SECRET})
    stored = value_of(
        answered,
        "select (select string_agg(to_jsonb(r)::text, ' ') from search.record as r) || "
        "(select string_agg(to_jsonb(e)::text, ' ') from audit.event as e)",
    )
    for word in ("Zebulon", "National text", "Transport only", "Birmingham on"):
        assert word not in stored


def test_an_unknown_place_is_refused_and_nothing_is_stored(kb: psycopg.Connection[Any]) -> None:
    for sqlstate, arguments in (
        ("PL001", "la => 'E99999999'"),
        ("PL001", "home_la => 'nowhere'"),
        ("PL002", "urn => '123456'"),
    ):
        with refused(kb, sqlstate):
            kb.execute(f"select search.record_search('{{}}', {arguments})".encode())
    assert value_of(kb, "select count(*) from search.record") == 0
