"""dba.recall_audit and dba.measure_recall: lost recall is seen, by bands of selectivity."""

from typing import Any

import psycopg
import pytest

from tests.bulk import text_of
from tests.bulk_corpus import KENT, NATIONAL, RARE, questions
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

BANDS = ["everything", "authority", "tag", "tiny"]


def break_index(db: psycopg.Connection[Any]) -> None:
    """Bring half of the vectors into the table and not into the index."""
    ready = (
        "update pg_index set indisready = {}"
        " where indexrelid in (select index_oid from dba.vector_index)"
    )
    db.execute("create temp table taken as select * from embedding.vector where chunk_id % 2 = 0")
    db.execute(ready.format("false").encode())
    db.execute("delete from embedding.vector where chunk_id % 2 = 0")
    db.execute("insert into embedding.vector select * from taken")
    db.execute(ready.format("true").encode())


def test_a_whole_index_has_no_alert_and_the_audit_is_kept(
    large: psycopg.Connection[Any],
) -> None:
    with role(large, "pgkb_admin"):
        rows = ask_rows(
            large,
            "select band, queries, mean_recall, worst_recall, alert, real_questions, selectivity"
            " from dba.recall_audit(sample => 5, k => 10)",
        )
        assert [row[0] for row in rows] == BANDS
        assert all(row[1:6] == (5, 1, 1, False, 0) for row in rows)
        total = NATIONAL + KENT + RARE
        shares = [float(row[6]) for row in rows]
        assert shares == pytest.approx([1, 1, RARE / total, RARE / total], abs=1e-4)
        assert ask_rows(large, "select set_name, k, band from dba.recall") == [
            ("local-minilm", 10, band) for band in BANDS
        ]


def test_vectors_the_index_lost_are_an_alert(large: psycopg.Connection[Any]) -> None:
    break_index(large)
    large.execute("set local kb.exact_limit = 0")
    ((band, mean, alert),) = ask_rows(
        large,
        "select band, mean_recall, alert from dba.recall_audit(sample => 10)"
        " where band = 'everything'",
    )
    assert mean < 0.8
    assert alert
    large.execute("set local kb.recall_alert = 0.1")
    assert not ask(large, "select alert from dba.recall where band = %s", band)


def test_recent_questions_of_people_are_asked_first(large: psycopg.Connection[Any]) -> None:
    for n, vector in enumerate(questions(3)):
        for viewer in ("ann", "bob"):
            large.execute(
                "select embedding.remember_query(%s, %s, %s)", [viewer, f"q{n}", text_of(vector)]
            )
    ((asked, real),) = ask_rows(
        large,
        "select queries, real_questions from dba.measure_recall(5, bands => '{everything}')",
    )
    assert (asked, real) == (5, 3)
    assert ask(large, "select count(*) from dba.sample_questions(2) where is_real") == 2


def test_made_questions_are_near_stored_chunks_and_none_of_them(
    large: psycopg.Connection[Any],
) -> None:
    found = ask_rows(
        large,
        "select (select max(1 - (v.embedding <=> q.query)) from embedding.vector_1 as v)"
        " from dba.sample_questions(20) as q",
    )
    assert all(0.6 < row[0] < 0.95 for row in found)


def test_measuring_writes_nothing(large_url: str) -> None:
    with psycopg.connect(large_url, options="-c default_transaction_read_only=on") as db:
        assert len(ask_rows(db, "select * from dba.measure_recall(2)")) == 4


def test_an_empty_corpus_has_nothing_to_find_and_no_alert(kb: psycopg.Connection[Any]) -> None:
    rows = ask_rows(kb, "select queries, mean_recall, alert from dba.recall_audit()")
    assert rows == [(0, None, False)] * 4


def test_numbers_and_bands_out_of_range_are_refused(kb: psycopg.Connection[Any]) -> None:
    for call in (
        "dba.recall_audit(0)",
        "dba.recall_audit(null)",
        "dba.recall_audit(1, 0)",
        "dba.recall_audit(1, 1001)",
        "dba.measure_recall(1, 1, null)",
        "dba.measure_recall(1, 1, '{}')",
        "dba.measure_recall(1, 1, '{everything,else}')",
    ):
        with refused(kb, "UP002"):
            kb.execute(f"select {call}".encode())
