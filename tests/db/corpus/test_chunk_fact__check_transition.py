"""The trigger corpus.chunk_fact__check_transition: no statement goes round the edges."""

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows, refused


def test_a_plain_update_keeps_to_the_edges_too(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = 'rejected'")
    with refused(reference, "KB013", "from rejected to flagged"):
        reference.execute("update corpus.chunk_fact set status = 'flagged'")
    assert ask(reference, "select status from corpus.chunk_fact") == "rejected"


def test_an_edge_that_is_taken_out_of_the_table_is_refused(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("delete from corpus.status_edge where new_status = 'flagged'")
    with refused(reference, "KB013", "from pending to flagged"):
        reference.execute("update corpus.chunk_fact set status = 'flagged'")


def test_nobody_decides_that_a_passage_of_a_published_version_is_superseded(
    reference: psycopg.Connection,
) -> None:
    add(reference, "Some text.", source="a.txt")
    with refused(reference, "KB013", "from pending to superseded", "undo_supersession"):
        reference.execute("update corpus.chunk_fact set status = 'superseded'")


@pytest.mark.parametrize("status", ["pending", "approved", "rejected", "flagged"])
def test_a_passage_of_a_superseded_version_stays_superseded(
    reference: psycopg.Connection, status: str
) -> None:
    old = add(reference, "Some text.", source="a.txt")
    add(reference, "Other text.", source="a.txt")
    with refused(reference, "KB013", f"from superseded to {status}"):
        reference.execute(
            "update corpus.chunk_fact set status = %s where chunk_id = any(%s)",
            [status, old.chunk_ids],
        )


def test_an_update_of_other_facts_is_free(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = status, quality_score = 50")
    assert ask(reference, "select quality_score from corpus.chunk_fact") == 50


def test_who_decided_is_noted_whatever_the_client_claims(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = 'approved', reviewed_by = 'the boss'")
    assert ask_rows(
        reference,
        "select reviewed_by = session_user, reviewed_at is not null from corpus.chunk_fact",
    ) == [(True, True)]
