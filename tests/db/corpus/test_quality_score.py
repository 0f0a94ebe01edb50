"""corpus.quality_score: length, type and tags, 0 to 100."""

import psycopg
import pytest

from tests.corpus import add
from tests.db.corpus_fixtures import ask, ask_rows


@pytest.mark.parametrize(
    ("length", "file_type", "tags", "score"),
    [
        (1000, "pdf", 3, 100),
        (5000, "pdf", 30, 100),
        (1000, "docx", 3, 95),
        (1000, "html", 2, 75),
        (1000, "txt", 1, 70),
        (500, "txt", 0, 35),
        (1, "txt", 0, 15),
        (0, "other", 0, 0),
        (-5, None, -1, 0),
        (None, None, None, 0),
        (250, "pdf", None, 40),
    ],
)
def test_the_score_is_the_sum_of_three_parts(
    reference: psycopg.Connection,
    length: int | None,
    file_type: str | None,
    tags: int | None,
    score: int,
) -> None:
    assert ask(reference, "select corpus.quality_score(%s, %s, %s)", length, file_type, tags) == (
        score
    )


def test_a_passage_of_the_chunk_size_in_force_has_full_length(
    reference: psycopg.Connection,
) -> None:
    assert ask(reference, "select corpus.quality_score(500, 'txt', 0, 500)") == 55
    assert ask(reference, "select corpus.quality_score(500, 'txt', 0, 0)") == 55


def test_it_is_stored_follows_the_tags_whoever_changes_them_and_can_be_asked_for(
    reference: psycopg.Connection,
) -> None:
    added = add(reference, "x" * 1000, source="a.txt", tags=["ehcp"])
    query = "select quality_score, id from knowledge_base where quality_score >= 70"
    assert ask_rows(reference, query) == [(70, added.chunk_ids[0])]
    reference.execute("update corpus.chunk_fact set tags = '{ehcp,transport,exclusion}'")
    assert ask_rows(reference, query) == [(85, added.chunk_ids[0])]
    reference.execute("update corpus.chunk_fact set tags = '{}'")
    assert ask_rows(reference, query) == []
