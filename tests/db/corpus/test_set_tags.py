"""corpus.set_tags: other topics for passages, and the quality that follows."""

import psycopg
import pytest

from tests.corpus import add, axis, search
from tests.db.corpus_fixtures import ask, ask_rows, refused


def _set(db: psycopg.Connection, ids: list[int], tags: list[str] | None) -> int:
    changed: int = ask(db, "select corpus.set_tags(%s, %s::text[], 'Kim', 'misfiled')", ids, tags)
    return changed


def test_tags_are_replaced_and_the_search_follows(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt", tags=["ehcp"])
    assert _set(reference, added.chunk_ids, [" Transport ", "exclusion", "transport"]) == 1
    (found,) = search(reference, words="text", vector=axis(1), tags=["transport"])
    assert found["tags"] == ["exclusion", "transport"]
    assert not found["topic_fallback_used"]


@pytest.mark.parametrize(
    ("tags", "score"),
    [
        ([], 55),
        (["ehcp"], 70),
        (["ehcp", "transport"], 70),
        (["ehcp", "transport", "exclusion"], 85),
    ],
)
def test_the_quality_follows_the_number_of_tags(
    reference: psycopg.Connection, tags: list[str], score: int
) -> None:
    added = add(reference, "x" * 1000, source="a.txt", tags=["ehcp", "transport"][: not tags])
    _set(reference, added.chunk_ids, tags)
    assert ask(reference, "select quality_score from corpus.chunk_fact") == score


def test_an_unknown_tag_is_refused_and_the_old_tags_stay(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt", tags=["ehcp"])
    with refused(reference, "KB002", "nonsense"):
        _set(reference, added.chunk_ids, ["transport", "nonsense"])
    assert ask(reference, "select tags from corpus.chunk_fact") == ["ehcp"]


def test_one_unknown_chunk_stops_all(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt", tags=["ehcp"])
    with refused(reference, "KB014", "4711", "knowledge_base"):
        _set(reference, [*added.chunk_ids, 4711], ["transport"])
    assert ask(reference, "select tags from corpus.chunk_fact") == ["ehcp"]


def test_a_change_is_audited_and_a_repeat_is_none(reference: psycopg.Connection) -> None:
    added = add(reference, "Some text.", source="a.txt")
    assert _set(reference, added.chunk_ids, ["ehcp"]) == 1
    assert _set(reference, added.chunk_ids, ["ehcp"]) == 0
    assert _set(reference, added.chunk_ids, None) == 1
    told = {"chunks": added.chunk_ids, "reason": "misfiled"}
    assert ask_rows(
        reference,
        "select actor, login = session_user, subject, detail from audit.event "
        "where kind = 'tags_changed' order by event_id",
    ) == [
        ("Kim", True, f"version {added.version_id}", told | {"tags": tags})
        for tags in (["ehcp"], [])
    ]
