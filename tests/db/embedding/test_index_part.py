"""embedding.index_part: every scope's vectors are in one index, which its name says."""

from typing import Any

import psycopg
import pytest

from tests.rows import rows_of, value_of


@pytest.mark.parametrize(
    ("scope", "part"), [(1, "national"), (2, "local_0"), (3, "local_1"), (2**53 + 1, "local_1")]
)
def test_national_text_is_apart_and_all_other_in_halves(
    reference: psycopg.Connection[Any], scope: int, part: str
) -> None:
    assert value_of(reference, "select embedding.index_part(%s)", [scope]) == part


def test_each_vector_is_in_the_index_of_its_part_and_in_no_other(
    large: psycopg.Connection[Any],
) -> None:
    conditions = {
        row["index_name"]: row["statement"].rpartition(" where ")[2]
        for row in rows_of(large, "embedding.index_statements(1)")
    }
    assert set(conditions) == {
        "vector_1_local_0_idx",
        "vector_1_local_1_idx",
        "vector_1_national_idx",
    }
    for name, condition in conditions.items():
        # the condition holds where the part is the index's, and nowhere else
        part = name.removeprefix("vector_1_").removesuffix("_idx")
        wrong = (
            "select count(*) from embedding.vector "
            f"where ({condition}) <> (embedding.index_part(scope_id) = '{part}')"
        )
        assert value_of(large, wrong) == 0
