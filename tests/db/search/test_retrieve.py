"""search.retrieve: rules 3 and 9, the attempts one after the other, and when one goes deeper."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, literal, near
from tests.rows import Row, rows_of
from tests.sandbox import refused


def retrieve(
    db: psycopg.Connection[Any],
    words: str | None = None,
    *,
    vector: list[float] | None = None,
    **asked: Any,
) -> Row:
    named = "".join(f", {name} => %({name})s" for name in asked)
    (row,) = rows_of(
        db,
        "search.retrieve(search.resolve_request(%(vector)s::vector, "
        f"terms.build_tsquery(%(words)s){named}))",
        {"vector": vector and literal(vector), "words": words, **asked},
    )
    return row


def attempts(found: Row) -> list[tuple[list[str] | None, bool, int]]:
    """Tags, whether everywhere, and how many were chosen, of each attempt."""
    return [(a["tags"], a["everywhere"], a["chosen"]) for a in found["attempts"]]


def flags(found: Row) -> tuple[bool, bool]:
    return found["topic_fallback_used"], found["no_la_broad_fallback_used"]


@pytest.fixture
def kent(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """One text, Kent's, without a tag."""
    add(kb, "Kent on womp.", source="kent", la_code="E10000016", vector=near(3, 0.8))
    return kb


def test_an_answer_as_asked_is_one_attempt(kent: psycopg.Connection[Any]) -> None:
    found = retrieve(kent, "womp", vector=axis(3), la="E10000016")
    assert attempts(found) == [(None, False, 1)]
    assert flags(found) == (False, False)


def test_tags_that_nothing_carries_cost_no_keyword_leg(kent: psycopg.Connection[Any]) -> None:
    kent.execute("set local track_functions = 'all'")
    found = retrieve(kent, "womp", vector=axis(3), tags=["transport"], la="E10000016")
    assert attempts(found) == [(["transport"], False, 0), (None, False, 1)]
    calls = "select calls from pg_stat_xact_user_functions where funcname = 'keyword_leg'"
    assert kent.execute(calls).fetchone() == (1,)


def test_tags_are_dropped_before_other_areas_are_looked_at(kent: psycopg.Connection[Any]) -> None:
    found = retrieve(kent, "womp", vector=axis(3), tags=["transport"])
    assert attempts(found) == [
        (["transport"], False, 0),
        (None, False, 0),
        (["transport"], True, 0),
        (None, True, 1),
    ]
    assert flags(found) == (True, True)
    add(kent, "National womp.", source="national", vector=near(3, 0.5))
    found = retrieve(kent, "womp", vector=axis(3), tags=["transport"])
    assert attempts(found) == [(["transport"], False, 0), (None, False, 1)]
    assert flags(found) == (True, False)


def test_tags_hold_again_in_all_areas(kent: psycopg.Connection[Any]) -> None:
    kent.execute(
        "select corpus.set_tags(array_agg(chunk_id), '{transport}') from corpus.chunk_fact"
    )
    found = retrieve(kent, "womp", vector=axis(3), tags=["transport"])
    assert attempts(found)[-1] == (["transport"], True, 1)
    assert flags(found) == (False, True)


def test_nothing_found_says_what_was_tried(kb: psycopg.Connection[Any]) -> None:
    found = retrieve(kb, "womp", vector=axis(3), tags=["transport"])
    assert len(found["attempts"]) == 4
    assert flags(found) == (True, True)
    assert found["hits"] == []
    found = retrieve(kb, "womp", vector=axis(3), la="E10000016", tags=["transport"])
    assert attempts(found) == [(["transport"], False, 0), (None, False, 0)]
    assert flags(found) == (True, False)


def test_what_was_looked_at_is_there_with_its_plans_and_times(
    kent: psycopg.Connection[Any],
) -> None:
    found = retrieve(kent, "womp", vector=axis(3), la="E10000016")
    assert {s["label"] for s in found["scopes"]} == {"national", "la"}
    assert {(p["label"], p["plan"]) for p in found["plans"]} == {
        ("national", "exact"),
        ("la", "exact"),
    }
    assert set(found["timings"]) == {"scopes", "vector_leg", "keyword_leg", "rank", "choose"}
    assert all(ms >= 0 for ms in found["timings"].values())
    assert [h["place"] for h in found["hits"]] == [1]


# deeper


def copies(db: psycopg.Connection[Any], count: int) -> list[str]:
    """The same text as often, nearer than anything else; for these principals to see."""
    owners = [f"owner{n}" for n in range(count)]
    for owner in owners:
        add(db, "The same womp.", source="copy", owner=owner, vector=near(3, 0.9))
    return owners


def test_copies_of_one_text_do_not_fill_the_candidates(kb: psycopg.Connection[Any]) -> None:
    principals = copies(kb, 8)
    for n in range(3):
        add(kb, f"Other womp {n}.", source=f"other{n}", title=f"O{n}q", vector=near(3, 0.6))
    for asked in ({"vector": axis(3)}, {"words": "womp"}, {"words": "womp", "vector": axis(3)}):
        found = retrieve(kb, **asked, principals=principals, candidates=4, top_k=4)
        assert [a["candidates"] for a in found["attempts"]] == [4, 12], asked
        assert [a["chosen"] for a in found["attempts"]] == [1, 4], asked
        # deeper is no fallback: the same question in the same scopes
        assert flags(found) == (False, False)


def test_no_more_is_asked_of_the_legs_than_an_answer_needs(kb: psycopg.Connection[Any]) -> None:
    principals = copies(kb, 8)
    asked: dict[str, Any] = {"vector": axis(3), "principals": principals, "candidates": 4}
    assert len(retrieve(kb, **asked, top_k=1)["attempts"]) == 1
    # what lies deeper is under the floor
    for n in range(8):
        add(kb, f"Far {n}.", source=f"far{n}", title=f"F{n}q", vector=near(3, 0.25))
    found = retrieve(kb, **asked | {"candidates": 12}, top_k=4)
    assert [a["candidates"] for a in found["attempts"]] == [12]


def test_fewer_candidates_than_places_still_fill_the_answer(kb: psycopg.Connection[Any]) -> None:
    for n in range(6):
        add(kb, f"Womp {n}.", source=f"w{n}", title=f"W{n}q", vector=near(3, 0.9 - n / 100))
    found = retrieve(kb, vector=axis(3), candidates=1, top_k=6)
    assert [a["chosen"] for a in found["attempts"]] == [1, 3, 6]


def test_deeper_ends_at_a_thousand_candidates(kb: psycopg.Connection[Any]) -> None:
    principals = copies(kb, 3)
    found = retrieve(kb, vector=axis(3), principals=principals, candidates=1000, top_k=4)
    assert [a["candidates"] for a in found["attempts"]] == [1000]


def test_a_request_is_refused_before_anything_is_searched(kb: psycopg.Connection[Any]) -> None:
    for code, asked in (
        ("SE001", {"top_k": 0}),
        ("SE002", {"statuses": ["rejected"]}),
        ("PL001", {"la": "E99999999"}),
        ("PL002", {"urn": "1"}),
    ):
        with refused(kb, code):
            retrieve(kb, "womp", **asked)
