"""search_kb, rules 8 and 12: the floor after fusion, the asked school, and an honest none."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add, axis, near, search
from tests.timing import best_of_three

HOLLYBROOK, WEALD_VIEW = "990001", "990003"


def found(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


def test_under_the_relevance_floor_nothing_is_an_answer(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Womp common words here.", source="under", vector=near(3, 0.29))
    add(kb, "Alpha.", source="over", vector=near(3, 0.31))
    assert found(search(kb, vector=axis(3))) == ["over"]
    kb.execute("set local kb.relevance_threshold = 0.5")
    assert search(kb, vector=axis(3)) == []


def test_the_floor_is_the_sets_own_until_someone_sets_it(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Alpha.", source="a", vector=near(3, 0.6))
    kb.execute("update embedding.set set relevance_floor = 0.7 where active")
    assert search(kb, vector=axis(3)) == []
    kb.execute("set local kb.relevance_threshold = 0.55")
    assert found(search(kb, vector=axis(3))) == ["a"]


def test_some_common_words_do_not_lift_a_chunk_over_the_floor(
    kb: psycopg.Connection[Any],
) -> None:
    for n in range(6):
        add(kb, f"School and council number{n}q.", source=f"s{n}q", vector=axis(60 + n))
    assert search(kb, words="the school and the council", vector=axis(3)) == []


def test_every_rare_word_lifts_a_chunk_over_the_floor_some_of_them_do_not(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "Womp and dralk.", source="both", vector=axis(60))
    add(kb, "Only womp.", source="one", vector=axis(61))
    assert found(search(kb, words="womp dralk", vector=axis(3))) == ["both"]


def test_an_identifier_lifts_a_chunk_over_the_floor(kb: psycopg.Connection[Any]) -> None:
    add(kb, "See POL-001.", source="policy", vector=axis(60))
    (row,) = search(kb, words="what does POL-001 say about the moon", vector=axis(3))
    assert (row["source"], row["matched_by"]) == ("policy", "keyword")


def test_nothing_relevant_is_no_row_and_quick(large: psycopg.Connection[Any]) -> None:
    # rule 12, also with every fallback to go through
    asked: dict[str, Any] = {"words": "zebra gravity", "vector": axis(0), "tags": ["exclusion"]}
    large.execute("set local kb.relevance_threshold = 0.9")
    assert search(large, **asked) == []
    assert best_of_three(lambda: search(large, **asked)) < 1


def test_an_empty_corpus_answers_nothing(kb: psycopg.Connection[Any]) -> None:
    assert search(kb, words="anything", vector=axis(3)) == []
    assert search(kb, words="anything", vector=axis(3), la="E10000016", urn=HOLLYBROOK) == []


def test_without_a_vector_half_of_the_question_must_match(kb: psycopg.Connection[Any]) -> None:
    add(kb, "womp dralk", source="all", title="t1q")
    add(kb, "womp frim", source="half", title="t2q")
    add(kb, "blom frim", source="none", title="t3q")
    assert found(search(kb, words="womp dralk")) == ["all"]
    assert found(search(kb, words="dralk jalt krib")) == []
    assert sorted(found(search(kb, words="womp"))) == ["all", "half"]
    kb.execute("set local kb.keyword_coverage = 0.3")
    assert found(search(kb, words="womp dralk")) == ["all", "half"]


# the asked school


@pytest.fixture
def school(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """An answer, and five faint texts of the school."""
    add(kb, "National.", source="national", vector=near(3, 0.8))
    for n in range(5):
        add(
            kb,
            f"School text{n}q.",
            source=f"school{n}",
            title=f"School text{n}q",
            school_urn=HOLLYBROOK,
            vector=near(3, 0.29 - n / 100),
        )
    return kb


def test_up_to_three_of_the_asked_schools_faint_texts_are_brought_in_and_say_so(
    school: psycopg.Connection[Any],
) -> None:
    rows = search(school, vector=axis(3), urn=HOLLYBROOK)
    assert found(rows) == ["national", "school0", "school1", "school2"]
    assert [r["school_boosted"] for r in rows] == [False, True, True, True]


def test_another_schools_texts_are_not_brought_in(school: psycopg.Connection[Any]) -> None:
    assert found(search(school, vector=axis(3), urn=WEALD_VIEW)) == ["national"]
    assert found(search(school, vector=axis(3), la="E08000025")) == ["national"]


def test_a_school_text_relevant_by_itself_is_not_called_brought_in(
    school: psycopg.Connection[Any],
) -> None:
    add(school, "School on it.", source="good", school_urn=HOLLYBROOK, vector=near(3, 0.7))
    rows = search(school, vector=axis(3), urn=HOLLYBROOK)
    assert [(r["source"], r["school_boosted"]) for r in rows if r["scope"] == "school"] == [
        ("good", False),
        ("school0", True),
        ("school1", True),
    ]


def test_the_schools_own_floor_holds(school: psycopg.Connection[Any]) -> None:
    school.execute("set local kb.school_floor = 0.285")
    assert found(search(school, vector=axis(3), urn=HOLLYBROOK)) == ["national", "school0"]
    school.execute("set local kb.school_boost_limit = 0")
    assert found(search(school, vector=axis(3), urn=HOLLYBROOK)) == ["national"]


def test_they_are_brought_in_though_the_candidates_were_full_without_them(
    school: psycopg.Connection[Any],
) -> None:
    for n in range(8):
        add(school, f"More{n}q.", source=f"more{n}q", vector=near(3, 0.9))
    rows = search(school, vector=axis(3), urn=HOLLYBROOK, candidates=5, top_k=10)
    assert [r["source"] for r in rows if r["school_boosted"]] == ["school0", "school1", "school2"]


def test_a_rejected_text_of_the_school_is_not_brought_in(school: psycopg.Connection[Any]) -> None:
    school.execute(
        "select corpus.set_status(array_agg(c.chunk_id), 'rejected') from corpus.chunk as c "
        "join corpus.document as d using (document_id) where d.source = 'school0'"
    )
    rows = search(school, vector=axis(3), urn=HOLLYBROOK)
    assert found(rows) == ["national", "school1", "school2", "school3"]


def test_the_answer_itself_is_never_pushed_out_by_the_school(
    school: psycopg.Connection[Any],
) -> None:
    for top_k in (1, 2, 3):
        rows = search(school, vector=axis(3), urn=HOLLYBROOK, top_k=top_k)
        assert rows[0]["source"] == "national"
        assert len(rows) == top_k


def test_the_school_alone_does_not_answer_what_nothing_answers(
    school: psycopg.Connection[Any],
) -> None:
    school.execute("set local kb.relevance_threshold = 0.85")
    assert search(school, vector=axis(3), urn=HOLLYBROOK) == []


def test_without_a_vector_the_schools_texts_are_brought_in_by_their_words(
    kb: psycopg.Connection[Any],
) -> None:
    add(kb, "womp dralk frim jalt", source="national", title="n1q")
    for n, text in enumerate(("womp", "dralk", "frim", "jalt", "krib")):
        add(kb, text, source=f"school{n}", title=f"s{n}q", school_urn=HOLLYBROOK)
    add(kb, "blom", source="other", title="o1q", school_urn=WEALD_VIEW)
    kb.execute("set local kb.school_coverage = 0.2")
    rows = search(kb, words="womp dralk frim jalt", urn=HOLLYBROOK)
    assert [(r["source"], r["school_boosted"]) for r in rows] == [
        ("national", False),
        ("school0", True),
        ("school1", True),
        ("school2", True),
    ]
    kb.execute("set local kb.school_coverage = 0.45")
    assert found(search(kb, words="womp dralk frim jalt", urn=HOLLYBROOK)) == ["national"]


def test_copies_of_one_text_of_the_school_are_brought_in_once(
    school: psycopg.Connection[Any],
) -> None:
    school.execute(
        "update corpus.chunk as c set content_hash = o.content_hash "
        "from corpus.chunk as o, corpus.document as d, corpus.document as e "
        "where c.document_id = d.document_id and d.source = 'school1' "
        "and o.document_id = e.document_id and e.source = 'school0'"
    )
    rows = search(school, vector=axis(3), urn=HOLLYBROOK)
    assert found(rows) == ["national", "school0", "school2", "school3"]
