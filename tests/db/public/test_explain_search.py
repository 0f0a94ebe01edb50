"""explain_search: every step of the very run that answers, in words."""

import re
from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near, search
from tests.rows import Row, rows_of, value_of

STAGES = (
    "request", "word", "attempt", "scope", "vector", "keyword", "fusion", "weights", "floor",
    "choice", "answer",
)  # fmt: skip


def explain(
    db: psycopg.Connection[Any],
    words: str | None = None,
    *,
    vector: list[float] | None = None,
    **asked: Any,
) -> dict[str, list[Row]]:
    """Rows by stage; the stages and the rows of each come in their order."""
    named = "".join(f", {name} => %({name})s" for name in asked)
    rows = rows_of(
        db,
        f"explain_search(%(vector)s::vector, terms.build_tsquery(%(words)s){named})",
        {"vector": vector and literal(vector), "words": words, **asked},
    )
    stages: dict[str, list[Row]] = {stage: [] for stage in STAGES}
    for row in rows:
        stages[row["stage"]].append(row)
    assert [r["stage"] for r in rows] == [s for s in STAGES for _ in stages[s]]
    assert all(r["stage_no"] == STAGES.index(r["stage"]) + 1 for r in rows)
    for each in stages.values():
        assert [r["rank"] or 0 for r in each] == sorted(r["rank"] or 0 for r in each)
    return stages


def told(rows: list[Row], title: str) -> tuple[bool, str]:
    """Whether the chunk went on from there, and the reason."""
    (row,) = [row for row in rows if row["title"] == title]
    return row["kept"], row["reason"]


