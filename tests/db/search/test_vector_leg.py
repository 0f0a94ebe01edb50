"""search.vector_leg: rule 4, filled to the limit whatever the filter's selectivity."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.bulk import add_passages, text_of
from tests.bulk_corpus import KENT, NATIONAL, QUESTION, RARE, questions
from tests.corpus import add, axis, literal, near
from tests.plans import plans_of
from tests.rows import Row, array_of, rows_of, value_of

VISIBLE = ["approved", "pending"]


def scopes_of(db: psycopg.Connection[Any], la: str | None = None) -> list[Row]:
    return rows_of(db, "search.visible_scopes(%s)", [la])


def found(
    db: psycopg.Connection[Any],
    *,
    scopes: list[Row],
    question: str | None = None,
    candidates: int = 50,
    floor: float = -1,
    tags: list[str] | None = None,
    as_of: date | None = None,
) -> Row:
    (row,) = rows_of(
        db,
        "search.vector_leg(%s::halfvec, 1, {scopes}, %s, %s, %s, %s, %s)",
        [question or text_of(QUESTION), VISIBLE, tags, candidates, floor, as_of],
        scopes=array_of("search.visible_scope", scopes),
    )
    return row


def leg(db: psycopg.Connection[Any], **asked: Any) -> list[Row]:
    hits: list[Row] = found(db, **asked)["hits"]
    return hits


def plans(db: psycopg.Connection[Any], **asked: Any) -> dict[str, tuple[str, str]]:
    """Label to plan and its reason."""
    return {p["label"]: (p["plan"], p["reason"]) for p in found(db, **asked)["plans"]}


def ids(rows: list[Row]) -> set[int]:
    return {row["chunk_id"] for row in rows}


@pytest.fixture
def forced(large: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Every scope goes through the vector index, however small it is."""
    large.execute("set local kb.exact_limit = 0")
    return large


def exact(db: psycopg.Connection[Any], **arguments: Any) -> list[Row]:
    """The same leg by exact scan."""
    before = value_of(db, "select current_setting('kb.exact_limit', true)")
    db.execute("set local kb.exact_limit = 100000000")
    rows = leg(db, **arguments)
    db.execute("select set_config('kb.exact_limit', %s, true)", [before or ""])
    return rows


def test_a_hundred_asked_for_are_a_hundred_found(forced: psycopg.Connection[Any]) -> None:
    # fault R-02: a list longer than the index's own was cut
    assert len(leg(forced, scopes=scopes_of(forced), candidates=100)) == 100


def test_a_thousand_asked_for_are_a_thousand_found(forced: psycopg.Connection[Any]) -> None:
    assert len(leg(forced, scopes=scopes_of(forced), candidates=1000)) == 1000


def test_rare_rows_away_from_the_question_fill_the_list_like_the_exact_scan(
    forced: psycopg.Connection[Any],
) -> None:
    # fault R-01: twenty-four among thousands
    asked: dict[str, Any] = {"scopes": scopes_of(forced), "tags": ["transport"]}
    ten = leg(forced, candidates=10, **asked)
    assert len(ten) == 10
    assert ids(ten) <= ids(exact(forced, candidates=RARE, **asked))
    # the index goes on in passes, each in an order of its own: the ranks do not (fault R-09)
    similarities = [row["similarity"] for row in ten]
    assert similarities == sorted(similarities, reverse=True)
    assert [row["rank"] for row in ten] == list(range(1, 11))
    every = leg(forced, candidates=50, **asked)
    assert len(every) == RARE
    assert every == exact(forced, candidates=50, **asked)


def test_a_small_scan_cap_still_fills_the_list(forced: psycopg.Connection[Any]) -> None:
    # fault R-03: the index gives up after so many tuples
    forced.execute("select '[1]'::vector")
    forced.execute("set local hnsw.max_scan_tuples = 500")
    asked: dict[str, Any] = {"scopes": scopes_of(forced), "tags": ["transport"], "candidates": 20}
    assert leg(forced, **asked) == exact(forced, **asked)


def test_a_floor_nothing_meets_leaves_nothing(forced: psycopg.Connection[Any]) -> None:
    # the floor comes after the limited list, it is no filter that makes the scan walk on
    assert leg(forced, scopes=scopes_of(forced), floor=0.99) == []


