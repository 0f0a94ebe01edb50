"""corpus.publish_tasks: several documents, one transaction, each for itself."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg

from tests.corpus import axis, literal, load_reference, stage
from tests.db.corpus_fixtures import ask, ask_rows

Task = tuple[int, str]


def _ready(
    db: psycopg.Connection[Any], source: str, *, title: str | None = None, embed: bool = True
) -> Task:
    """A staged document that only needs publishing, unless it is not embedded."""
    staged = stage(db, f"Text of {source}. " * 80, source=source, title=title)
    if embed:
        ids = [
            row[0]
            for row in ask_rows(
                db, "select chunk_id from embedding.chunks_to_embed(%s, 1000)", staged["version_id"]
            )
        ]
        db.execute("select embedding.store_vectors(%s, %s)", [ids, [literal(axis(1))] * len(ids)])
    return staged["task_id"], staged["lease_token"]


def _publish(db: psycopg.Connection[Any], tasks: list[Task]) -> dict[int, tuple[str, str | None]]:
    rows = ask_rows(
        db,
        "select task_id, outcome, failure from corpus.publish_tasks(%s, %s::uuid[])",
        [task for task, _ in tasks],
        [token for _, token in tasks],
    )
    return {task: (outcome, failure) for task, outcome, failure in rows}


def _states(db: psycopg.Connection[Any]) -> Counter[str]:
    return Counter(row[0] for row in ask_rows(db, "select state from corpus.version"))


def test_several_are_published_and_their_tasks_are_done(reference: psycopg.Connection) -> None:
    tasks = [_ready(reference, f"{name}.txt") for name in "abc"]
    assert {row[0] for row in _publish(reference, tasks).values()} == {"published"}
    assert _states(reference) == {"published": 3}
    assert ask(reference, "select count(*) from queue.task") == 0


def test_who_lost_the_task_publishes_nothing_and_the_others_do(
    reference: psycopg.Connection,
) -> None:
    """A slow worker: another has the task, a third was called off, a fourth is done."""
    mine, taken, off, done = (_ready(reference, f"{name}.txt") for name in "abcd")
    reference.execute(
        "update queue.task set lease_token = gen_random_uuid() where task_id = %s", taken[:1]
    )
    reference.execute("select queue.cancel_task(%s)", off[:1])
    reference.execute("select queue.finish_task(%s, %s::uuid)", done)
    outcomes = _publish(reference, [taken, off, mine, done])
    assert {task: row[0] for task, row in outcomes.items()} == {
        mine[0]: "published",
        taken[0]: "lost",
        off[0]: "lost",
        done[0]: "lost",
    }
    assert _states(reference) == {"published": 1, "staged": 3}


def test_one_that_fails_goes_back_with_its_reason_and_stops_nobody(
    reference: psycopg.Connection,
) -> None:
    """J-02"""
    good, bad, other = (_ready(reference, f"{name}.txt", embed=name != "b") for name in "abc")
    outcomes = _publish(reference, [good, bad, other])
    assert [outcomes[task][0] for task, _ in (good, bad, other)] == [
        "published",
        "failed",
        "published",
    ]
    assert "no vector" in (outcomes[bad[0]][1] or "")
    assert ask_rows(reference, "select task_id, claimed_by, last_error from queue.task") == [
        (bad[0], None, outcomes[bad[0]][1])
    ]
    assert _states(reference) == {"published": 2, "staged": 1}


def test_two_of_one_title_in_one_call_leave_one(reference: psycopg.Connection) -> None:
    tasks = [_ready(reference, f"{name}.txt", title="Panel policy") for name in "ab"]
    assert {row[0] for row in _publish(reference, tasks).values()} == {"published"}
    assert _states(reference) == {"published": 1, "superseded": 1}


def _written(db: psycopg.Connection, table: str) -> int:
    """Rows this transaction has put into a table."""
    rows: int = ask(
        db, "select pg_stat_get_xact_tuples_inserted(%s::regclass)", f"embedding.{table}"
    )
    return rows


def test_what_is_replaced_in_the_same_call_never_reaches_the_vector_index(
    reference: psycopg.Connection,
) -> None:
    tasks = [_ready(reference, f"{name}.txt", title="Panel policy") for name in "abc"]
    chunks = ask(reference, "select count(*) from embedding.cold_vector")
    before = _written(reference, "vector_1")
    _publish(reference, tasks)
    assert _written(reference, "vector_1") - before == chunks / 3


def test_documents_published_together_note_a_word_once(reference: psycopg.Connection) -> None:
    tasks = [_ready(reference, f"{name}.txt") for name in "abc"]
    _publish(reference, tasks)
    assert ask_rows(reference, "select chunks from search.lexeme_delta where lexeme = 'text'") == [
        (ask(reference, "select count(*) from corpus.chunk"),)
    ]


def test_when_one_fails_the_others_are_searched_with_texts_and_vectors(
    reference: psycopg.Connection,
) -> None:
    tasks = [_ready(reference, f"{name}.txt", embed=name != "b") for name in "abc"]
    _publish(reference, tasks)
    live = "select count(*) from corpus.chunk as c inner join corpus.version as v"
    live += " on c.version_id = v.version_id where v.state = 'published'"
    chunks = ask(reference, live)
    assert chunks == ask(reference, "select count(*) from search.text_index")
    assert chunks == ask(reference, "select count(*) from embedding.vector")
    assert ask(reference, "select count(*) from embedding.cold_vector") == 0


def test_no_tasks_is_no_work(reference: psycopg.Connection) -> None:
    assert _publish(reference, []) == {}


def test_publishers_of_the_same_titles_in_any_order_and_a_curator_never_deadlock(
    db: psycopg.Connection, db_url: str
) -> None:
    """J-03"""
    load_reference(db)
    drawn = random.Random(3)  # noqa: S311 - the same orders each time
    titles = [f"Subject {letter}{letter}{letter}" for letter in "abcdef"]
    rounds, publishers = 5, 3
    start = Barrier(publishers + 1)
    orders = [[drawn.sample(titles, len(titles)) for _ in range(publishers)] for _ in range(rounds)]

    def publish(number: int) -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            for turn in range(rounds):
                tasks = [
                    _ready(own, f"{title}-{number}-{turn}.txt", title=title)
                    for title in orders[turn][number]
                ]
                start.wait(30)
                outcomes = _publish(own, tasks)
                assert {row[0] for row in outcomes.values()} == {"published"}

    def curate() -> None:
        with psycopg.connect(db_url, autocommit=True) as own:
            for _ in range(rounds):
                start.wait(30)
                for _ in range(3):
                    try:
                        own.execute(
                            "select corpus.set_status((select array_agg(f.chunk_id)"
                            " from corpus.chunk_fact as f where f.status = 'pending'), 'approved')"
                            " where exists (select from corpus.chunk_fact where status = 'pending')"
                        )
                    except psycopg.Error as error:
                        # superseded meanwhile: refused, and that is all
                        if error.sqlstate != "KB013":
                            raise

    with ThreadPoolExecutor(publishers + 1) as pool:
        running = [pool.submit(publish, number) for number in range(publishers)]
        running.append(pool.submit(curate))
        for one in running:
            one.result(60)
    states = _states(db)
    assert states["published"] == len(titles)
    assert states.total() == rounds * publishers * len(titles)
    assert ask(db, "select count(*) from queue.task") == 0
