"""The trigger corpus.chunk_fact__check_transition: no statement goes round the edges."""

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import ask, refused


def test_a_plain_update_keeps_to_the_edges_too(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = 'rejected'")
    with refused(reference, "KB013", "from rejected to flagged"):
        reference.execute("update corpus.chunk_fact set status = 'flagged'")
    assert ask(reference, "select status from corpus.chunk_fact") == "rejected"


@pytest.mark.parametrize("status", ["pending", "approved", "rejected", "flagged"])
def test_superseded_is_final(reference: psycopg.Connection, status: str) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = 'superseded'")
    with refused(reference, "KB013", f"from superseded to {status}"):
        reference.execute("update corpus.chunk_fact set status = %s", [status])


def test_an_update_of_other_facts_is_free(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    reference.execute("update corpus.chunk_fact set status = status, quality_score = 50")
    assert ask(reference, "select quality_score from corpus.chunk_fact") == 50
