"""search.assemble: rule 11, the answer from what was kept."""

import random
import re
from typing import Any

import psycopg
import pytest

from tests.corpus import Added, add
from tests.db.search.hits import ranked
from tests.rows import Row, array_of, rows_of, value_of

VISIBLE = ["approved", "pending"]


def assemble(
    db: psycopg.Connection[Any],
    *hits: Row,
    top_k: int = 10,
    statuses: list[str] | None = None,
) -> list[Row]:
    known = {
        chunk: (document, version)
        for chunk, document, version in db.execute(
            "select chunk_id, document_id, version_id from corpus.chunk"
        )
    }
    full = [
        hit | dict(zip(("document_id", "version_id"), known[hit["chunk_id"]], strict=True))
        for hit in hits
    ]
    return rows_of(
        db,
        "search.assemble({hits}, %s, %s)",
        [statuses or VISIBLE, top_k],
        hits=array_of("search.ranked_hit", full),
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
    (row,) = assemble(kb, ranked(new.chunk_ids[0]), statuses=[*VISIBLE, "superseded"])
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


def test_at_most_three_chunks_of_a_document_the_best_ones(kb: psycopg.Connection[Any]) -> None:
    _, many = document(kb, size=200, overlap=0)
    other = add(kb, "Another document.", source="other")
    hits = [ranked(c, score=0.5 + n / 100) for n, c in enumerate(many.chunk_ids)]
    rows = assemble(kb, *hits, ranked(other.chunk_ids[0], score=0.1))
    assert ids(rows) == [*reversed(many.chunk_ids[-3:]), *other.chunk_ids]
    kb.execute("set local kb.max_chunks_per_document = 1")
    assert ids(assemble(kb, *hits)) == [many.chunk_ids[-1]]


def test_equal_texts_are_one_row_the_best_ranked(kb: psycopg.Connection[Any]) -> None:
    text = "The same words in four places."
    national = add(kb, text, source="a").chunk_ids[0]
    la = add(kb, text, source="a", la_code="E08000025").chunk_ids[0]
    school = add(kb, text, source="a", school_urn="990001").chunk_ids[0]
    shared = add(kb, text, source="a", owner="ann").chunk_ids[0]
    rows = assemble(
        kb,
        ranked(national, score=0.2),
        ranked(la, score=0.4),
        ranked(school, score=0.3),
        ranked(shared, score=0.1),
    )
    assert ids(rows) == [la]
    tied = [ranked(c, score=0.2) for c in (shared, school, la, national)]
    assert ids(assemble(kb, *tied)) == [min(national, la, school, shared)]


def test_a_duplicate_does_not_use_up_a_place_of_its_document(kb: psycopg.Connection[Any]) -> None:
    _, many = document(kb, size=200, overlap=0)
    text = value_of(kb, "select content from corpus.chunk where chunk_id = %s", [many.chunk_ids[0]])
    copy = add(kb, text, source="copy", la_code="E10000016").chunk_ids[0]
    hits = [ranked(c, score=0.5 - n / 100) for n, c in enumerate(many.chunk_ids[:4])]
    rows = assemble(kb, *hits, ranked(copy, score=0.9))
    assert ids(rows) == [copy, *many.chunk_ids[1:4]]


def texts(db: psycopg.Connection[Any], count: int, **facts: Any) -> list[int]:
    name = facts.get("school_urn", "national")
    return [
        add(db, f"Text {n} of {name}.", source=f"{name} {n}q", **facts).chunk_ids[0]
        for n in range(count)
    ]


def test_the_best_top_k_come_best_first(kb: psycopg.Connection[Any]) -> None:
    chunks = texts(kb, 6)
    hits = [ranked(c, score=n / 100) for n, c in enumerate(chunks)]
    assert ids(assemble(kb, *hits, top_k=4)) == [*reversed(chunks)][:4]
    assert ids(assemble(kb, *hits, top_k=100)) == [*reversed(chunks)]


def test_equal_scores_come_in_the_order_of_their_ids(kb: psycopg.Connection[Any]) -> None:
    chunks = texts(kb, 5)
    hits = [ranked(c) for c in (chunks[3], chunks[0], chunks[4], chunks[1], chunks[2])]
    assert ids(assemble(kb, *hits)) == chunks
    assert ids(assemble(kb, *hits, top_k=2)) == chunks[:2]


def test_what_was_brought_in_for_the_school_keeps_its_place(kb: psycopg.Connection[Any]) -> None:
    national = texts(kb, 8)
    school = texts(kb, 3, school_urn="990001")
    hits = [ranked(c, score=0.5 - n / 100) for n, c in enumerate(national)]
    brought = [
        ranked(c, scope="school", school_boosted=True, score=0.01 - n / 1000)
        for n, c in enumerate(school)
    ]
    rows = assemble(kb, *hits, *brought, top_k=8)
    assert ids(rows) == [*national[:5], *school]
    assert [row["school_boosted"] for row in rows] == [False] * 5 + [True] * 3


@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 5])
def test_what_was_brought_in_takes_half_of_a_short_answer_at_most(
    kb: psycopg.Connection[Any], top_k: int
) -> None:
    national = texts(kb, 8)
    school = texts(kb, 3, school_urn="990001")
    hits = [ranked(c, score=0.5 - n / 100) for n, c in enumerate(national)]
    brought = [ranked(c, scope="school", school_boosted=True, score=0.01) for c in school]
    rows = assemble(kb, *hits, *brought, top_k=top_k)
    assert len(rows) == top_k
    assert sum(row["school_boosted"] for row in rows) == top_k // 2
    assert rows[0]["chunk_id"] == national[0]


def test_what_was_brought_in_fills_an_answer_that_has_room(kb: psycopg.Connection[Any]) -> None:
    national = texts(kb, 1)
    school = texts(kb, 3, school_urn="990001")
    brought = [ranked(c, scope="school", school_boosted=True, score=0.001) for c in school]
    assert ids(assemble(kb, ranked(national[0]), *brought, top_k=4)) == [*national, *school]


def test_a_chunk_with_the_very_identifier_keeps_a_place_under_many_similar_ones(
    kb: psycopg.Connection[Any],
) -> None:
    chunks = texts(kb, 12)
    exact = [ranked(c, floor_exempt=True, score=0.01 - n / 1000) for n, c in enumerate(chunks[8:])]
    hits = [ranked(c, score=0.5 - n / 100) for n, c in enumerate(chunks[:8])]
    assert ids(assemble(kb, *hits, *exact, top_k=6)) == [*chunks[:4], *chunks[8:10]]
    assert ids(assemble(kb, *hits, *exact, top_k=3)) == [*chunks[:2], chunks[8]]
    assert ids(assemble(kb, *hits, *exact, top_k=1)) == [chunks[0]]


def test_dropped_candidates_are_left_out(kb: psycopg.Connection[Any]) -> None:
    chunks = texts(kb, 2)
    rows = assemble(kb, ranked(chunks[0], dropped_because="too far"), ranked(chunks[1]))
    assert ids(rows) == [chunks[1]]


def test_no_candidate_is_no_answer(kb: psycopg.Connection[Any]) -> None:
    assert assemble(kb) == []
