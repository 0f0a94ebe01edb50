"""embedding.claim_chunks, store_filled and release_chunks: each text is embedded once."""

import time

import psycopg
import pytest

from tests.corpus import add, load_reference
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.embedding.filling import SMALL, add_small, claim, progress, start, store

BODY = " ".join(f"The tribunal hears appeal number {n} about the plan." for n in range(160))


def _over(db: psycopg.Connection) -> bool:
    over: bool = ask(db, "select embedding.fill_is_over(%s)", SMALL)
    return over


def _wait_for_end_of(db: psycopg.Connection, pid: int) -> None:
    """A closed connection's server process ends a moment after the client has gone."""
    for _ in range(600):
        alive = ask(db, "select exists (select from pg_stat_activity where pid = %s)", pid)
        db.commit()  # activity is read once per transaction
        if not alive:
            return
        time.sleep(0.05)
    pytest.fail(f"server process {pid} is still there after 30 s")


@pytest.fixture
def filling(reference: psycopg.Connection) -> psycopg.Connection:
    """A set of which eight chunks or so wait."""
    add(reference, BODY, source="a.txt")
    add_small(reference)
    assert start(reference) >= 8
    return reference


def test_a_claimed_chunk_is_not_claimed_again(filling: psycopg.Connection) -> None:
    first, second = claim(filling, 3), claim(filling, 3)
    assert len(first) == len(second) == 3
    assert not set(first) & set(second)
    assert progress(filling)["held"] == 6


def test_a_claim_hands_out_what_the_model_is_given(filling: psycopg.Connection) -> None:
    ((text,),) = ask_rows(
        filling, "select embedding_text from embedding.claim_chunks(%s, 1)", SMALL
    )
    assert text.startswith("a.txt\nThe tribunal")


def test_equal_texts_are_embedded_once(reference: psycopg.Connection) -> None:
    for la_code in ("E08000025", "E10000016"):
        add(reference, "The same text.", source="s", title="Same", la_code=la_code)
    key = add_small(reference)
    assert start(reference) == 2
    assert len(claim(reference)) == 1, "both are claimed, one is handed out"
    assert claim(reference) == []
    ((chunk,),) = ask_rows(reference, "select min(chunk_id) from embedding.wanted_vector")
    assert store(reference, [chunk]) == 2
    assert _over(reference)
    add(reference, "The same text.", source="t", title="Same", la_code=None)
    assert claim(reference) == [], "its vector is known"
    assert _over(reference)
    rows = ask_rows(
        reference, "select distinct embedding::text from embedding.vector where set_id = %s", key
    )
    assert len(rows) == 1
    assert ask_rows(reference, "select embedded, reused from embedding.fill_batch order by 1") == [
        (0, 1),
        (1, 1),
    ]


def test_a_released_chunk_is_claimed_again_after_its_pause(filling: psycopg.Connection) -> None:
    ids = claim(filling, 100)
    assert claim(filling) == []
    filling.execute("select embedding.release_chunks(%s, %s, 'busy')", [SMALL, ids[:2]])
    assert sorted(claim(filling)) == sorted(ids[:2])
    filling.execute("select embedding.release_chunks(%s, %s, 'busy', '1 hour')", [SMALL, ids[:2]])
    assert claim(filling) == []
    assert not _over(filling)


def test_a_chunk_given_up_is_not_claimed_until_the_fill_is_started_again(
    filling: psycopg.Connection,
) -> None:
    ids = claim(filling, 100)
    filling.execute("select embedding.release_chunks(%s, %s, 'bad', final => true)", [SMALL, ids])
    assert claim(filling) == []
    assert _over(filling)
    assert (progress(filling)["failed"], progress(filling)["last_error"]) == (len(ids), "bad")
    start(filling)
    assert sorted(claim(filling, 100)) == sorted(ids)


def test_what_another_worker_holds_is_not_released(db: psycopg.Connection, db_url: str) -> None:
    load_reference(db)
    add(db, BODY, source="a.txt")
    add_small(db)
    start(db)
    db.commit()
    with psycopg.connect(db_url, autocommit=True) as other:
        pid = other.info.backend_pid
        ids = claim(other)
        db.execute("select embedding.release_chunks(%s, %s, 'mine?')", [SMALL, ids])
        assert claim(db) == []
        db.commit()
    _wait_for_end_of(db, pid)
    # the other connection has ended, and with it its claim
    assert sorted(claim(db)) == sorted(ids)


