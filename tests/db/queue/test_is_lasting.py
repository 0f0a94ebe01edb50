"""queue.is_lasting: which errors come again however often the work is tried."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("statement", "lasting"),
    [
        (b"select 1 / 0", True),
        (b"select '{'::jsonb", True),
        (b"insert into queue.task (kind) values (null)", True),
        (b"insert into queue.provider_rate (provider, calls_per_minute) values ('a', 0)", True),
        (b"insert into corpus.chunk_fact (chunk_id) values (1)", True),
        # somebody else was faster: the next attempt finds what they wrote
        (b"insert into queue.provider_rate (provider, calls_per_minute) values ('b', 1)", False),
        (b"select 1 from queue.no_such_table", False),
    ],
)
def test_data_that_does_not_fit_and_broken_rules_last(
    reference: psycopg.Connection, statement: bytes, lasting: bool
) -> None:
    """E-06."""
    reference.execute(
        "insert into queue.provider_rate (provider, calls_per_minute) values ('b', 1)"
    )
    with pytest.raises(psycopg.Error) as refused, reference.transaction():
        reference.execute(statement)
    assert ask(reference, "select queue.is_lasting(%s)", refused.value.sqlstate) is lasting


@pytest.mark.parametrize("passing", ["40001", "40P01", "53100", "55P03", "57014", "08006", None])
def test_what_passes_by_itself_does_not_last(
    reference: psycopg.Connection, passing: str | None
) -> None:
    assert ask(reference, "select queue.is_lasting(%s)", passing) is False