def test_the_floor_cuts_the_list_not_the_scan(forced: psycopg.Connection[Any]) -> None:
    asked: dict[str, Any] = {"scopes": scopes_of(forced), "candidates": 100}
    every = leg(forced, **asked)
    floor = every[30]["similarity"]
    assert leg(forced, floor=floor, **asked) == [r for r in every if r["similarity"] >= floor]


def test_small_scopes_are_exact_and_large_ones_indexed_in_one_list(
    large: psycopg.Connection[Any],
) -> None:
    large.execute(f"set local kb.exact_limit = {KENT + 50}")
    scopes = scopes_of(large, "E10000016")
    assert {s["chunks"] for s in scopes} == {NATIONAL + RARE, KENT}
    hits = total = 0
    for question in questions(5):
        asked: dict[str, Any] = {"scopes": scopes, "question": text_of(question)}
        wanted = ids(exact(large, **asked))
        hits += len(ids(leg(large, **asked)) & wanted)
        total += len(wanted)
    assert hits / total >= 0.95


def test_ranks_count_from_one_and_follow_the_similarity(forced: psycopg.Connection[Any]) -> None:
    # fault R-09: ranks come from a sort of their own, not from the order of the scan
    rows = leg(forced, scopes=scopes_of(forced, "E10000016"), candidates=200)
    similarities = [row["similarity"] for row in rows]
    assert similarities == sorted(similarities, reverse=True)
    assert [row["rank"] for row in rows] == [
        1 + sum(round(other, 9) > round(mine, 9) for other in similarities) for mine in similarities
    ]


def test_equal_similarities_share_a_rank_and_the_next_one_counts_them(
    kb: psycopg.Connection[Any],
) -> None:
    # fault R-11
    first = add(kb, "Alpha.", source="a", vector=near(2, 0.9))
    for name in "bcd":
        add(kb, f"Text {name}.", source=name, vector=near(2, 0.8))
    last = add(kb, "Omega.", source="e", vector=near(2, 0.7))
    rows = leg(kb, scopes=scopes_of(kb), question=literal(axis(2)))
    assert [row["rank"] for row in rows] == [1, 2, 2, 2, 5]
    assert rows[0]["chunk_id"] == first.chunk_ids[0]
    assert rows[-1]["chunk_id"] == last.chunk_ids[0]
    assert leg(kb, scopes=scopes_of(kb), question=literal(axis(2))) == rows


def test_no_vector_or_no_scope_is_no_hit(large: psycopg.Connection[Any]) -> None:
    assert found(large, scopes=[]) == {"hits": [], "plans": [], "tagged": None}
    (row,) = rows_of(
        large,
        "search.vector_leg(null, 1, {scopes}, %s)",
        [VISIBLE],
        scopes=array_of("search.visible_scope", scopes_of(large)),
    )
    assert row["hits"] == []
    assert [(p["plan"], p["reason"]) for p in row["plans"]] == [("none", "no query vector")]


def test_a_chunk_that_is_not_embedded_never_ranks(kb: psycopg.Connection[Any]) -> None:
    # fault R-18: with the index and without
    added = add_passages(kb, [f"passage {n}" for n in range(5)], questions(5), source="five")
    kb.execute("delete from embedding.vector where chunk_id = %s", [added.chunk_ids[0]])
    for limit in ("0", "20000"):
        kb.execute("select set_config('kb.exact_limit', %s, true)", [limit])
        assert ids(leg(kb, scopes=scopes_of(kb))) == set(added.chunk_ids[1:])


# how it went about it


def test_every_scope_says_by_which_plan_it_was_read_and_why(
    large: psycopg.Connection[Any],
) -> None:
    scopes = scopes_of(large, "E10000016")
    large.execute(f"set local kb.exact_limit = {KENT}")
    assert plans(large, scopes=scopes) == {
        "la": ("exact", "200 chunks, 200 with the smaller scopes, within kb.exact_limit 200"),
        "national": ("index", "2024 chunks with an index of their own, which is read from 201 on"),
    }
    large.execute("drop index embedding.vector_1_national_idx")
    assert plans(large, scopes=scopes)["national"] == (
        "index",
        "2024 chunks, 2224 with the smaller scopes, over kb.exact_limit 200",
    )
    large.execute("set local kb.exact_limit = 5000")
    assert {plan for plan, _ in plans(large, scopes=scopes).values()} == {"exact"}


