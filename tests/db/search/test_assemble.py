"""search.assemble: rule 11, the rows of what was chosen, with their neighbours."""

import random
import re
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.corpus import Added, add
from tests.db.search.hits import ranked
from tests.rows import Row, rows_of

VISIBLE = ["approved", "pending"]


def assemble(
    db: psycopg.Connection[Any],
    *hits: Row,
    statuses: list[str] | None = None,
    **retrieval: Any,
) -> list[Row]:
    """The answer of these chunks, each in the place in which it is named."""
    versions = dict(db.execute("select chunk_id, version_id from corpus.chunk").fetchall())
    documents = dict(db.execute("select chunk_id, document_id from corpus.chunk").fetchall())
    found = retrieval | {
        "request": {"statuses": statuses or VISIBLE} | retrieval.get("request", {}),
        "hits": [
            {"place": n}
            | hit
            | {"version_id": versions[hit["chunk_id"]], "document_id": documents[hit["chunk_id"]]}
            for n, hit in enumerate(hits, start=1)
        ],
    }
    return rows_of(
        db,
        "search.assemble(jsonb_populate_record(null::search.retrieval, %s))",
        [Jsonb(found)],
    )


def ids(rows: list[Row]) -> list[int]:
    return [row["chunk_id"] for row in rows]


def paragraphs(count: int, *, seed: int) -> str:
    """A body of many sentences, no two alike."""
    draw = random.Random(seed)  # noqa: S311 - a text, not a secret
    words = ("panel", "review", "meeting", "plan", "school", "parent", "officer", "letter")
    sentences = [
        f"Point {n}.{m} says that the {draw.choice(words)} and the {draw.choice(words)} "
        f"{draw.choice(('agree', 'differ', 'wait'))}."
        for n in range(count)
        for m in range(draw.randint(1, 6))
    ]
    return re.sub(r"\. Point (\d+)\.0", r".\n\nPoint \1.0", " ".join(sentences))


def document(
    db: psycopg.Connection[Any], *, size: int, overlap: int, seed: int = 1
) -> tuple[str, Added]:
    body = paragraphs(40, seed=seed)
    db.execute("select set_config('kb.chunk_size', %s, true)", [str(size)])
    db.execute("select set_config('kb.chunk_overlap', %s, true)", [str(overlap)])
    added = add(db, body, source=f"text {seed}")
    assert len(added.chunk_ids) >= 4
    return body, added


@pytest.mark.parametrize(("size", "overlap"), [(1000, 200), (300, 0), (400, 150), (200, 100)])
def test_the_context_is_the_passage_with_its_neighbours_as_they_stand_in_the_text(
    kb: psycopg.Connection[Any], size: int, overlap: int
) -> None:
    body, added = document(kb, size=size, overlap=overlap)
    content = dict(kb.execute("select chunk_id, content from corpus.chunk").fetchall())
    for place, chunk in enumerate(added.chunk_ids):
        (row,) = assemble(kb, ranked(chunk))
        # white space between two passages may be one line end instead of two
        assert " ".join(row["context"].split()) in " ".join(body.split())
        first = added.chunk_ids[max(0, place - 1)]
        last = added.chunk_ids[min(len(added.chunk_ids) - 1, place + 1)]
        assert row["context"].startswith(content[first])
        assert row["context"].endswith(content[last])
        assert row["content"] == content[chunk]


def test_words_of_two_passages_do_not_run_together(kb: psycopg.Connection[Any]) -> None:
    _, added = document(kb, size=300, overlap=0)
    (row,) = assemble(kb, ranked(added.chunk_ids[1]))
    assert not re.search(r"\.(?=Point)", row["context"])


def test_a_neighbour_a_curator_took_out_is_not_in_the_context(
    kb: psycopg.Connection[Any],
) -> None:
    _, added = document(kb, size=300, overlap=100)
    before, middle, after = added.chunk_ids[1:4]
    content = dict(kb.execute("select chunk_id, content from corpus.chunk").fetchall())
    kb.execute("select corpus.set_status(%s, 'rejected')", [[before]])
    (row,) = assemble(kb, ranked(middle))
    assert row["context"].startswith(content[middle])
    assert row["context"].endswith(content[after])
    kb.execute("select corpus.set_status(%s, 'flagged')", [[after]])
    (row,) = assemble(kb, ranked(middle))
    assert row["context"] == row["content"] == content[middle]
    kb.execute("select corpus.set_status(%s, 'approved')", [[before]])
    (row,) = assemble(kb, ranked(middle), statuses=["pending"])
    assert row["context"] == content[middle]


def test_a_neighbour_of_another_version_is_not_in_the_context(
    kb: psycopg.Connection[Any],
) -> None:
    _, old = document(kb, size=300, overlap=0)
    new = add(kb, "A new and short text.", source="text 1")
    (row,) = assemble(kb, ranked(new.chunk_ids[0]), request={"as_of": "2030-01-01"})
    assert row["context"] == "A new and short text."
    assert row["version"] == 2
    assert old.document_id == new.document_id


def test_a_neighbour_that_is_in_the_answer_itself_is_not_repeated(
    kb: psycopg.Connection[Any],
) -> None:
    body, added = document(kb, size=300, overlap=100)
    first, second, third = added.chunk_ids[1:4]
    rows = assemble(kb, ranked(first, score=0.3), ranked(second, score=0.2), ranked(third))
    by_id = {row["chunk_id"]: row for row in rows}
    assert by_id[second]["context"] == by_id[second]["content"]
    assert by_id[first]["context"].endswith(by_id[first]["content"])
    assert by_id[third]["context"].startswith(by_id[third]["content"])
    assert body


def test_without_expansion_the_context_is_the_passage(kb: psycopg.Connection[Any]) -> None:
    _, added = document(kb, size=300, overlap=100)
    kb.execute("set local kb.chunk_expansion_enabled = off")
    (row,) = assemble(kb, ranked(added.chunk_ids[1]))
    assert row["context"] == row["content"]


def texts(db: psycopg.Connection[Any], count: int) -> list[int]:
    return [add(db, f"Text {n}.", source=f"text {n}q").chunk_ids[0] for n in range(count)]


def test_rows_come_in_their_places(kb: psycopg.Connection[Any]) -> None:
    first, second, third = texts(kb, 3)
    rows = assemble(kb, ranked(second, place=2), ranked(third, place=3), ranked(first, place=1))
    assert ids(rows) == [first, second, third]


def test_what_has_no_place_is_left_out(kb: psycopg.Connection[Any]) -> None:
    first, second = texts(kb, 2)
    rows = assemble(kb, ranked(first, place=None, dropped_because="too far"), ranked(second))
    assert ids(rows) == [second]


def test_every_row_carries_the_flags(kb: psycopg.Connection[Any]) -> None:
    rows = assemble(
        kb,
        *map(ranked, texts(kb, 2)),
        topic_fallback_used=True,
        no_la_broad_fallback_used=False,
    )
    assert [(r["topic_fallback_used"], r["no_la_broad_fallback_used"]) for r in rows] == [
        (True, False)
    ] * 2


def test_no_candidate_is_no_answer(kb: psycopg.Connection[Any]) -> None:
    assert assemble(kb) == []