def test_two_workers_claiming_at_once_share_the_chunks(db: psycopg.Connection, db_url: str) -> None:
    load_reference(db)
    add(db, BODY, source="a.txt")
    add_small(db)
    start(db)
    db.commit()
    with psycopg.connect(db_url) as other:
        first = claim(db, 3)  # not committed: rows are locked
        second = claim(other, 3)
    assert len(first) == len(second) == 3
    assert not set(first) & set(second)


def test_a_chunk_that_never_comes_back_is_given_up_at_the_ninth_claim(
    filling: psycopg.Connection,
) -> None:
    for _ in range(8):
        assert claim(filling, 100)
        filling.execute("update embedding.wanted_vector set ready_at = now() - interval '1 s'")
    assert claim(filling, 100) == []
    assert _over(filling)
    assert "eight times" in str(progress(filling)["last_error"])


def test_a_document_withdrawn_meanwhile_gets_its_vector_where_it_is_now(
    filling: psycopg.Connection,
) -> None:
    ids = claim(filling, 100)
    add(filling, "Something else.", source="a.txt")
    store(filling, ids)
    assert ask(
        filling,
        "select count(*) from embedding.cold_vector as k join embedding.set as s using (set_id)"
        " where s.name = %s",
        SMALL,
    ) == len(ids)


def test_a_late_worker_stores_what_is_there_already_without_harm(
    filling: psycopg.Connection,
) -> None:
    ids = claim(filling, 2)
    assert store(filling, ids) == 2
    store(filling, ids, dimension=2)
    assert ask_rows(
        filling,
        "select distinct v.embedding::text from embedding.vector as v join embedding.set as s"
        " using (set_id) where s.name = %s",
        SMALL,
    ) == [("[0,1,0,0,0,0,0,0]",)]


@pytest.mark.parametrize(
    ("count", "numbers", "code"),
    [
        (2, [1.0] * 8, "VE002"),
        (2, [1.0] * 15, "VE007"),
        (2, [1.0] * 8 + [0.0] * 8, "VE001"),
        (2, [1.0] * 15 + [float("nan")], "VE003"),
        (2, None, "VE007"),
        (None, [], "VE007"),
        (None, None, "VE007"),
    ],
)
def test_what_is_no_vector_for_each_is_refused_and_the_chunks_still_wait(
    filling: psycopg.Connection, count: int | None, numbers: list[float] | None, code: str
) -> None:
    held = claim(filling, 2)
    with refused(filling, code):
        filling.execute(
            "select embedding.store_filled(%s, %s::bigint[], %s::real[])",
            [SMALL, held if count else None, numbers],
        )
    assert ask(filling, "select count(*) from embedding.fill_batch") == 0
    assert progress(filling)["held"] == 2
    assert store(filling, held) == 2


def test_a_vector_that_is_known_is_taken_over_to_the_last_bit(
    reference: psycopg.Connection,
) -> None:
    add(reference, "The same text.", source="s", title="Same", la_code="E08000025")
    add_small(reference)
    start(reference)
    (chunk,) = claim(reference)
    reference.execute(
        "select embedding.store_filled(%s, %s, %s::real[])",
        [SMALL, [chunk], [0.1, -0.7, 0.3, 0.011, 5.0, -2.5, 0.9, 0.0003]],
    )
    add(reference, "The same text.", source="t", title="Same", la_code="E10000016")
    assert claim(reference) == []
    same = (
        "select count(*), count(distinct v.embedding) from embedding.vector as v"
        " join embedding.set as s using (set_id) where s.name = %s"
    )
    assert ask_rows(reference, same, SMALL) == [(2, 1)]


def test_batches_and_leases_out_of_range_are_refused(filling: psycopg.Connection) -> None:
    for batch, lease in (
        (0, "1 minute"),
        (2049, "1 minute"),
        (None, "1 minute"),
        (1, "0"),
        (1, None),
    ):
        with refused(filling, "QU001"):
            filling.execute("select embedding.claim_chunks(%s, %s, %s)", [SMALL, batch, lease])
