"""search.check_statistics: no row while the statistics are exact, one for each that is wrong."""

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg
import pytest

from tests.bm25 import invented_texts
from tests.corpus import add, load_reference
from tests.db.search.counting import kept, recounted
from tests.rows import Row, rows_of, value_of

SESSIONS = 10


def differences(db: psycopg.Connection[Any]) -> list[Row]:
    return rows_of(db, "search.check_statistics()")


def test_an_empty_index_has_no_difference(kb: psycopg.Connection[Any]) -> None:
    assert differences(kb) == []


def _live_history(db: psycopg.Connection[Any], seed: int, steps: int) -> None:
    """Add, replace, delete, decide, withdraw, undo and fold in an order drawn from the seed."""
    draw = random.Random(seed)  # noqa: S311 - steps, not secrets
    texts = invented_texts(steps, seed=seed)
    for words in texts:
        step = draw.choice(["add", "add", "add", "title", "delete", "decide", "undo", "fold"])
        source = f"source {draw.randrange(6)}"
        known = [row[0] for row in db.execute("select chunk_id from corpus.chunk_fact")]
        if step in ("add", "title"):
            facts: dict[str, Any] = {"la_code": draw.choice([None, "E10000016"])}
            if step == "title":
                facts["title"] = f"Common subject {draw.randrange(2)}x"
            add(db, " ".join(words), source=source, **facts)
        elif step == "delete":
            db.execute("delete from corpus.document where source = %s", [source])
        elif step == "decide" and known:
            db.execute(
                "select corpus.set_status(array_agg(chunk_id), %s) from corpus.chunk_fact "
                "where chunk_id = any(%s) and status = 'pending'",
                [draw.choice(["approved", "rejected", "flagged"]), draw.sample(known, 1)],
            )
        elif step == "undo":
            with db.transaction(force_rollback=True):
                add(db, " ".join(words), source=source)
        else:
            db.execute("select search.fold_statistics()")


@pytest.mark.parametrize("fold_after", [1, 200])
@pytest.mark.parametrize("seed", range(4))
def test_there_is_no_difference_after_any_history(
    kb: psycopg.Connection[Any], seed: int, fold_after: int
) -> None:
    kb.execute("select set_config('kb.fold_after', %s, true)", [str(fold_after)])
    _live_history(kb, seed, steps=30)
    assert differences(kb) == []
    assert kept(kb) == recounted(kb), "counted a second way"


def test_what_is_wrong_is_named_with_both_numbers(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Womp dralk dralk.", source="a", title="Womp")
    add(kb, "Womp.", source="b", title="Womp b")
    kb.execute("select search.fold_statistics()")
    kb.execute("update search.lexeme_stat set chunks = 5 where lexeme = 'womp'")
    kb.execute("delete from search.lexeme_stat where lexeme = 'dralk'")
    kb.execute("insert into search.lexeme_delta values ('ghost', 1), ('womp', -1)")
    kb.execute("update search.scope_stat set tokens = tokens + 1 where scope_id = 0")
    kb.execute("insert into search.scope_delta values (4711, 2, 0)")
    tokens = value_of(kb, "select sum(token_count) from search.text_index")
    assert [
        (row["statistic"], row["subject"], row["kept"], row["counted"]) for row in differences(kb)
    ] == [
        ("lexeme chunks", "dralk", 0, 1),
        ("lexeme chunks", "ghost", 1, 0),
        ("lexeme chunks", "womp", 4, 2),
        ("scope chunks", "4711", 2, 0),
        ("scope tokens", "0", tokens + 1, tokens),
    ]


def test_it_runs_in_a_read_only_transaction(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set transaction read only")
    assert differences(kb) == []


def test_ten_sessions_that_publish_and_fold_never_wait_for_each_other(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    """All have published the same words, and tried to fold them, before any commits."""
    load_reference(db)
    barrier = Barrier(SESSIONS, timeout=60)

    def publish(number: int) -> None:
        with psycopg.connect(db_url) as own:
            own.execute("set lock_timeout = '5s'")
            own.execute("set kb.fold_after = 1")
            for turn in range(2):
                for n in range(3):
                    name = f"text {number} {turn} {n}"
                    _add_uncommitted(own, f"Womp dralk krib {name}.", name)
                barrier.wait()
                own.commit()
                barrier.wait()

    with ThreadPoolExecutor(SESSIONS) as pool:
        for done in [pool.submit(publish, number) for number in range(SESSIONS)]:
            done.result(120)
    assert differences(db) == []
    assert value_of(db, "select chunks from search.scope_size where scope_id = 0") == 60
    db.rollback()
    assert value_of(db, "select search.fold_statistics()") >= 0
    assert differences(db) == []


def _add_uncommitted(db: psycopg.Connection[Any], body: str, source: str) -> None:
    """As `add`, whose commit would end what this test keeps open."""
    rows = db.execute(
        "select version_id, chunk_count from corpus.stage_document(source => %s, title => %s, "
        "body => %s, file_type => 'txt')",
        [source, source, body],
    ).fetchall()
    version_id = rows[0][0]
    db.execute(
        "select embedding.store_vectors(array_agg(chunk_id), array_agg(%s::text)) "
        "from embedding.chunks_to_embed(%s)",
        [str([1.0] + [0.0] * 383), version_id],
    )
    db.execute("select corpus.publish_version(%s)", [version_id])


WRITER = """
import sys, psycopg
from tests.corpus import add
with psycopg.connect(sys.argv[1]) as db:
    db.execute("set kb.fold_after = 1")
    for n in range(10_000):
        add(db, f"Womp dralk krib number{n}q.", source=f"text {n % 7}")
        print(n, flush=True)
"""


def test_a_writer_that_is_killed_leaves_no_difference(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    for pause in (0.0, 0.013, 0.031):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, db_url], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        for _ in range(8):
            assert writer.stdout.readline()
        time.sleep(pause)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait(30)
        writer.stdout.close()
        # its last transaction ends with it
        deadline = time.monotonic() + 30
        while value_of(
            db,
            "select count(*) > 1 from pg_stat_activity "
            "where datname = current_database() and backend_type = 'client backend'",
        ):
            db.rollback()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert differences(db) == []
        assert value_of(db, "select chunks > 0 from search.scope_size where scope_id = 0")
