"""eval.answer: a judged question is asked as a person's is, and the answer is judged."""

import math
from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, near
from tests.db.eval.judged import SET, embed, load, name, question, run
from tests.rows import rows_of, value_of

KENT, BIRMINGHAM = "E10000016", "E08000025"


@pytest.fixture
def small(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Four documents, three questions: what is right is known by hand."""
    best = add(kb, "Womp is granted by the dralk.", source="best", vector=near(3, 0.9))
    second = add(kb, "Quorl goes on.", source="second", vector=near(3, 0.7))
    local = add(kb, "Womp in Kent.", source="local", vector=near(3, 0.8), la_code=KENT)
    other = add(kb, "Womp in Brum.", source="other", vector=near(3, 0.95), la_code=BIRMINGHAM)
    load(
        kb,
        question("national", "womp?", relevant={"best": 1, "second": 3}),
        question("kent", "womp?", kind="la-bias", la=KENT, relevant={"local": 2},
                 forbidden=["other"]),
        question("nothing", "zwibble?", kind="no-answer"),
    )  # fmt: skip
    name(
        kb, best=best.document_id, second=second.document_id, local=local.document_id,
        other=other.document_id,
    )  # fmt: skip
    embed(kb, national=axis(3), kent=axis(3), nothing=axis(90))
    return kb


def test_outcomes_are_those_worked_out_by_hand(small: psycopg.Connection[Any]) -> None:
    found = run(small)
    national, kent, nothing = found["national"], found["kent"], found["nothing"]
    assert national["documents"] == ["best", "second"]
    assert national["ndcg_10"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert (national["recall_8"], national["reciprocal_rank"]) == (1.0, 1.0)
    assert national["nothing_was_right"] is None
    assert kent["documents"][0] == "local"
    assert "other" not in kent["documents"]
    assert kent["forbidden_shown"] == 0
    assert (nothing["documents"], nothing["nothing_was_right"]) == ([], True)
    assert nothing["ndcg_10"] is None


def test_a_forbidden_document_and_an_answer_where_none_is_right_are_counted(
    small: psycopg.Connection[Any],
) -> None:
    load(
        small,
        question("wrong", "womp?", la=BIRMINGHAM, relevant={"best": 1}, forbidden=["other"]),
        question("none", "womp?", kind="no-answer"),
        digest=b"2",
    )
    documents = dict(small.execute("select source, document_id from corpus.document").fetchall())
    name(small, **documents)
    embed(small, wrong=axis(3), none=axis(3))
    found = run(small)
    assert found["wrong"]["forbidden_shown"] == 1
    assert found["none"]["nothing_was_right"] is False
    figures = rows_of(
        small, "(select kind, questions, right_none, forbidden_shown from eval.figure order by 1)"
    )
    assert figures == [
        {"kind": "all", "questions": 2, "right_none": 0, "forbidden_shown": 1},
        {"kind": "no-answer", "questions": 1, "right_none": 0, "forbidden_shown": 0},
        {"kind": "plain", "questions": 1, "right_none": None, "forbidden_shown": 1},
    ]


def test_a_mode_is_one_leg(small: psycopg.Connection[Any]) -> None:
    # no word of it is in the question, and no vector is asked for
    assert run(small, "keyword")["national"]["documents"] == ["best"]
    assert run(small, "vector")["national"]["documents"] == ["best", "second"]


def test_settings_hold_for_the_run_and_are_gone_after_it(
    small: psycopg.Connection[Any],
) -> None:
    assert run(small, relevance_threshold="0.85")["national"]["documents"] == ["best"]
    assert value_of(small, "select source from config.settings where name = %s", [
        "kb.relevance_threshold",
    ]) == "embedding set"  # fmt: skip
    assert run(small)["national"]["documents"] == ["best", "second"]


def test_a_run_goes_on_where_it_stopped(small: psycopg.Connection[Any]) -> None:
    run_id = value_of(small, "select eval.start_run(%s)", [SET])
    left = [value_of(small, "select eval.answer(%s, 2)", [run_id]) for _ in range(3)]
    assert left == [1, 0, 0]


def test_a_run_kept_elsewhere_is_the_same_and_is_compared_with_the_one_before(
    small: psycopg.Connection[Any],
) -> None:
    run(small)
    first = value_of(small, "select max(run_id) from eval.run")
    copy = value_of(small, "select eval.import_run(eval.export_run(%s))", [first])
    outcome = "(select to_jsonb(o) - 'run_id' as o from eval.outcome as o where run_id = %s)"
    assert rows_of(small, outcome, [copy]) == rows_of(small, outcome, [first])
    assert value_of(small, "select eval.previous_run(%s)", [copy]) == first
    assert value_of(small, "select eval.previous_run(%s)", [first]) is None
    run(small, rrf_k="20")
    other = value_of(small, "select max(run_id) from eval.run")
    assert value_of(small, "select eval.previous_run(%s)", [other]) is None


def test_no_word_of_a_question_is_in_an_outcome(small: psycopg.Connection[Any]) -> None:
    run(small)
    kept = value_of(small, "select string_agg(o::text, '') from eval.outcome as o")
    assert "womp?" not in kept


@pytest.mark.parametrize("weights", [(0.7, 0.3), (0.2, 0.8), (1.0, 0.0)])
def test_a_sweep_gives_what_a_run_with_those_weights_gives(
    small: psycopg.Connection[Any], weights: tuple[float, float]
) -> None:
    vector, keyword = weights
    off = '{"kb.relevance_threshold": "-1", "kb.retrieval_floor": "-1"}'
    assert value_of(small, "select eval.fill_pool(%s, 100, %s)", [SET, off]) == 0
    swept = rows_of(small, "eval.sweep(%s, 50, 60, %s, %s)", [SET, vector, keyword])
    asked = run(
        small, vector_weight=str(vector), keyword_weight=str(keyword),
        relevance_threshold="-1", retrieval_floor="-1",
    )  # fmt: skip
    assert {row["question_key"] for row in swept} == {"national", "kent"}
    for row in swept:
        assert row["ndcg_10"] == pytest.approx(asked[row["question_key"]]["ndcg_10"])