@pytest.fixture
def six(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    kb.execute("set local kb.chunk_size = 100")
    kb.execute("set local kb.chunk_overlap = 0")
    kb.execute("set local kb.max_chunks_per_document = 1")
    add(kb, "Alpha womp.", source="hybrid", vector=near(3, 0.9))
    add(kb, "Kent text.", source="kent", la_code="E10000016", vector=near(3, 0.8))
    add(kb, "Kent text.", source="copy", vector=near(3, 0.7))
    add(kb, f"{'Long one. ' * 9}\n\n{'Long two. ' * 9}", source="long", vector=near(3, 0.6))
    add(kb, "Gamma.", source="faint", vector=near(3, 0.25))
    add(kb, "Delta.", source="school", school_urn="990003", vector=near(3, 0.24))
    return kb


def test_every_step_says_what_became_of_a_chunk(six: psycopg.Connection[Any]) -> None:
    asked: dict[str, Any] = {"vector": axis(3), "la": "E10000016", "urn": "990003", "top_k": 3}
    stages = explain(six, "womp", **asked)
    assert told(stages["vector"], "hybrid") == (True, "similarity 0.900 is rank 1")
    kept, reason = told(stages["keyword"], "hybrid")
    assert kept
    assert reason.endswith(
        "is rank 1, 1.00 of the question's idf, an identifier or every rare word"
    )
    assert told(stages["fusion"], "hybrid")[1] == "0.7 / (60 + 1) + 0.3 / (60 + 1)"
    assert told(stages["fusion"], "faint")[1] == "0.7 / (60 + 6)"
    assert told(stages["weights"], "kent")[1].endswith("x 1.200 topic and place")
    assert told(stages["floor"], "kent") == (
        True,
        "similarity 0.800 reaches the relevance floor 0.3",
    )
    assert told(stages["floor"], "faint") == (
        False,
        "similarity 0.250 is under the relevance floor 0.3",
    )
    assert told(stages["floor"], "school") == (
        True,
        "brought in for the school, over its floor 0.22",
    )
    (kent,) = [r["chunk_id"] for r in stages["choice"] if r["title"] == "kent"]
    assert told(stages["choice"], "copy") == (
        False,
        f"same text as chunk {kent}, which stands higher",
    )
    assert {(r["kept"], r["reason"]) for r in stages["choice"] if r["title"] == "long"} == {
        (False, "comes 4th in line, the answer holds 3"),
        (False, "its document already has the 1 chunks it may have"),
    }
    assert [(r["title"], r["reason"]) for r in stages["answer"]] == [
        ("hybrid", "place 1 of 3"),
        ("kent", "place 2 of 3"),
        ("school", "place 3 of 3"),
    ]
    assert [r["chunk_id"] for r in stages["answer"]] == [
        r["chunk_id"] for r in search(six, words="womp", **asked)
    ]


def test_the_request_says_what_was_in_force(six: psycopg.Connection[Any]) -> None:
    (row,) = explain(six, "womp", vector=axis(3), top_k=3)["request"]
    assert row["reason"] == (
        "both legs; top_k 3, 50 candidates a leg, k 60, weights 0.7 vector and 0.3 keyword, "
        "floors 0.2 retrieval, 0.3 relevance, 0.22 school; states approved, pending"
    )
    assert explain(six, "womp")["request"][0]["reason"].startswith("keyword leg only")
    assert explain(six, vector=axis(3))["request"][0]["reason"].startswith("vector leg only")


def test_the_words_say_how_much_they_weigh_and_where_they_come_from(
    six: psycopg.Connection[Any],
) -> None:
    add(six, "See POL-001 and womp.", source="policy")
    rows = rows_of(six, "explain_search(null, %s::tsquery)", ["'womp' | '#pol1' | 'text':D | 'zz'"])
    words = {r["title"]: (r["kept"], r["reason"]) for r in rows if r["stage"] == "word"}
    assert words["womp"][0]
    assert words["womp"][1].startswith("in 2 chunks within reach, idf ")
    assert words["#pol1"][1].startswith("identifier, in ")
    # Kent's is out of reach
    assert words["text"][1].startswith("brought by a synonym, in 1 chunks within reach, idf ")
    assert words["zz"] == (False, "in no chunk within reach")


def test_each_attempt_says_what_it_was_and_came_to(six: psycopg.Connection[Any]) -> None:
    stages = explain(six, "womp", vector=axis(3), tags=["transport"], top_k=5)
    assert [(r["kept"], r["reason"]) for r in stages["attempt"]] == [
        (
            False,
            "tags transport, the scopes of the call, 50 candidates a leg: 0 by vector, "
            "0 by keyword, 0 fused, 0 over the floor, 0 chosen",
        ),
        (
            True,
            "tags dropped, the scopes of the call, 50 candidates a leg: 5 by vector, "
            "1 by keyword, 5 fused, 4 over the floor, 3 chosen",
        ),
    ]
    six.execute("update corpus.chunk_fact set status = 'rejected' where scope_id = 1")
    stages = explain(six, "text", vector=axis(3))
    assert [r["reason"].split(",")[1] for r in stages["attempt"]] == [
        " the scopes of the call",
        " all areas",
    ]


def test_each_scope_says_which_plan_read_it_and_why(six: psycopg.Connection[Any]) -> None:
    six.execute("set local kb.exact_limit = 2")
    rows = explain(six, vector=axis(3), la="E10000016", urn="990003")["scope"]
    # the graph of this shared database is full of what other tests took back: how much of it is
    # found through it is theirs to say
    told = [
        (r["scope"], r["value"], re.sub(r"found \d of", "found n of", r["reason"])) for r in rows
    ]
    assert told == [
        ("la", 1, "exact: 1 chunks, 1 with the smaller scopes, within kb.exact_limit 2"),
        ("school", 1, "exact: 1 chunks, 2 with the smaller scopes, within kb.exact_limit 2"),
        (
            "national",
            5,
            "index topped up: 5 chunks with an index of their own, which is read from 3 on; "
            "the index found n of 50, so an exact scan followed",
        ),
    ]
    assert explain(six, "womp")["scope"][0]["reason"] == "none: no query vector"


def test_a_search_that_finds_nothing_is_explained_too(kb: psycopg.Connection[Any]) -> None:
    stages = explain(kb, "womp", vector=axis(3), tags=["transport"])
    assert len(stages["attempt"]) == 4
    assert stages["answer"] == []
    assert explain(kb)["request"]


def test_it_writes_nothing_and_needs_no_path(six: psycopg.Connection[Any]) -> None:
    six.execute("set local transaction_read_only = on")
    six.execute("set local search_path = ''")
    rows = six.execute(
        "select stage from public.explain_search(%s::public.vector, 'womp')", [literal(axis(3))]
    ).fetchall()
    assert {row[0] for row in rows} == set(STAGES)


# what a reader learns


@pytest.mark.parametrize("role", ["pgkb_reader", "pgkb_app"])
def test_nothing_out_of_reach_shows(six: psycopg.Connection[Any], role: str) -> None:
    add(six, "Private xyzzy womp.", source="ann", owner="ann", vector=axis(3))
    add(six, "Barnsley xyzzy womp.", source="barnsley", la_code="E08000038", vector=axis(3))
    hidden = value_of(
        six,
        "select array_agg(c.chunk_id) from corpus.chunk as c join corpus.document as d "
        "using (document_id) where d.source in ('ann', 'barnsley')",
    )
    six.execute(f"set local role {role}".encode())
    rows = rows_of(
        six,
        "explain_search(%s::vector, 'womp | xyzzi', la => 'E10000016')",
        [literal(axis(3))],
    )
    assert not {r["chunk_id"] for r in rows} & set(hidden)
    assert not {r["title"] for r in rows} & {"ann", "barnsley"}
    (word,) = [r for r in rows if r["title"] == "xyzzi"]
    # not even that somebody's text has the word
    assert (word["value"], word["kept"], word["reason"], word["detail"]) == (
        None,
        False,
        "in no chunk within reach",
        None,
    )
    rows = rows_of(
        six, "explain_search(%s::vector, 'xyzzi', principals => '{ann}')", [literal(axis(3))]
    )
    assert {r["title"] for r in rows if r["stage"] == "answer"} == {"ann", "hybrid", "copy", "long"}


def test_an_admin_sees_how_common_a_word_is_everywhere(six: psycopg.Connection[Any]) -> None:
    add(six, "Private xyzzy.", source="ann", owner="ann", vector=axis(3))
    six.execute("set local role pgkb_admin")
    rows = rows_of(six, "explain_search(null, 'xyzzi')")
    (word,) = [r for r in rows if r["stage"] == "word"]
    assert word["detail"] == {"chunks_of_corpus": 1}
    assert word["value"] > 0
