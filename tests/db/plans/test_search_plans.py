"""What the planner makes of a search, on a few thousand chunks.

Where not said otherwise, with its own costs: a plan that only holds because sequential scans are
off is no plan.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tests.bulk_corpus import QUESTION
from tests.corpus import literal, search
from tests.plans import Plans, plans_of
from tests.rows import value_of

# the tables that grow with the corpus
GROWING = {
    "chunk",
    "chunk_fact",
    "vector",
    "vector_1",
    "vector_2",
    "cold_vector",
    "text_index",
    "lexeme_stat",
}
LOCAL_INDEXES, SCOPE_INDEX = (
    {"vector_1_local_0_idx", "vector_1_local_1_idx"},
    "vector_1_scope_id_idx",
)
NATIONAL_INDEX = "vector_1_national_idx"
WORD_INDEX = "text_index_scoped_idx"


@contextmanager
def plans(db: psycopg.Connection[Any]) -> Iterator[Plans]:
    with plans_of(db, enable_seqscan=True) as collected:
        yield collected


def scanned(collected: Plans) -> set[str]:
    """Growing tables that were read from end to end."""
    return {
        str(node.get("Relation Name"))
        for node in collected.nodes()
        if node["Node Type"] == "Seq Scan" and node.get("Relation Name") in GROWING
    }


def indexes(collected: Plans) -> set[str]:
    return {str(node["Index Name"]) for node in collected.nodes() if "Index Name" in node}


def vector_plans(collected: Plans) -> Plans:
    """Only the plans of the query for the nearest vectors."""
    found = collected.of("as distance")
    assert found.documents, "the vectors were looked at"
    return found


def test_national_text_is_read_through_an_index_of_its_own(
    large: psycopg.Connection[Any],
) -> None:
    large.execute("set local kb.exact_limit = 0")
    with plans(large) as collected:
        search(large, words="subject7", vector=QUESTION.tolist())
    nearest = vector_plans(collected)
    assert NATIONAL_INDEX in indexes(nearest)
    without_a_sort(nearest)


def without_a_sort(nearest: Plans) -> None:
    """The index gives the order; what is sorted is its few hits, once more by their vectors."""
    assert scanned(nearest) == set()
    kinds = [node["Node Type"] for node in nearest.nodes()]
    assert not set(kinds) & {"Incremental Sort", "Hash Join", "Merge Join", "Bitmap Heap Scan"}
    assert set(kinds) >= {"Limit", "Index Scan", "Nested Loop"}
    for document in nearest.documents:
        (hits,) = document["Plan"]["Plans"]  # put into an array
        assert hits["Node Type"] == "Limit"
        (below,) = hits["Plans"]
        assert below["Node Type"] == "Sort"
        assert "Sort" not in [
            node["Node Type"] for node in Plans([{"Plan": below["Plans"][0]}]).nodes()
        ]


def test_another_large_scope_is_read_through_the_index_of_its_half_without_a_sort(
    large: psycopg.Connection[Any],
) -> None:
    # fault R-06
    large.execute("set local kb.exact_limit = 0")
    with plans(large) as collected:
        search(large, words="subject7", vector=QUESTION.tolist(), la="E10000016")
    nearest = vector_plans(collected)
    part = value_of(
        large,
        "select embedding.index_part(s.scope_id) from corpus.scope as s "
        "where s.kind = 'la' and s.la_code = 'E10000016'",
    )
    used = indexes(nearest) & (LOCAL_INDEXES | {NATIONAL_INDEX})
    assert used == {f"vector_1_{part}_idx", NATIONAL_INDEX}
    without_a_sort(nearest)


def test_tags_that_few_chunks_carry_are_searched_exactly(large: psycopg.Connection[Any]) -> None:
    large.execute("set local kb.exact_limit = 50")
    large.execute(
        "update corpus.chunk_fact set tags = '{ehcp}' where chunk_id in "
        "(select chunk_id from corpus.chunk_fact order by chunk_id limit 20)"
    )
    with plans(large) as collected:
        rows = search(large, vector=QUESTION.tolist(), tags=["ehcp"])
    assert len(rows) > 0
    assert not (LOCAL_INDEXES | {NATIONAL_INDEX}) & indexes(vector_plans(collected))


def test_tags_that_nobody_carries_cost_no_vector(large: psycopg.Connection[Any]) -> None:
    large.execute("set local kb.exact_limit = 50")
    with plans(large) as collected:
        large.execute(
            "select search.vector_leg(%s::halfvec, 1, array(select s from "
            "search.visible_scopes() as s), '{approved,pending}', '{unheard-of}')",
            [literal(QUESTION.tolist())],
        )
    assert collected.of("as distance").documents == []


def test_a_small_scope_is_read_through_its_scope_index(large: psycopg.Connection[Any]) -> None:
    large.execute("set local kb.exact_limit = 500")
    with plans(large) as collected:
        search(large, vector=QUESTION.tolist(), la="E10000016")
    nearest = vector_plans(collected)
    assert {NATIONAL_INDEX, SCOPE_INDEX} <= indexes(nearest), "national by one, Kent by the other"
    assert "vector_1" not in scanned(nearest)


def test_words_are_found_through_the_word_index(large: psycopg.Connection[Any]) -> None:
    with plans(large) as collected:
        search(large, words="subject7")
    assert WORD_INDEX in indexes(collected.of("chosen_word"))
    assert scanned(collected.of("chosen_word")) == set()


def test_the_most_common_word_costs_no_more_than_the_budget(
    large: psycopg.Connection[Any],
) -> None:
    large.execute("set local kb.keyword_budget = 100")
    large.execute("set local kb.max_chunks_per_document = 100")
    with plans_of(large, analyze=True, enable_seqscan=True) as collected:
        rows = search(large, words="passage", top_k=50)
    assert len(rows) == 50
    read = sum(
        node["Actual Rows"] * node["Actual Loops"]
        for node in collected.of("chosen_word").nodes()
        if node.get("Relation Name") == "text_index"
    )
    # a hundred by the word, and the best of those again to score them; two thousand hold it
    assert 100 <= read <= 200


def test_statistics_are_read_by_word_not_from_end_to_end(large: psycopg.Connection[Any]) -> None:
    with plans(large) as collected:
        search(large, words="subject7 rare")
    assert "lexeme_stat_pk" in indexes(collected.of("corpus_size"))
    assert "lexeme_stat" not in scanned(collected)


@pytest.mark.parametrize("asked", [{}, {"la": "E10000016"}, {"tags": ["transport"]}])
@pytest.mark.parametrize("mode", ["force_generic_plan", "auto"])
def test_the_tenth_call_of_a_prepared_search_is_planned_like_the_first(
    large: psycopg.Connection[Any],
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    asked: dict[str, Any],
) -> None:
    # fault R-07: a generic plan of 'parameter is null or ...' loses the index
    large.execute("set local kb.exact_limit = 0")
    large.execute("select set_config('plan_cache_mode', %s, true)", [mode])
    monkeypatch.setattr(large, "prepare_threshold", 0)
    first = search(large, words="subject7", vector=QUESTION.tolist(), **asked)
    for _ in range(8):
        search(large, words="subject7", vector=QUESTION.tolist(), **asked)
    with plans(large) as collected:
        tenth = search(large, words="subject7", vector=QUESTION.tolist(), **asked)
    assert tenth == first
    assert NATIONAL_INDEX in indexes(vector_plans(collected))
    assert WORD_INDEX in indexes(collected.of("chosen_word"))
    assert scanned(collected.of("chosen_word")) == set()
    if not asked.get("tags"):
        assert scanned(vector_plans(collected)) == set()


def test_no_step_of_a_search_needs_a_growing_table_from_end_to_end(
    large: psycopg.Connection[Any],
) -> None:
    # of two thousand narrow rows the planner may rather read all: here it may not
    large.execute("set local kb.exact_limit = 0")
    with plans_of(large) as collected:
        search(large, words="subject7", vector=QUESTION.tolist(), la="E10000016")
        search(large, words="subject7", topics=["transport"])
        large.execute("select * from search_kb(%s, null)", [literal(QUESTION.tolist())])
    assert scanned(collected) == set()
