"""search.bit_hits: scopes of wide vectors are scanned by their bits, and lose next to nothing."""

from datetime import date
from typing import Any

import psycopg
import pytest

from tests.bulk import text_of
from tests.bulk_corpus import QUESTION, questions
from tests.plans import plans_of
from tests.rows import Row, array_of, rows_of, value_of

VISIBLE = ["approved", "pending"]


@pytest.fixture
def wide(large: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """The large corpus as one of wide vectors, whose index holds bits."""
    large.execute("update embedding.set set index_kind = 'binary' where set_id = 1")
    return large


def leg(
    db: psycopg.Connection[Any],
    *,
    question: Any = QUESTION,
    tags: list[str] | None = None,
    as_of: date | None = None,
    candidates: int = 50,
    kinds: tuple[str, ...] = ("la", "national"),
) -> Row:
    scopes = [
        row for row in rows_of(db, "search.visible_scopes('E10000016')") if row["label"] in kinds
    ]
    (row,) = rows_of(
        db,
        "search.vector_leg(%s::halfvec, 1, {scopes}, %s, %s, %s, -1, %s)",
        [text_of(question), VISIBLE, tags, candidates, as_of],
        scopes=array_of("search.visible_scope", scopes),
    )
    return row


def ids(row: Row) -> list[int]:
    return [hit["chunk_id"] for hit in row["hits"]]


def exact(
    db: psycopg.Connection[Any], *, question: Any = QUESTION, candidates: int = 50
) -> list[int]:
    return [
        row["chunk_id"]
        for row in rows_of(
            db,
            "search.exact_hits(%s::halfvec, 1, (select array_agg(scope_id) from corpus.scope "
            "where kind in ('la', 'national')), %s, null, %s)",
            [text_of(question), VISIBLE, candidates],
        )
    ]


def plans(row: Row) -> set[str]:
    return {plan["plan"] for plan in row["plans"]}


def test_the_bits_find_nearly_everything_the_exact_scan_finds(
    wide: psycopg.Connection[Any],
) -> None:
    found = total = 0
    for question in questions(8):
        row = leg(wide, question=question)
        assert plans(row) == {"bits"}
        true = set(exact(wide, question=question))
        found += len(true & set(ids(row)))
        total += len(true)
    assert found / total >= 0.97


def test_more_candidates_than_a_graph_gives_enough_for_are_found_as_well(
    wide: psycopg.Connection[Any],
) -> None:
    for question in questions(2):
        assert ids(leg(wide, question=question, candidates=600)) == exact(
            wide, question=question, candidates=600
        )


def test_similarities_are_those_of_the_vectors(wide: psycopg.Connection[Any]) -> None:
    by_bits = {hit["chunk_id"]: hit["similarity"] for hit in leg(wide)["hits"]}
    wide.execute("update embedding.set set index_kind = 'halfvec' where set_id = 1")
    row = leg(wide)
    assert plans(row) == {"exact"}
    by_vector = {hit["chunk_id"]: hit["similarity"] for hit in row["hits"]}
    both = by_bits.keys() & by_vector.keys()
    assert len(both) > 40
    assert all(by_bits[chunk] == pytest.approx(by_vector[chunk], abs=1e-9) for chunk in both)


@pytest.mark.parametrize(("gone", "plan"), [(20, "bits"), (300, "bits topped up")])
def test_what_is_not_visible_is_passed_over_and_the_list_filled_all_the_same(
    wide: psycopg.Connection[Any], gone: int, plan: str
) -> None:
    wide.execute(
        "update corpus.chunk_fact set status = 'rejected' where chunk_id in (select b.chunk_id "
        "from embedding.bit_vector as b order by b.bits <~> binary_quantize(%s::halfvec)::varbit "
        "limit %s)",
        [text_of(QUESTION), gone],
    )
    row = leg(wide)
    assert plans(row) == {plan}
    rejected = value_of(
        wide, "select array_agg(chunk_id) from corpus.chunk_fact where status = 'rejected'"
    )
    assert len(ids(row)) == 50
    assert not set(ids(row)) & set(rejected)


def test_nothing_is_lost_where_most_that_is_near_is_not_visible(
    wide: psycopg.Connection[Any],
) -> None:
    """A caller of approved text alone, where most is pending still."""
    wide.execute(
        "update corpus.chunk_fact set status = 'rejected' where chunk_id * 7919 % 97 >= 16"
    )
    for question in questions(4):
        row = leg(wide, question=question)
        assert plans(row) == {"bits topped up"}
        assert ids(row) == exact(wide, question=question)


def test_exact_remains_what_bits_cannot_say_or_need_not(wide: psycopg.Connection[Any]) -> None:
    assert plans(leg(wide, kinds=("la",))) == {"exact"}, "all of it would be ranked anyway"
    assert plans(leg(wide, as_of=date(2020, 1, 1))) == {"exact"}
    tag = value_of(wide, "select min(t.tag) from corpus.chunk_fact as f, unnest(f.tags) as t (tag)")
    assert plans(leg(wide, tags=[tag])) == {"exact"}


def test_four_times_as_many_chunks_are_scanned_as_exactly(wide: psycopg.Connection[Any]) -> None:
    every = value_of(wide, "select count(*) from embedding.vector")
    wide.execute(f"set local kb.exact_limit = {every // 4 + 1}")
    assert plans(leg(wide)) == {"bits"}
    wide.execute(f"set local kb.exact_limit = {every // 4 - 1}")
    assert plans(leg(wide)) == {"exact", "index"}


def test_tags_that_more_carry_than_are_ranked_anyway_are_read_by_bits(
    wide: psycopg.Connection[Any],
) -> None:
    depth = value_of(wide, "select search.rerank_depth(50, 384)")
    for carrying, plan in ((depth, "exact"), (depth + 1, "bits")):
        wide.execute(
            "update corpus.chunk_fact set tags = case when chunk_id in (select f.chunk_id "
            "from corpus.chunk_fact as f inner join corpus.scope as s on f.scope_id = s.scope_id "
            "where f.status = any(%s) and (s.kind = 'national' or s.la_code = 'E10000016' "
            "and s.kind = 'la') order by f.chunk_id limit %s) then array['counted'] else '{}' end",
            [VISIBLE, carrying],
        )
        row = leg(wide, tags=["counted"])
        assert plans(row) == {plan}
        assert row["tagged"] == carrying


def test_what_is_ranked_again_is_looked_up_by_the_whole_of_its_key(
    wide: psycopg.Connection[Any],
) -> None:
    """By the chunk alone each look-up tries several sets (a skip scan)."""
    with plans_of(wide) as collected:
        leg(wide)
    keys = [
        node["Index Cond"]
        for node in collected.of("embedding.bit_vector as b").nodes()
        if node.get("Index Name") == "vector_1_pkey"
    ]
    assert keys
    assert all("set_id = " in key for key in keys)


def test_tags_that_many_carry_are_read_by_the_bits_of_what_carries_them(
    wide: psycopg.Connection[Any],
) -> None:
    tag = value_of(wide, "select min(t.tag) from corpus.chunk_fact as f, unnest(f.tags) as t (tag)")
    wide.execute("update corpus.chunk_fact set tags = array[%s] where chunk_id %% 3 = 0", [tag])
    tagged = value_of(wide, "select array_agg(chunk_id) from corpus.chunk_fact where tags <> '{}'")
    wide.execute(f"set local kb.exact_limit = {len(tagged) // 2}")
    found = total = 0
    for question in questions(5):
        row = leg(wide, question=question, tags=[tag])
        assert plans(row) == {"bits"}
        assert len(ids(row)) == 50
        assert set(ids(row)) <= set(tagged)
        nearest = wide.execute(
            "select v.chunk_id from embedding.vector as v where v.chunk_id = any(%s) "
            "order by v.embedding <=> %s::halfvec limit 50",
            [tagged, text_of(question)],
        ).fetchall()
        found += len({chunk for (chunk,) in nearest} & set(ids(row)))
        total += 50
    assert found / total >= 0.97
    wide.execute(f"set local kb.exact_limit = {len(tagged)}")
    assert plans(leg(wide, tags=[tag])) == {"exact"}
    wide.execute(f"set local kb.exact_limit = {len(tagged) // 4 - 1}")
    assert "index" in plans(leg(wide, tags=[tag]))


def test_of_chunks_with_the_tags_that_are_known_the_same_are_found_in_one_go(
    wide: psycopg.Connection[Any],
) -> None:
    tag = value_of(wide, "select min(t.tag) from corpus.chunk_fact as f, unnest(f.tags) as t (tag)")
    wide.execute("update corpus.chunk_fact set tags = array[%s] where chunk_id %% 3 = 0", [tag])
    scopes = value_of(wide, "select array_agg(scope_id) from corpus.scope where kind <> 'school'")
    known = value_of(
        wide,
        "select array_agg(chunk_id) from search.tagged_chunks(array[%s], %s, %s)",
        [tag, scopes, VISIBLE],
    )

    def found(tagged: list[int] | None) -> list[Row]:
        return rows_of(
            wide,
            "search.bit_hits(%s::halfvec, 1, %s, %s, array[%s], 50, %s)",
            [text_of(QUESTION), scopes, VISIBLE, tag, tagged],
        )

    looked_for = found(None)
    assert len(looked_for) == 50
    with plans_of(wide) as collected:
        assert found(known) == looked_for
    (node,) = [
        node
        for node in collected.of("embedding.bit_vector as b").nodes()
        if node.get("Index Name") == "bit_vector_pk"
    ]
    assert "ANY" in node["Index Cond"]
    # and no more than those
    assert {row["chunk_id"] for row in found(known[:10])} <= set(known[:10])


def test_an_index_of_its_own_is_read_where_there_is_one_though_bits_could_be(
    wide: psycopg.Connection[Any],
) -> None:
    national = value_of(wide, "select chunks from search.scope_size where scope_id = 1")

    def plan() -> str:
        (found,) = (p for p in leg(wide)["plans"] if p["label"] == "national")
        return str(found["plan"])

    wide.execute(f"set local kb.exact_limit = {national}")
    wide.execute(f"set local kb.own_index = {national + 1}")
    assert plan() == "bits"
    wide.execute(f"set local kb.own_index = {national}")
    assert plan() == "index"
