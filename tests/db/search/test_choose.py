"""search.choose: rule 11, which kept candidates are the answer, and why the others are not."""

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.db.search.hits import ranked
from tests.rows import Row, array_of, rows_of


def hit(
    chunk_id: int, *, text: str | None = None, document: int | None = None, **facts: Any
) -> Row:
    """A candidate; `text` and `document` make it share them with others."""
    if text is not None:
        facts["content_hash"] = f"\\x{text.encode().hex()}"
    if document is not None:
        facts["document_id"] = document
    return ranked(chunk_id, **facts)


def choose(
    db: psycopg.Connection[Any], *hits: Row, top_k: int = 10, per_document: int = 3
) -> list[Row]:
    rows = rows_of(
        db,
        "search.choose({hits}, %s, %s)",
        [top_k, per_document],
        hits=array_of("search.ranked_hit", hits),
    )
    assert sorted(r["chunk_id"] for r in rows) == sorted(h["chunk_id"] for h in hits)
    for row in rows:
        assert (row["place"] is None) == (row["dropped_at"] is not None), row
        assert (row["place"] is None) == (row["dropped_because"] is not None), row
    return rows


def answer(rows: list[Row]) -> list[int]:
    placed = [row for row in rows if row["place"] is not None]
    assert [row["place"] for row in placed] == list(range(1, len(placed) + 1))
    assert rows[: len(placed)] == placed, "the answer comes first"
    return [row["chunk_id"] for row in placed]


def dropped(rows: list[Row]) -> dict[int, tuple[str, str]]:
    return {
        r["chunk_id"]: (r["dropped_at"], r["dropped_because"]) for r in rows if r["place"] is None
    }


def falling(count: int, *, first: int = 1, top: float = 0.5, **facts: Any) -> list[Row]:
    return [hit(first + n, score=top - n / 1000, **facts) for n in range(count)]


def test_at_most_three_chunks_of_a_document_the_best_ones(kb: psycopg.Connection[Any]) -> None:
    rows = choose(kb, *falling(5, document=7), hit(9, score=0.1))
    assert answer(rows) == [1, 2, 3, 9]
    told = ("document_full", "its document already has the 3 chunks it may have")
    assert dropped(rows) == {4: told, 5: told}
    assert answer(choose(kb, *falling(5, document=7), per_document=1)) == [1]


def test_equal_texts_are_one_row_the_best_ranked(kb: psycopg.Connection[Any]) -> None:
    scores = {1: 0.2, 2: 0.4, 3: 0.3, 4: 0.1}
    rows = choose(kb, *(hit(c, text="same", score=s) for c, s in scores.items()))
    assert answer(rows) == [2]
    assert dropped(rows)[3] == ("same_text", "same text as chunk 2, which stands higher")
    tied = [hit(c, text="same", score=0.2) for c in (4, 3, 2, 1)]
    assert answer(choose(kb, *tied)) == [1]


def test_a_duplicate_does_not_use_up_a_place_of_its_document(kb: psycopg.Connection[Any]) -> None:
    copy = hit(9, text="same", score=0.9)
    rows = choose(kb, copy, hit(1, text="same", document=7, score=0.6), *falling(3, first=2))
    assert answer(rows) == [9, 2, 3, 4]


def test_a_text_whose_best_copy_found_its_document_full_is_not_lost(
    kb: psycopg.Connection[Any],
) -> None:
    full = falling(3, document=7)
    rows = choose(kb, *full, hit(4, text="same", document=7, score=0.3), hit(5, text="same"))
    assert answer(rows) == [1, 2, 3, 5]


def test_the_best_top_k_come_best_first_and_the_rest_hear_their_number(
    kb: psycopg.Connection[Any],
) -> None:
    hits = falling(6)
    rows = choose(kb, *reversed(hits), top_k=4)
    assert answer(rows) == [1, 2, 3, 4]
    assert dropped(rows) == {
        5: ("top_k", "comes 5th in line, the answer holds 4"),
        6: ("top_k", "comes 6th in line, the answer holds 4"),
    }
    assert answer(choose(kb, *hits, top_k=100)) == [1, 2, 3, 4, 5, 6]


