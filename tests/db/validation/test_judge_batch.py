"""validation.judge_batch: whole or not at all, five at a time, and only what is undecided."""

from uuid import uuid4

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.roles import role

KENT, BARNSLEY, OLD_BARNSLEY, CUMBRIA = "E10000016", "E08000038", "E08000016", "E10000006"


def start(db: psycopg.Connection, **options: object) -> int:
    """A run."""
    return int(
        ask(
            db,
            "select validation.start_run(dry_run => %s, la => %s, threshold => %s, actor => 'Kim')",
            options.get("dry_run", False),
            options.get("la"),
            options.get("threshold", 0.5),
        )
    )


def queued(db: psycopg.Connection) -> list[int]:
    """Positions of the batches that are in the queue."""
    return [
        position
        for (position,) in ask_rows(
            db,
            "select b.position from queue.task as t join validation.batch as b"
            " on t.kind = 'validate_batch' and t.subject_id = b.batch_id order by 1",
        )
    ]


def work(db: psycopg.Connection) -> int | None:
    """Claim a batch and judge it, as a worker does."""
    task = ask_rows(
        db,
        "select task_id, subject_id, lease_token from queue.claim_tasks(worker => 'w',"
        " batch_size => 1, kinds => '{validate_batch}')",
    )
    with role(db, "pgkb_ingest"):
        judged = ask(
            db,
            "select validation.judge_batch(batch_id => %s, task_id => %s, lease_token => %s)",
            task[0][1],
            task[0][0],
            task[0][2],
        )
    return None if judged is None else int(judged)


def many(db: psycopg.Connection, count: int) -> None:
    """So many documents of a passage each, published without a text of their own to index."""
    db.execute(
        "insert into corpus.document (scope_id, source, source_family)"
        " select corpus.scope_for(%s), 'd' || n, 'upload' from generate_series(1, %s) as n",
        [KENT, count],
    )
    db.execute(
        "insert into corpus.version (document_id, version, title, content_hash, file_type, state)"
        " select document_id, 1, source, sha256(source::bytea), 'txt', 'published'"
        " from corpus.document where source like 'd%'"
    )
    db.execute(
        "insert into corpus.chunk (version_id, document_id, scope_id, chunk_index, start_at,"
        " content, content_hash, embedding_hash)"
        " select v.version_id, d.document_id, d.scope_id, 0, 0, d.source, v.content_hash,"
        " v.content_hash from corpus.version as v join corpus.document as d using (document_id)"
        " where d.source like 'd%'"
    )
    db.execute(
        "insert into corpus.chunk_fact (chunk_id, scope_id)"
        " select c.chunk_id, c.scope_id from corpus.chunk as c"
        " where not exists (select from corpus.chunk_fact as f where f.chunk_id = c.chunk_id)"
    )


def test_five_batches_of_fifty_at_a_time_until_all_are_judged(
    reference: psycopg.Connection,
) -> None:
    many(reference, 351)
    run = start(reference, dry_run=True)
    sizes = ask_rows(
        reference,
        "select cardinality(document_ids) from validation.batch where run_id = %s"
        " order by position",
        run,
    )
    assert [size for (size,) in sizes] == [50] * 7 + [1]
    assert queued(reference) == [1, 2, 3, 4, 5]
    assert work(reference) == 50
    assert queued(reference) == [2, 3, 4, 5, 6]
    for _ in range(7):
        assert ask(reference, "select finished_at is null from validation.run")
        work(reference)
    assert queued(reference) == []
    assert ask_rows(
        reference,
        "select done, batches, batches_judged, documents, judged, changed"
        " from validation.run_status()",
    ) == [(True, 8, 8, 351, 351, 0)]


def test_a_run_of_nothing_is_finished(reference: psycopg.Connection) -> None:
    run = start(reference)
    assert ask(reference, "select done from validation.run_status(%s)", run) is True


def test_only_undecided_passages_move_and_each_move_says_who_and_why(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, "words of a passage " * 200, source="a.txt", la_code=KENT)
    rejected, *undecided = added.chunk_ids
    reference.execute("select corpus.set_status(%s::bigint[], 'rejected')", [[rejected]])
    start(reference, threshold=0)
    work(reference)
    assert ask_rows(
        reference,
        "select status, count(*) from corpus.chunk_fact where chunk_id = any(%s) group by 1"
        " order by 1",
        added.chunk_ids,
    ) == [("approved", len(undecided)), ("rejected", 1)]
    assert ask(
        reference,
        "select count(*) > 0 from audit.event where actor = 'Kim'"
        " and detail ->> 'reason' like 'validation run%%confidence%%'",
    )


def test_what_was_decided_or_replaced_meanwhile_is_left(reference: psycopg.Connection) -> None:
    decided = add(reference, "one text", source="a.txt", la_code=KENT)
    replaced = add(reference, "an older text", source="b.txt", title="Old plan", la_code=KENT)
    successor = add(reference, "a newer text", source="c.txt", title="Other", la_code=KENT)
    start(reference, threshold=1)
    reference.execute("select corpus.set_status(%s::bigint[], 'approved')", [decided.chunk_ids])
    reference.execute(
        "select corpus.supersede(%s, %s)", [replaced.document_id, successor.document_id]
    )
    work(reference)
    assert ask_rows(
        reference,
        "select document_id, verdict, reason from validation.verdict order by document_id",
    )[:2] == [
        (decided.document_id, "leave", "people have decided on all of its passages"),
        (replaced.document_id, "leave", "no version of it is published any more"),
    ]
    states = ask_rows(
        reference,
        "select distinct status from corpus.chunk_fact where chunk_id = any(%s) order by 1",
        decided.chunk_ids + replaced.chunk_ids,
    )
    assert states == [("approved",), ("superseded",)]


def test_a_worker_that_lost_its_task_judges_nothing(reference: psycopg.Connection) -> None:
    add(reference, "one text", source="a.txt", la_code=KENT)
    start(reference)
    batch, task = ask_rows(reference, "select subject_id, task_id from queue.task"
                           " where kind = 'validate_batch'")[0]  # fmt: skip
    assert ask(reference, "select validation.judge_batch(%s, %s, %s)", batch, task, uuid4()) is None
    assert ask(reference, "select count(*) from validation.verdict") == 0
    assert queued(reference) == [1]


@pytest.mark.parametrize(("la", "expected"), [(BARNSLEY, 1), (OLD_BARNSLEY, 1), (CUMBRIA, 0)])
def test_an_authority_is_meant_under_every_code_it_had(
    reference: psycopg.Connection, la: str, expected: int
) -> None:
    add(reference, "one text", source="a.txt", la_code=OLD_BARNSLEY)
    run = start(reference, la=la)
    assert ask(reference, "select documents from validation.run where run_id = %s", run) == expected


def test_a_threshold_that_is_no_share_is_refused(reference: psycopg.Connection) -> None:
    for threshold in (None, -0.1, 1.1, float("nan")):
        with refused(reference, "VA001"):
            start(reference, threshold=threshold)
    with refused(reference, "VA002"):
        ask(reference, "select done from validation.run_status(%s::bigint)", -1)


def test_a_worker_may_judge_what_was_asked_for_and_decide_nothing_itself(
    reference: psycopg.Connection,
) -> None:
    for statement in (
        "select validation.start_run()",
        "select validation.judge_document(null, 1)",
        "insert into validation.verdict (run_id, document_id, verdict, reason)"
        " values (1, 1, 'approve', '')",
    ):
        with (
            role(reference, "pgkb_ingest"),
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            reference.transaction(),
        ):
            reference.execute(statement)
