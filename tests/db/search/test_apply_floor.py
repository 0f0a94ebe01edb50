"""search.apply_floor: rule 8, what is relevant enough, and the asked school's own."""

from typing import Any

import psycopg

from tests.db.search.hits import ranked
from tests.rows import Row, array_of, rows_of

FLOOR, SCHOOL_FLOOR = 0.3, 0.15


def judge(
    db: psycopg.Connection[Any],
    *hits: Row,
    has_vector: bool = True,
    school_limit: int = 3,
    keyword_coverage: float = 0.5,
    school_coverage: float = 0.25,
) -> dict[int, Row]:
    rows = rows_of(
        db,
        "search.apply_floor({hits}, %s, %s, %s, %s, %s, %s)",
        [has_vector, FLOOR, SCHOOL_FLOOR, school_limit, keyword_coverage, school_coverage],
        hits=array_of("search.ranked_hit", hits),
    )
    assert len(rows) == len(hits), "every candidate is there, with the reason"
    return {row["chunk_id"]: row for row in rows}


def kept(rows: dict[int, Row]) -> set[int]:
    return {chunk for chunk, row in rows.items() if row["dropped_because"] is None}


def boosted(rows: dict[int, Row]) -> set[int]:
    return {chunk for chunk, row in rows.items() if row["school_boosted"]}


def test_similarity_at_the_floor_is_kept_and_under_it_dropped(kb: psycopg.Connection[Any]) -> None:
    rows = judge(kb, ranked(1, similarity=0.3), ranked(2, similarity=0.29999), ranked(3))
    assert kept(rows) == {1, 3}
    assert "0.3" in rows[2]["dropped_because"]


def test_a_keyword_hit_is_held_to_the_same_floor(kb: psycopg.Connection[Any]) -> None:
    hit = ranked(1, matched_by="keyword", similarity=0.1, bm25_score=99.0, coverage=0.9)
    assert kept(judge(kb, hit)) == set()


def test_an_identifier_or_every_rare_word_passes_whatever_the_similarity(
    kb: psycopg.Connection[Any],
) -> None:
    rows = judge(
        kb,
        ranked(1, similarity=-0.5, floor_exempt=True),
        ranked(2, similarity=None, floor_exempt=True),
    )
    assert kept(rows) == {1, 2}


def test_a_chunk_of_unknown_similarity_is_dropped(kb: psycopg.Connection[Any]) -> None:
    rows = judge(kb, ranked(1, similarity=None))
    assert kept(rows) == set()
    assert "unknown" in rows[1]["dropped_because"]


def test_without_a_query_vector_the_share_of_the_words_decides(
    kb: psycopg.Connection[Any],
) -> None:
    rows = judge(
        kb,
        ranked(1, similarity=None, coverage=0.5),
        ranked(2, similarity=None, coverage=0.49),
        ranked(3, similarity=None, coverage=0.1, floor_exempt=True),
        has_vector=False,
    )
    assert kept(rows) == {1, 3}


def test_the_asked_schools_chunks_have_a_floor_of_their_own_beside_a_kept_one(
    kb: psycopg.Connection[Any],
) -> None:
    rows = judge(
        kb,
        ranked(1, similarity=0.5),
        ranked(2, scope="school", similarity=0.2),
        ranked(3, scope="school", similarity=0.1),
        ranked(4, scope="la", similarity=0.2),
    )
    assert kept(rows) == {1, 2}
    assert boosted(rows) == {2}


def test_at_most_three_are_brought_in_the_most_similar_ones(kb: psycopg.Connection[Any]) -> None:
    school = [ranked(n, scope="school", similarity=0.16 + n / 100) for n in range(2, 8)]
    rows = judge(kb, ranked(1, similarity=0.5), *school)
    assert boosted(rows) == {5, 6, 7}
    assert kept(rows) == {1, 5, 6, 7}


def test_equally_similar_ones_are_brought_in_by_id(kb: psycopg.Connection[Any]) -> None:
    school = [ranked(n, scope="school", similarity=0.2) for n in (9, 3, 7, 5)]
    assert boosted(judge(kb, ranked(1), *school)) == {3, 5, 7}


def test_a_copy_takes_no_place_of_those_brought_in(kb: psycopg.Connection[Any]) -> None:
    school = [ranked(n, scope="school", similarity=0.29 - n / 100) for n in range(2, 8)]
    kept_text = ranked(1)["content_hash"]
    school[0]["content_hash"] = kept_text
    school[2]["content_hash"] = school[1]["content_hash"]
    assert boosted(judge(kb, ranked(1), *school)) == {3, 5, 6}
    # what the floor drops elsewhere takes no text from the school
    far = ranked(9, similarity=0.1, content_hash=school[1]["content_hash"])
    assert boosted(judge(kb, ranked(1), far, *school)) == {3, 5, 6}


def test_chunks_of_the_school_that_are_kept_anyway_count_towards_the_three(
    kb: psycopg.Connection[Any],
) -> None:
    rows = judge(
        kb,
        ranked(1, scope="school", similarity=0.6),
        ranked(2, scope="school", similarity=0.5),
        *(ranked(n, scope="school", similarity=0.2) for n in (3, 4, 5)),
    )
    assert boosted(rows) == {3}
    relevant = [ranked(n, scope="school", similarity=0.6) for n in range(1, 6)]
    assert kept(judge(kb, *relevant, ranked(9, scope="school", similarity=0.2))) == {1, 2, 3, 4, 5}


def test_a_school_alone_does_not_answer_what_nothing_answers(
    kb: psycopg.Connection[Any],
) -> None:
    # rule 12: beside nothing relevant, the school's chance likeness is no answer
    rows = judge(kb, ranked(1, scope="school", similarity=0.2), ranked(2, similarity=0.2))
    assert kept(rows) == boosted(rows) == set()


def test_without_a_query_vector_the_school_has_a_lower_share_of_the_words_to_match(
    kb: psycopg.Connection[Any],
) -> None:
    school = [
        ranked(n, scope="school", similarity=None, coverage=n / 100) for n in (24, 25, 26, 27, 28)
    ]
    kept_one = ranked(1, similarity=None, coverage=0.5)
    rows = judge(kb, kept_one, *school, has_vector=False)
    assert boosted(rows) == {26, 27, 28}
    assert kept(rows) == {1, 26, 27, 28}
    assert boosted(judge(kb, kept_one, *school, has_vector=False, school_limit=9)) == {
        25, 26, 27, 28,
    }  # fmt: skip
    # with one, words do not bring in what is too far away
    rows = judge(kb, ranked(1), *school)
    assert boosted(rows) == set()


def test_a_limit_of_zero_brings_nothing_in(kb: psycopg.Connection[Any]) -> None:
    rows = judge(kb, ranked(1), ranked(2, scope="school", similarity=0.2), school_limit=0)
    assert boosted(rows) == set()


def test_no_candidate_is_no_row(kb: psycopg.Connection[Any]) -> None:
    assert judge(kb) == {}
