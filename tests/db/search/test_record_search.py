"""search.record_search: what a search returned, in numbers, never in words."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import add, axis, literal, near
from tests.roles import role
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
    timings: Any = None,
    more: str = "",
) -> Row:
    record_id = value_of(
        db,
        "select search.record_search(array(select r from search_kb(%(vector)s, "
        "terms.build_tsquery(%(question)s), %(la)s, %(home_la)s, %(urn)s) as r), "
        f"%(la)s, %(home_la)s, %(urn)s, '{{exclusion}}', %(timings)s{more})",
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


def test_what_was_weighed_and_how_it_was_asked_is_kept(answered: psycopg.Connection[Any]) -> None:
    row = record(
        answered,
        timings={"understand": 2, "embed": 3.5, "search": 10},
        more=", counts => row(90, 50, 60, 7, 2, true, false)::search.candidate_count, "
        "mode => 'vector_only', embedding_set => 'openai-3-large'",
    )
    assert row["candidate_count"] == 90
    assert (row["vector_candidate_count"], row["keyword_candidate_count"]) == (50, 60)
    assert (row["kept_count"], row["attempts"]) == (7, 2)
    assert (row["topic_fallback_used"], row["no_la_broad_fallback_used"]) == (True, False)
    assert (row["mode"], row["embedding_set"]) == ("vector_only", "openai-3-large")
    assert row["total_ms"] == 15.5


def test_what_nobody_told_is_unknown_not_zero(answered: psycopg.Connection[Any]) -> None:
    row = record(answered)
    for name in ("mode", "candidate_count", "kept_count", "attempts", "total_ms", "question_hash"):
        assert row[name] is None
    assert row["embedding_set"] == "local-minilm", "the active one"


def test_an_empty_answer_keeps_which_fallbacks_were_tried(kb: psycopg.Connection[Any]) -> None:
    kb.execute(
        "select search.record_search('{}', counts => search.count_candidates('{}', 4, true, true))"
    )
    (row,) = rows_of(kb, "(select * from search.record)")
    assert (row["topic_fallback_used"], row["no_la_broad_fallback_used"]) == (True, True)
    assert (row["result_count"], row["candidate_count"], row["attempts"]) == (0, 0, 4)


def test_the_total_is_the_callers_where_it_gives_one(answered: psycopg.Connection[Any]) -> None:
    assert record(answered, timings={"search": 3, "total": 40})["total_ms"] == 40


@pytest.mark.parametrize(
    "timings",
    [
        [],
        "words",
        7,
        {"search": "long"},
        {"search": -1},
        {"search": None},
        {"search": {"a": 1}},
        {SECRET: 1},
        {"x" * 41: 1},
        {"": 1},
    ],
)
def test_timings_that_cannot_be_used_are_left_out(
    answered: psycopg.Connection[Any], timings: Any
) -> None:
    row = record(answered, timings=timings)
    assert (row["timings"], row["total_ms"]) == ({}, None)


@pytest.mark.parametrize("number", ["1e-400", "1e400"])
def test_a_timing_that_no_double_holds_is_left_out(
    answered: psycopg.Connection[Any], number: str
) -> None:
    value_of(
        answered, f"select search.record_search('{{}}', timings => '{{\"search\": {number}}}')"
    )
    (row,) = rows_of(answered, "search.record")
    assert (row["timings"], row["total_ms"]) == ({}, None)


def test_nothing_that_came_along_wrong_costs_the_record(answered: psycopg.Connection[Any]) -> None:
    row = record(
        answered,
        more=", mode => 'guessing', embedding_set => 'no such set', "
        "counts => row(null, -1, null, null, null, null, null)::search.candidate_count",
    )
    assert (row["mode"], row["embedding_set"], row["topic_fallback_used"]) == (None, None, False)
    record_id = value_of(
        answered,
        "select search.record_search(array[null, null]::search_result[], topics => %s, "
        "timings => %s::jsonb)",
        [[SECRET, None, "exclusion", "exclusion"], '{"search": 1e400, "embed": 1}'],
    )
    (row,) = rows_of(answered, f"(select * from search.record where record_id = {record_id})")
    assert (row["result_count"], row["topics"], row["total_ms"]) == (0, ["exclusion"], 1)


def test_the_question_is_a_fingerprint_by_which_repeats_are_counted(
    answered: psycopg.Connection[Any],
) -> None:
    asked = (SECRET, f"  {SECRET.upper()} ", "another question")
    hashes = []
    for question in asked:
        answered.execute("select search.record_search('{}', question => %s)", [question])
        (row,) = rows_of(answered, "(select * from search.record order by record_id desc limit 1)")
        assert row["question"] is None
        hashes.append(row["question_hash"])
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_folded_question_is_kept_only_where_the_setting_says_so(
    answered: psycopg.Connection[Any],
) -> None:
    answered.execute("select config.install_setting('kb.record_questions', 'on')")
    answered.execute("select search.record_search('{}', question => %s)", ["They  WON’T assess"])
    answered.execute("select search.record_search('{}', question => %s)", ["long " * 10_000])
    answered.execute("select search.record_search('{}')")
    kept = answered.execute("select question from search.record order by record_id").fetchall()
    assert kept[0] == ("they won't assess",)
    assert len(kept[1][0]) <= 2000
    assert kept[2] == (None,)


def test_the_app_records_and_reads_no_record(answered: psycopg.Connection[Any]) -> None:
    with role(answered, "pgkb_app"):
        answered.execute("select search.record_search('{}', question => 'a question')")
        for statement in ("select question from search.record", "select from search.hash_key"):
            with refused(answered, "42501"):
                answered.execute(statement.encode())
