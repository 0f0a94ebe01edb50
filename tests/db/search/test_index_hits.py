"""search.index_hits and search.exact_hits: the two ways to the most similar visible chunks."""

from typing import Any

import psycopg
import pytest

from tests.bulk import add_passages, around, text_of
from tests.bulk_corpus import QUESTION, RARE, questions
from tests.rows import Row, rows_of, value_of

VISIBLE = ["approved", "pending"]


def scope(db: psycopg.Connection[Any], source: str) -> int:
    found: int = value_of(db, "select scope_id from corpus.document where source = %s", [source])
    return found


def hits(
    db: psycopg.Connection[Any],
    way: str,
    *,
    scopes: list[int],
    candidates: int = 50,
    tags: list[str] | None = None,
    statuses: list[str] | None = None,
    question: Any = QUESTION,
) -> list[Row]:
    return rows_of(
        db,
        f"search.{way}_hits(%s::halfvec, 1, %s, %s, %s, %s)",
        [text_of(question), scopes, statuses or VISIBLE, tags, candidates],
    )


def ids(rows: list[Row]) -> list[int]:
    return [row["chunk_id"] for row in rows]


@pytest.fixture(params=["halfvec", "binary"])
def indexed(large: psycopg.Connection[Any], request: pytest.FixtureRequest) -> Any:
    """The large corpus under each kind of index, made by the statements people would run."""
    if request.param == "binary":
        large.execute("update embedding.set set index_kind = 'binary' where set_id = 1")
        large.execute(
            "drop index embedding.vector_1_local_0_idx, embedding.vector_1_local_1_idx, "
            "embedding.vector_1_national_idx"
        )
        for (statement,) in large.execute(
            "select replace(statement, 'concurrently', '') from embedding.index_statements(1)"
        ).fetchall():
            large.execute(statement.encode())
    return large


@pytest.mark.parametrize("candidates", [10, 50, 100, 200])
def test_the_index_finds_nearly_everything_the_exact_scan_finds(
    indexed: psycopg.Connection[Any], candidates: int
) -> None:
    scopes = [scope(indexed, "national")]
    found = total = 0
    for question in questions(5):
        exact = hits(indexed, "exact", scopes=scopes, candidates=candidates, question=question)
        index = hits(indexed, "index", scopes=scopes, candidates=candidates, question=question)
        assert len(exact) == len(index) == candidates
        found += len(set(ids(exact)) & set(ids(index)))
        total += candidates
    assert found / total >= 0.9


def test_a_list_of_a_thousand_is_filled(indexed: psycopg.Connection[Any]) -> None:
    scopes = [scope(indexed, "national")]
    assert len(hits(indexed, "index", scopes=scopes, candidates=1000)) == 1000
    assert len(hits(indexed, "exact", scopes=scopes, candidates=1000)) == 1000


def test_the_exact_scan_finds_the_most_similar_first(large: psycopg.Connection[Any]) -> None:
    # the index promises no order: search.vector_leg ranks what it finds
    similarities = [
        row["similarity"]
        for row in hits(large, "exact", scopes=[scope(large, "national"), scope(large, "kent")])
    ]
    assert similarities == sorted(similarities, reverse=True)


@pytest.mark.parametrize("way", ["index", "exact"])
def test_a_rare_tag_far_from_the_question_fills_the_list_all_the_same(
    large: psycopg.Connection[Any], way: str
) -> None:
    scopes = [scope(large, "national")]
    found = hits(large, way, scopes=scopes, candidates=10, tags=["transport"])
    exact = hits(large, "exact", scopes=scopes, candidates=RARE, tags=["transport"])
    assert len(found) == 10
    assert set(ids(found)) <= set(ids(exact))
    assert len(exact) == RARE
    # one of the tags is enough
    assert hits(large, way, scopes=scopes, candidates=10, tags=["ehcp", "transport"]) == found


def test_a_small_scope_within_a_large_index_is_filled(large: psycopg.Connection[Any]) -> None:
    scopes = [scope(large, "kent")]
    index = hits(large, "index", scopes=scopes, candidates=20)
    exact = hits(large, "exact", scopes=scopes, candidates=20)
    assert len(index) == 20
    assert len(set(ids(index)) & set(ids(exact))) >= 18


