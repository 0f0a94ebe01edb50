"""embedding.chunks_to_embed: only what was never embedded goes to the model."""

from typing import Any

import psycopg

from tests.corpus import add, axis, literal, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused

KEPT = "A paragraph that stays as it is. " * 30
CHANGED = "A paragraph that was changed. " * 33


def _missing(db: psycopg.Connection, version_id: int, *more: Any) -> list[tuple[Any, ...]]:
    given = [version_id, *more, *[64, None][len(more) :]]
    return ask_rows(db, "select * from embedding.chunks_to_embed(%s, %s, %s)", *given)


def test_the_text_for_the_model_begins_with_the_title(reference: psycopg.Connection) -> None:
    staged = stage(reference, KEPT, source="a.txt", title="SEND Policy")
    ((_, text),) = _missing(reference, staged["version_id"])
    assert text == f"SEND Policy\n{KEPT.strip()}"


def test_chunks_come_in_batches_in_order_until_none_is_left(
    reference: psycopg.Connection,
) -> None:
    body = " ".join(f"Sentence number {number}." for number in range(400))
    staged = stage(reference, body, source="a.txt")
    seen = []
    while batch := _missing(reference, staged["version_id"], 3):
        assert len(batch) <= 3
        ids = [row[0] for row in batch]
        seen += ids
        reference.execute(
            "select embedding.store_vectors(%s, %s)", [ids, [literal(axis(1))] * len(ids)]
        )
    assert seen == sorted(seen)
    assert len(seen) == staged["chunk_count"] > 6


def test_an_unchanged_paragraph_is_not_embedded_again(reference: psycopg.Connection) -> None:
    body = f"{KEPT}\n\n{KEPT}"
    reference.execute("set local kb.chunk_overlap = 0")
    first = add(reference, body, source="a.txt", title="Rules", vector=axis(5))
    second = stage(reference, f"{KEPT}\n\n{CHANGED}", source="a.txt", title="Rules")
    missing = _missing(reference, second["version_id"])
    assert [text for _, text in missing] == [f"Rules\n{CHANGED.strip()}"]
    assert ask(
        reference,
        "select k.embedding = v.embedding from embedding.cold_vector as k, embedding.vector as v "
        "where v.chunk_id = %s",
        first.chunk_ids[0],
    )


def test_equal_passages_of_one_version_are_embedded_once(reference: psycopg.Connection) -> None:
    reference.execute("set local kb.chunk_overlap = 0")
    staged = stage(reference, f"{KEPT}\n\n{KEPT}\n\n{KEPT}", source="a.txt")
    (first, *_), *_ = _missing(reference, staged["version_id"])
    reference.execute("select embedding.store_vectors(%s, %s)", [[first], [literal(axis(1))]])
    assert _missing(reference, staged["version_id"]) == []


def test_equal_text_of_another_document_is_reused_and_under_another_title_is_not(
    reference: psycopg.Connection,
) -> None:
    add(reference, KEPT, source="a.txt", title="Rules", la_code="E08000025")
    same = stage(reference, KEPT, source="b.txt", title="Rules", la_code="E10000016")
    assert _missing(reference, same["version_id"]) == []
    other = stage(reference, KEPT, source="c.txt", title="Other rules")
    assert len(_missing(reference, other["version_id"])) == 1


def test_the_vector_of_a_superseded_text_is_reused_when_it_comes_back(
    reference: psycopg.Connection,
) -> None:
    add(reference, KEPT, source="a.txt", title="Rules")
    add(reference, CHANGED, source="a.txt", title="Rules")
    back = stage(reference, KEPT, source="a.txt", title="Rules")
    assert _missing(reference, back["version_id"]) == []


def test_vectors_of_another_set_are_not_reused(reference: psycopg.Connection) -> None:
    first = add(reference, KEPT, source="a.txt", title="Rules")
    assert len(_missing(reference, first.version_id, 64, "openai-3-large")) == 1
    same = stage(reference, KEPT, source="b.txt", title="Rules", la_code="E10000016")
    assert len(_missing(reference, same["version_id"], 64, "openai-3-large")) == 1
    assert _missing(reference, same["version_id"]) == []


def test_a_published_version_lacks_only_the_vectors_of_the_new_set(
    reference: psycopg.Connection,
) -> None:
    first = add(reference, KEPT, source="a.txt")
    assert _missing(reference, first.version_id) == []
    assert ask(reference, "select count(*) from embedding.cold_vector") == 0


def test_an_unknown_version_or_set_is_refused(reference: psycopg.Connection) -> None:
    with refused(reference, "KB009", "4711"):
        _missing(reference, 4711)
    with refused(reference, "VE005", "word2vec"):
        _missing(reference, 4711, 64, "word2vec")