def test_equal_scores_come_in_the_order_of_their_ids(kb: psycopg.Connection[Any]) -> None:
    hits = [hit(c) for c in (4, 1, 5, 2, 3)]
    assert answer(choose(kb, *hits)) == [1, 2, 3, 4, 5]
    assert answer(choose(kb, *hits, top_k=2)) == [1, 2]


def test_what_was_brought_in_for_the_school_keeps_its_place(kb: psycopg.Connection[Any]) -> None:
    school = falling(3, first=21, top=0.01, scope="school", school_boosted=True)
    assert answer(choose(kb, *falling(8), *school, top_k=8)) == [1, 2, 3, 4, 5, 21, 22, 23]


@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 5])
def test_what_was_brought_in_takes_half_of_a_short_answer_at_most(
    kb: psycopg.Connection[Any], top_k: int
) -> None:
    school = falling(3, first=21, top=0.01, scope="school", school_boosted=True)
    chosen = answer(choose(kb, *falling(8), *school, top_k=top_k))
    assert len(chosen) == top_k
    assert sum(chunk > 20 for chunk in chosen) == top_k // 2
    assert chosen[0] == 1


def test_what_was_brought_in_fills_an_answer_that_has_room(kb: psycopg.Connection[Any]) -> None:
    school = falling(3, first=21, top=0.01, scope="school", school_boosted=True)
    assert answer(choose(kb, hit(1), *school, top_k=4)) == [1, 21, 22, 23]


def test_a_chunk_with_the_very_identifier_keeps_a_place_under_many_similar_ones(
    kb: psycopg.Connection[Any],
) -> None:
    exact = falling(4, first=21, top=0.01, floor_exempt=True)
    assert answer(choose(kb, *falling(8), *exact, top_k=6)) == [1, 2, 3, 4, 21, 22]
    assert answer(choose(kb, *falling(8), *exact, top_k=3)) == [1, 2, 21]
    assert answer(choose(kb, *falling(8), *exact, top_k=1)) == [1]


def test_what_the_floor_dropped_keeps_its_reason_and_takes_nothings_place(
    kb: psycopg.Connection[Any],
) -> None:
    far = hit(1, text="same", score=0.9, dropped_at="floor", dropped_because="too far")
    rows = choose(kb, far, hit(2, text="same"))
    assert answer(rows) == [2]
    assert dropped(rows) == {1: ("floor", "too far")}


def test_no_candidate_is_no_answer(kb: psycopg.Connection[Any]) -> None:
    assert choose(kb) == []
    assert rows_of(kb, "search.choose(null, 10, 3)") == []


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    drawn=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(1, 9)), max_size=25),
    top_k=st.integers(1, 8),
    per_document=st.integers(1, 3),
    data=st.data(),
)
def test_the_answer_is_as_long_as_texts_and_documents_allow_in_whatever_order_hits_come(
    kb: psycopg.Connection[Any],
    drawn: list[tuple[int, int, int]],
    top_k: int,
    per_document: int,
    data: st.DataObject,
) -> None:
    hits = [
        hit(n, text=f"t{text}", document=document, score=score / 100)
        for n, (text, document, score) in enumerate(drawn, start=1)
    ]
    # by hand: down the list, whoever still fits
    texts: set[str] = set()
    documents: list[int] = []
    fitting: list[int] = []
    for each in sorted(hits, key=lambda h: (-h["score"], h["chunk_id"])):
        free = documents.count(each["document_id"]) < per_document
        if each["content_hash"] not in texts and free:
            texts.add(each["content_hash"])
            documents.append(each["document_id"])
            fitting.append(each["chunk_id"])
    rows = choose(kb, *hits, top_k=top_k, per_document=per_document)
    assert answer(rows) == fitting[:top_k]
    shuffled = data.draw(st.permutations(hits))
    assert choose(kb, *shuffled, top_k=top_k, per_document=per_document) == rows