@pytest.mark.parametrize("way", ["index", "exact"])
def test_only_the_states_asked_for_are_found(large: psycopg.Connection[Any], way: str) -> None:
    scopes = [scope(large, "national")]
    nearest = ids(hits(large, "exact", scopes=scopes, candidates=40))
    large.execute(
        "select corpus.set_status(%s, 'rejected'), corpus.set_status(%s, 'approved')",
        [nearest[:20], nearest[20:40]],
    )
    approved = hits(large, way, scopes=scopes, statuses=["approved"], candidates=20)
    assert set(ids(approved)) <= set(nearest[20:40])
    assert len(approved) == 20
    visible = hits(large, way, scopes=scopes, candidates=40)
    assert len(visible) == 40
    assert not set(ids(visible)) & set(nearest[:20])


def test_deleted_neighbours_do_not_crowd_out_live_ones_before_a_vacuum(
    large: psycopg.Connection[Any],
) -> None:
    # fault J-07: their entries stay in the index until then
    scopes = [scope(large, "national")]
    nearest = ids(hits(large, "exact", scopes=scopes, candidates=200))
    large.execute("delete from embedding.vector where chunk_id = any(%s)", [nearest])
    found = hits(large, "index", scopes=scopes, candidates=50)
    assert len(found) == 50
    assert not set(ids(found)) & set(nearest)


@pytest.mark.parametrize("way", ["index", "exact"])
def test_an_authority_without_documents_has_no_hits(
    large: psycopg.Connection[Any], way: str
) -> None:
    assert hits(large, way, scopes=[]) == []
    assert hits(large, way, scopes=[-1]) == []


def test_the_settings_of_the_index_scan_are_gone_after_the_call(
    large: psycopg.Connection[Any],
) -> None:
    large.execute("select '[1]'::vector")  # loads the library, whose settings these are
    names = [
        "hnsw.ef_search",
        "hnsw.iterative_scan",
        "enable_seqscan",
        "enable_bitmapscan",
        "enable_sort",
        "enable_hashjoin",
        "enable_mergejoin",
    ]
    read = "select array_agg(current_setting(n) order by n) from unnest(%s::text[]) as n"
    before = value_of(large, read, [names])
    hits(large, "index", scopes=[scope(large, "national")], candidates=700)
    assert value_of(large, read, [names]) == before


def test_of_equal_vectors_the_same_ones_are_chosen_however_the_rows_lie(
    kb: psycopg.Connection[Any],
) -> None:
    # fault R-11: which of the equal ones are cut off must not depend on where an update put a row
    added = add_passages(
        kb,
        [f"passage {n}" for n in range(60)],
        around(QUESTION, 1, cosine=0.9, seed=5).repeat(60, axis=0),
        source="equal",
    )
    scopes = [scope(kb, "equal")]
    first = ids(hits(kb, "exact", scopes=scopes, candidates=20))
    kb.execute("select corpus.set_tags(%s, '{transport}')", [added.chunk_ids[:30]])
    kb.execute(
        "with moved as (delete from embedding.vector where chunk_id = any(%s) returning *) "
        "insert into embedding.vector select * from moved",
        [added.chunk_ids[:10]],
    )
    assert ids(hits(kb, "exact", scopes=scopes, candidates=20)) == first == added.chunk_ids[:20]


def test_where_most_that_is_near_is_not_visible_the_visible_are_still_found(
    indexed: psycopg.Connection[Any],
) -> None:
    scopes = [scope(indexed, "national")]
    # a curator has approved one in six
    indexed.execute("update corpus.chunk_fact set status = 'approved' where chunk_id % 6 = 0")
    found = total = 0
    for question in questions(5):
        asked: dict[str, Any] = {
            "scopes": scopes, "candidates": 50, "statuses": ["approved"], "question": question
        }  # fmt: skip
        true = ids(hits(indexed, "exact", **asked))
        found += len(set(true) & set(ids(hits(indexed, "index", **asked))))
        total += len(true)
    assert found / total >= 0.97
