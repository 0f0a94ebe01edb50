"""dba.storage: where the bytes are."""

from typing import Any

import psycopg
import pytest

from tests.bulk_corpus import KENT, NATIONAL, RARE
from tests.db.corpus_fixtures import ask, ask_rows


def test_tables_long_values_and_indexes_are_the_total(large: psycopg.Connection[Any]) -> None:
    sums: dict[str, int] = dict(
        ask_rows(large, "select part, sum(bytes)::bigint from dba.storage group by part")
    )
    parts = sums["table"] + sums["toast"] + sums["index"]
    # a file may grow by its maps of free and visible pages between two looks at it
    assert parts == pytest.approx(sums["total"], rel=0.01)
    assert sums["scope kind"] == pytest.approx(sums["total"], rel=0.001)


def test_bytes_are_told_for_each_chunk(large: psycopg.Connection[Any]) -> None:
    ((rows, size, each),) = ask_rows(
        large, "select live_rows, bytes, bytes_per_chunk from dba.storage where part = 'total'"
    )
    assert rows == NATIONAL + KENT + RARE
    assert float(each) == pytest.approx(size / rows, abs=0.1)
    assert ask(large, "select bytes from dba.storage where name = 'local-minilm'") >= rows * 2 * 384


def test_an_empty_corpus_divides_by_nothing(kb: psycopg.Connection[Any]) -> None:
    assert ask(kb, "select bytes_per_chunk > 0 from dba.storage where part = 'total'")
