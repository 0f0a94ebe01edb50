"""embedding.bit_vector: every vector has its bits, whoever puts it there or takes it away."""

from typing import Any

import psycopg
import pytest

from tests.bulk import add_passages, directions
from tests.corpus import add
from tests.rows import value_of

WRONG = (
    "select count(*) from embedding.vector as v full join embedding.bit_vector as b "
    "on v.set_id = b.set_id and v.chunk_id = b.chunk_id "
    "where v.scope_id is distinct from b.scope_id "
    "or binary_quantize(v.embedding)::varbit is distinct from b.bits"
)


@pytest.fixture
def eight(reference: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    passages = [f"passage {n}" for n in range(8)]
    add_passages(reference, passages, directions(8, seed=1), source="eight")
    return reference


def bits(db: psycopg.Connection[Any]) -> int:
    count: int = value_of(db, "select count(*) from embedding.bit_vector")
    return count


def test_published_vectors_have_bits_and_replaced_ones_have_none(
    eight: psycopg.Connection[Any],
) -> None:
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)
    add(eight, "another text altogether", source="eight")
    assert (bits(eight), value_of(eight, WRONG)) == (1, 0)


def test_rows_put_into_the_partition_itself_have_bits(eight: psycopg.Connection[Any]) -> None:
    eight.execute(
        "create temporary table taken as select * from embedding.vector_1 where chunk_id % 2 = 0"
    )
    eight.execute("delete from embedding.vector_1 where chunk_id % 2 = 0")
    assert (bits(eight), value_of(eight, WRONG)) == (4, 0)
    eight.execute("insert into embedding.vector_1 select * from taken")
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)
    eight.execute("update embedding.vector set scope_id = scope_id + 1000")
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)


def test_a_truncated_partition_leaves_no_bits_and_those_of_other_sets(
    eight: psycopg.Connection[Any],
) -> None:
    eight.execute("select embedding.add_set('other', 'compatible', 'other', 384)")
    other = value_of(eight, "select set_id from embedding.set where name = 'other'")
    copied = (
        "insert into embedding.vector select %s, v.chunk_id, v.scope_id, v.embedding "
        "from embedding.vector as v where v.set_id = %s"
    )
    eight.execute(copied, [other, 1])
    eight.execute("truncate embedding.vector_1")
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)
    eight.execute(copied, [1, other])
    assert (bits(eight), value_of(eight, WRONG)) == (16, 0), "it can be filled again"
    eight.execute(f"truncate embedding.vector_{other}".encode())
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)
    eight.execute("truncate embedding.vector")
    assert bits(eight) == 0


def test_a_set_that_is_dropped_leaves_no_bits(eight: psycopg.Connection[Any]) -> None:
    eight.execute("select embedding.add_set('other', 'compatible', 'other', 384)")
    other = value_of(eight, "select set_id from embedding.set where name = 'other'")
    eight.execute(
        "insert into embedding.vector select %s, v.chunk_id, v.scope_id, v.embedding "
        "from embedding.vector as v where v.set_id = 1",
        [other],
    )
    assert (bits(eight), value_of(eight, WRONG)) == (16, 0)
    eight.execute("select embedding.drop_set('other')")
    assert (bits(eight), value_of(eight, WRONG)) == (8, 0)
