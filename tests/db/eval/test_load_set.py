"""eval.load_set and what else makes a set ready: replaced as a whole, refused as a whole."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import add, axis
from tests.db.eval.judged import SET, embed, load, name, question
from tests.rows import rows_of, value_of
from tests.sandbox import refused


def test_the_same_digest_changes_nothing_and_another_replaces_everything(
    kb: psycopg.Connection[Any],
) -> None:
    first = load(kb, question("a", "who?", relevant={"x": 2}), question("b", "where?"))
    assert load(kb, question("other", "not read"), digest=b"1") == first
    assert value_of(kb, "select count(*) from eval.question") == 2
    second = load(kb, question("a", "who else?", relevant={"y": 1}), digest=b"2")
    assert second != first
    rows = rows_of(kb, "(select q.question, j.document_key, j.grade from eval.question as q "
                       "join eval.judgement as j using (question_id))")  # fmt: skip
    assert rows == [{"question": "who else?", "document_key": "y", "grade": 1}]


def test_for_whom_a_question_is_asked_is_kept(kb: psycopg.Connection[Any]) -> None:
    load(
        kb,
        question("a", "taxi?", kind="school", split="tune", la="E08000025", home_la="E10000016",
                 urn="990001", tags=["transport"], as_of="2024-05-01", note="why",
                 forbidden=["z"]),
    )  # fmt: skip
    (row,) = rows_of(kb, "(select * from eval.question)")
    assert (row["kind"], row["split"], row["la"], row["home_la"]) == (
        "school", "tune", "E08000025", "E10000016",
    )  # fmt: skip
    assert (row["urn"], row["tags"], row["as_of"]) == ("990001", ["transport"], "2024-05-01")
    (judged,) = rows_of(kb, "(select document_key, grade, forbidden from eval.judgement)")
    assert judged == {"document_key": "z", "grade": 0, "forbidden": True}


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "a", "question": " "},
        {"id": "a"},
        {"question": "without an id"},
        {"id": "a", "question": "who?", "split": "test"},
    ],
)
def test_a_question_that_cannot_be_used_is_refused_and_the_old_set_stays(
    kb: psycopg.Connection[Any], broken: dict[str, Any]
) -> None:
    load(kb, question("old", "who?"))
    with refused(kb, "JU003") as caught:
        load(kb, question("fine", "who?"), broken, digest=b"2")
    assert caught.value.diag.message_hint
    assert value_of(kb, "select question_key from eval.question") == "old"


@pytest.mark.parametrize(
    "call",
    [
        "select eval.name_documents('nowhere', '{}', '{}')",
        "select eval.store_vectors('nowhere', '{}', '{}')",
        "select eval.start_run('nowhere')",
        "select eval.fill_pool('nowhere', 50)",
        "select * from eval.sweep('nowhere', 50, 60, 1, 1)",
    ],
)
def test_an_unknown_set_is_refused(kb: psycopg.Connection[Any], call: str) -> None:
    with refused(kb, "JU001"):
        kb.execute(call.encode())


def test_a_run_is_refused_for_a_mode_a_setting_or_a_missing_vector(
    kb: psycopg.Connection[Any],
) -> None:
    load(kb, question("a", "who?"))
    start = b"select eval.start_run(%s, %s, %s)"
    for mode, settings, code in (
        ("rerank", {}, "JU002"),
        (None, {}, "JU002"),
        ("keyword", {"kb.no_such": "1"}, "ST001"),
        ("keyword", {"kb.rrf_k": "0"}, "ST002"),
        ("vector", {}, "JU004"),
        ("hybrid", {}, "JU004"),
    ):
        with refused(kb, code):
            kb.execute(start, [SET, mode, Jsonb(settings)])
    with refused(kb, "JU004"):
        kb.execute("select eval.fill_pool(%s, 50)", [SET])
    with refused(kb, "JU005"):
        kb.execute("select eval.answer(0)")
    kb.execute(start, [SET, "keyword", Jsonb({})])
    embed(kb, a=axis(3))
    kb.execute(start, [SET, "hybrid", Jsonb({})])


def test_names_of_one_text_are_one_document_with_its_best_grade(
    kb: psycopg.Connection[Any],
) -> None:
    added = add(kb, "Womp.", source="one")
    load(kb, question("a", "womp?", relevant={"left": 1, "right": 3, "gone": 2}))
    name(kb, right=added.document_id, left=added.document_id)
    rows = rows_of(kb, "(select document_key, grade from eval.verdict order by 1)")
    assert rows == [{"document_key": "gone", "grade": 2}, {"document_key": "left", "grade": 3}]
