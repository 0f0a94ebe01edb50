"""search.tagged_chunks: what carries any of the tags in any of the scopes, by whichever index."""

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plans import plans_of
from tests.rows import value_of

VISIBLE = ["approved", "pending"]
# tags that would be one word with a scope's number, were they only joined
TAGS = ["ehcp", "1 ehcp", "1", " ", "transport", "2 transport", "11 1"]


def found(
    db: psycopg.Connection[Any],
    tags: list[str] | None,
    scopes: list[int],
    statuses: list[str] = VISIBLE,
    most: int | None = None,
) -> set[tuple[int, int]]:
    rows = db.execute(
        "select t.chunk_id, t.scope_id from search.tagged_chunks(%s, %s, %s, %s) as t",
        [tags, scopes, statuses, most],
    ).fetchall()
    assert len(rows) == len(set(rows))
    return set(rows)


@pytest.fixture
def tagged(large: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    large.execute(
        "update corpus.chunk_fact set tags = case chunk_id %% 5 when 0 then '{}' when 1 then "
        "array[(%s::text[])[1 + chunk_id %% 7]] else array[(%s::text[])[1 + chunk_id %% 7], "
        "(%s::text[])[1 + chunk_id / 7 %% 7]] end where chunk_id %% 3 = 0",
        [TAGS, TAGS, TAGS],
    )
    return large


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    tags=st.lists(st.sampled_from([*TAGS, "carried by nothing"]), max_size=4, unique=True),
    count=st.integers(0, 30),
    many=st.booleans(),
)
def test_it_finds_what_reading_every_chunk_finds(
    tagged: psycopg.Connection[Any], tags: list[str], count: int, many: bool
) -> None:
    scopes = value_of(
        tagged, "select array_agg(scope_id order by chunks desc) from search.scope_size"
    )[:count]
    if many:
        # more words than the index of tags within scopes is asked for
        scopes += list(range(900_000, 900_100))
    expected = set(
        tagged.execute(
            "select f.chunk_id, f.scope_id from corpus.chunk_fact as f "
            "where f.scope_id = any(%s) and f.status = any(%s) "
            "and exists (select from unnest(f.tags) as t (tag) where t.tag = any(%s))",
            [scopes, VISIBLE, tags],
        ).fetchall()
    )
    assert found(tagged, tags, scopes) == expected
    some = found(tagged, tags, scopes, most=3)
    assert some <= expected
    assert len(some) == min(3, len(expected))


@pytest.mark.parametrize(
    ("more", "index"), [(0, "chunk_fact_scoped_tags_idx"), (100, "chunk_fact_tags_idx")]
)
def test_few_scopes_are_asked_of_the_index_that_knows_them_of_many_tags_alone(
    tagged: psycopg.Connection[Any], more: int, index: str
) -> None:
    """The index of scopes alone would hold nearly every chunk there."""
    scopes = value_of(tagged, "select array_agg(scope_id) from corpus.scope where kind <> 'school'")
    scopes = scopes[:3] + list(range(900_000, 900_000 + more))
    with plans_of(tagged) as collected:
        found(tagged, ["ehcp"], scopes)
    names = {node.get("Index Name") for node in collected.of("chunk_fact").nodes()}
    assert names - {None} == {index}


def test_no_tags_and_no_statuses_find_nothing(tagged: psycopg.Connection[Any]) -> None:
    scopes = value_of(tagged, "select array_agg(scope_id) from corpus.scope")
    assert found(tagged, [], scopes) == set()
    assert found(tagged, None, scopes) == set()
    assert found(tagged, ["ehcp"], []) == set()
    assert found(tagged, ["ehcp"], scopes, statuses=[]) == set()
    assert found(tagged, ["ehcp"], scopes, statuses=["rejected"]) == set()
