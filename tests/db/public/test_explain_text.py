"""explain_text and why_not_text: explanations from the words of a question."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near
from tests.rows import Row, rows_of
from tests.sandbox import notices_of, refused

QUESTION = "my son was kicked out"


@pytest.fixture
def answers(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Texts, and no endpoint to embed a question."""
    kb.execute("update embedding.set set endpoint_url = null")
    add(kb, "A permanent exclusion.", source="national", tags=["exclusion"], vector=near(3, 0.9))
    add(kb, "Exclusion in Kent.", source="kent", la_code="E10000016", vector=near(3, 0.6))
    add(kb, "School buses.", source="buses", vector=near(3, 0.8))
    return kb


def answer_of(rows: list[Row]) -> list[tuple[int, float]]:
    return [(r["chunk_id"], r["value"]) for r in rows if r["stage"] == "answer"]


@pytest.mark.parametrize("more", ["", ", la => 'E10000016'", ", tags => '{exclusion}', top_k => 1"])
def test_it_explains_the_very_answer_of_search_text(
    answers: psycopg.Connection[Any], more: str
) -> None:
    rows = rows_of(answers, f"search_text(%s{more})", [QUESTION])
    explained = rows_of(answers, f"explain_text(%s{more})", [QUESTION])
    assert answer_of(explained) == [(r["chunk_id"], r["score"]) for r in rows] != []
    for place, row in enumerate(rows, 1):
        (told,) = rows_of(answers, f"why_not_text(%s, %s{more})", [row["chunk_id"], QUESTION])
        assert (told["verdict"], told["place"]) == ("in_answer", place)


def test_synonyms_and_topics_of_the_question_show(answers: psycopg.Connection[Any]) -> None:
    rows = rows_of(answers, "explain_text(%s)", [QUESTION])
    words = {r["title"]: r["reason"] for r in rows if r["stage"] == "word"}
    assert words["exclus"].startswith("brought by a synonym, in 1 chunks within reach")
    (request,) = [r for r in rows if r["stage"] == "request"]
    assert request["detail"]["topics"] == ["exclusion"]
    (weights,) = [r["reason"] for r in rows if r["stage"] == "weights"]
    assert weights.endswith("x 1.100 topic and place")


def test_the_vector_of_a_question_asked_before_is_used(answers: psycopg.Connection[Any]) -> None:
    answers.execute("select embedding.remember_query('', %s, %s)", [QUESTION, literal(axis(3))])
    rows = rows_of(answers, "explain_text(%s)", [QUESTION])
    assert {r["title"] for r in rows if r["stage"] == "vector"} == {"national", "buses"}


def test_without_an_endpoint_a_notice_says_keyword_only(answers: psycopg.Connection[Any]) -> None:
    with notices_of(answers) as said:
        rows_of(answers, "explain_text(%s)", [QUESTION])
        rows_of(answers, "why_not_text(1, %s)", [QUESTION])
    assert [line.partition(":")[0] for line in said] == ["keyword search only"] * 2


def test_an_empty_question_is_refused(answers: psycopg.Connection[Any]) -> None:
    for call in ("explain_text(' ')", "why_not_text(1, null)"):
        with refused(answers, "SE003"):
            rows_of(answers, call)