def test_a_large_scope_is_read_through_an_index_of_its_own(
    large: psycopg.Connection[Any],
) -> None:
    scopes = scopes_of(large, "E10000016")
    large.execute("set local kb.own_index = 200")
    before = leg(large, scopes=scopes)
    for _, statement in large.execute(
        "select index_name, statement from embedding.missing_indexes(1)"
    ).fetchall():
        large.execute(statement.replace("concurrently ", ""))
    by_plan = {label: plan for label, (plan, _) in plans(large, scopes=scopes).items()}
    assert by_plan == {"la": "index", "national": "index"}
    with plans_of(large) as collected:
        after = leg(large, scopes=scopes)
    (scope,) = [s["scope_id"] for s in scopes if s["label"] == "la"]
    used = {node.get("Index Name") for node in collected.nodes()}
    assert {f"vector_1_scope_{scope}_idx", "vector_1_national_idx"} <= used
    assert not used & {"vector_1_local_0_idx", "vector_1_local_1_idx"}
    assert ids(after) == ids(before)


def test_scopes_of_both_halves_are_asked_of_both_and_ranked_together(
    large: psycopg.Connection[Any],
) -> None:
    places = ("E10000016", "E08000025", "E08000038")
    for number, code in enumerate(places):
        vectors = questions(40)[number::3]
        add_passages(
            large,
            [f"passage of half {code} {n}" for n in range(len(vectors))],
            vectors,
            source=f"half {code}",
            la_code=code,
        )
    scopes = [
        scope for scope in rows_of(large, "search.visible_scopes(everywhere => true)")
        if scope["label"] == "la"
    ]  # fmt: skip
    parts = {
        value_of(large, "select embedding.index_part(%s)", [s["scope_id"]])
        for s in scopes
        if s["chunks"]
    }
    assert parts == {"local_0", "local_1"}
    exact = leg(large, scopes=scopes)
    large.execute("set local kb.exact_limit = 0")
    with plans_of(large) as collected:
        by_index = leg(large, scopes=scopes)
    used = {node.get("Index Name") for node in collected.nodes()}
    assert used >= {"vector_1_local_0_idx", "vector_1_local_1_idx"}
    assert [row["rank"] for row in by_index] == sorted(row["rank"] for row in by_index)
    assert len(ids(by_index) & ids(exact)) >= 49


def test_until_the_halves_are_built_the_index_over_both_is_read(
    forced: psycopg.Connection[Any],
) -> None:
    before = leg(forced, scopes=scopes_of(forced, "E10000016"))
    forced.execute("drop index embedding.vector_1_local_0_idx, embedding.vector_1_local_1_idx")
    forced.execute(
        "create index vector_1_local_idx on embedding.vector_1 "
        "using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) where scope_id <> 1"
    )
    with plans_of(forced) as collected:
        after = leg(forced, scopes=scopes_of(forced, "E10000016"))
    assert "vector_1_local_idx" in {node.get("Index Name") for node in collected.nodes()}
    assert len(ids(after) & ids(before)) >= 49


def test_an_index_that_under_fills_says_that_it_was_topped_up(
    forced: psycopg.Connection[Any],
) -> None:
    # fault R-03: an under-fill is noticed, also where the floor then leaves nothing of it
    for floor in (-1, 0.99):
        plan, reason = plans(forced, scopes=scopes_of(forced), tags=["transport"], floor=floor)[
            "national"
        ]
        assert plan == "index topped up"
        assert reason.endswith(f"the index found {RARE} of 50, so an exact scan followed")
    assert plans(forced, scopes=scopes_of(forced))["national"][0] == "index"


def test_another_day_is_read_exactly(forced: psycopg.Connection[Any]) -> None:
    plan, reason = plans(forced, scopes=scopes_of(forced), as_of=date(2030, 1, 1))["national"]
    assert (plan, reason) == ("exact", "no index holds the versions of another day")
