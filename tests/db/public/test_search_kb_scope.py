"""search_kb, rule 1: scope inside both legs; nothing outside it is ever returned."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, near, search
from tests.sandbox import refused
from tests.scoped_corpus import (
    BARNSLEY,
    BARNSLEY_OLD,
    BIRMINGHAM,
    CUMBERLAND,
    CUMBRIA,
    HOLLYBROOK,
    KENT,
    SOURCES,
    WESTMORLAND,
)

# both legs, and each alone: scope must hold in either
LEGS: dict[str, dict[str, Any]] = {
    "both legs": {"words": "school transport", "vector": axis(3)},
    "vector only": {"vector": axis(3)},
    "keyword only": {"words": "school transport"},
}


@pytest.fixture(params=LEGS.values(), ids=[*LEGS])
def question(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


def found(db: psycopg.Connection[Any], question: dict[str, Any], **asked: Any) -> dict[str, str]:
    """Source to scope label of the answer."""
    rows = search(db, **question, **asked, top_k=100)
    return {row["source"]: row["scope"] for row in rows}


def test_a_known_authority_sees_its_own_and_national_text(
    scoped: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    assert found(scoped, question, la=BIRMINGHAM) == {"national": "national", "birmingham": "la"}


def test_a_child_across_the_border_sees_both_authorities_and_its_school(
    scoped: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    assert found(scoped, question, la=BIRMINGHAM, home_la=KENT, urn=HOLLYBROOK) == {
        "national": "national",
        "birmingham": "la",
        "kent": "home_la",
        "hollybrook": "school",
    }


def test_private_text_is_for_its_owner_and_those_it_is_shared_with(
    scoped: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    shared = {"national": "national", "ann-bob": "shared"}
    assert found(scoped, question, principals=["ann"]) == shared | {"ann": "shared"}
    assert found(scoped, question, principals=["bob", "zoe"]) == shared
    assert found(scoped, question, principals=["zoe"]) == {"national": "national"}
    assert found(scoped, question, principals=[]) == {"national": "national"}
    # an authority does not see the private texts that name it
    assert found(scoped, question, la=KENT) == {"national": "national", "kent": "la"}


def test_an_authority_is_the_same_by_its_old_and_its_new_code(
    scoped: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    seen = {"national": "national", "barnsley": "la"}
    assert found(scoped, question, la=BARNSLEY) == seen
    assert found(scoped, question, la=BARNSLEY_OLD) == seen
    assert found(scoped, question, home_la=BARNSLEY_OLD) == {
        "national": "national",
        "barnsley": "home_la",
    }


def test_text_of_a_split_authority_is_found_from_each_of_its_successors(
    scoped: psycopg.Connection[Any], question: dict[str, Any]
) -> None:
    seen = {"national": "national", "cumbria": "la"}
    assert found(scoped, question, la=CUMBERLAND) == seen
    assert found(scoped, question, la=WESTMORLAND) == seen


def test_a_split_authority_is_refused_with_what_it_became(scoped: psycopg.Connection[Any]) -> None:
    with refused(scoped, "PL003") as caught:
        search(scoped, words="transport", la=CUMBRIA)
    assert CUMBERLAND in (caught.value.diag.message_detail or "")
    assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    ("sqlstate", "asked"),
    [
        ("PL001", {"la": "E99999999"}),
        ("PL001", {"home_la": "E99999999"}),
        ("PL001", {"la": "Kent"}),
        ("PL001", {"la": "E08000025' or '1'='1"}),
        ("PL002", {"urn": "123456"}),
        ("PL002", {"la": BIRMINGHAM, "urn": "990001%"}),
    ],
)
def test_an_unknown_place_is_refused_not_widened(
    scoped: psycopg.Connection[Any], sqlstate: str, asked: dict[str, Any]
) -> None:
    with refused(scoped, sqlstate) as caught:
        search(scoped, words="transport", **asked)
    assert caught.value.diag.message_hint


def test_a_better_text_of_another_area_does_not_crowd_out_ones_own(
    kb: psycopg.Connection[Any],
) -> None:
    # fault R-08: scope is no filter after the limit
    for n in range(60):
        add(kb, f"Transport {n}q.", source=f"kent {n}q", la_code=KENT, vector=axis(3))
    own = add(kb, "Transport here.", source="own", la_code=BIRMINGHAM, vector=near(3, 0.5))
    for question in LEGS.values():
        asked = question | {"words": question.get("words") and "transport"}
        rows = search(kb, **asked, la=BIRMINGHAM, candidates=5)
        assert [row["chunk_id"] for row in rows] == own.chunk_ids


def test_a_chunk_carries_whose_it_is(scoped: psycopg.Connection[Any]) -> None:
    rows = search(
        scoped,
        **LEGS["both legs"],
        la=BIRMINGHAM,
        urn=HOLLYBROOK,
        principals=["ann"],
        top_k=100,
    )
    assert {r["source"]: (r["la_code"], r["school_urn"]) for r in rows} == {
        "national": (None, None),
        "birmingham": (BIRMINGHAM, None),
        "hollybrook": (BIRMINGHAM, HOLLYBROOK),
        "ann": (None, None),
        "ann-bob": (None, None),
    }
    assert set(SOURCES) > {r["source"] for r in rows}


def test_a_scalar_where_a_list_is_meant_is_refused_not_split(
    scoped: psycopg.Connection[Any],
) -> None:
    # fault A-01
    for name in ("tags", "principals", "topics", "statuses"):
        with refused(scoped, "22P02"):
            scoped.execute(f"select * from search_kb(null, 'a', {name} => 'abc')".encode())
