"""search.rebuild_statistics: wrong statistics are put right while others search and write."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, load_reference
from tests.rows import rows_of, value_of

SPOIL = (
    "update search.lexeme_stat set chunks = chunks + 3",
    "delete from search.lexeme_stat",
    "insert into search.lexeme_delta values ('ghost', 7), ('womp', -9)",
    "update search.scope_stat set chunks = 0, tokens = -5",
    "insert into search.scope_stat values (4711, 1, 1)",
    "delete from search.scope_delta; delete from search.scope_stat",
)


def test_exact_statistics_are_left_alone(kb: psycopg.Connection[Any]) -> None:
    assert value_of(kb, "select search.rebuild_statistics()") == 0
    add(kb, "Womp.", source="a")
    assert value_of(kb, "select search.rebuild_statistics()") == 0


@pytest.mark.parametrize("spoil", SPOIL)
def test_whatever_was_wrong_is_right_afterwards(kb: psycopg.Connection[Any], spoil: str) -> None:
    add(kb, "Womp dralk.", source="a")
    add(kb, "Womp krib.", source="b", la_code="E10000016")
    kb.execute("select search.fold_statistics()")
    add(kb, "Womp nark.", source="c")
    kb.execute(spoil.encode())
    wrong = len(rows_of(kb, "search.check_statistics()"))
    assert wrong > 0
    assert value_of(kb, "select search.rebuild_statistics()") == wrong
    assert rows_of(kb, "search.check_statistics()") == []
    assert value_of(kb, "select count(*) from search.lexeme_stat where chunks <= 0") == 0
    assert value_of(kb, "select search.rebuild_statistics()") == 0


def test_a_writer_neither_waits_nor_is_counted_twice(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    add(db, "Womp dralk.", source="a")
    db.execute("insert into search.lexeme_delta values ('womp', 5)")
    db.commit()
    with psycopg.connect(db_url) as writer, psycopg.connect(db_url) as repair:
        for each in (writer, repair):
            each.execute("set lock_timeout = '2s'")
            each.commit()
        # open on both sides of the repair
        writer.execute(
            "delete from search.text_index where chunk_id = (select max(chunk_id) "
            "from search.text_index)"
        )
        assert repair.execute("select search.rebuild_statistics()").fetchone() == (1,)
        add(writer, "Womp krib.", source="b")
        repair.commit()
    assert rows_of(db, "search.check_statistics()") == []
