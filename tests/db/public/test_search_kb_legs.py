"""search_kb, rules 4 and 5: what each leg finds, on its own and together."""

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bulk import text_of
from tests.bulk_corpus import QUESTION, RARE
from tests.corpus import Added, add, axis, near, search
from tests.rows import value_of
from tests.sandbox import notices_of
from tests.work import ServerWork


def found(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


# rule 4: the vector leg


@pytest.fixture
def forced(large: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Every scope goes through the vector index, no floor, any number of a document's chunks."""
    large.execute("set local kb.exact_limit = 0")
    large.execute("set local kb.retrieval_floor = '-1'")
    large.execute("set local kb.relevance_threshold = '-1'")
    large.execute("set local kb.max_chunks_per_document = 100")
    large.execute("set local kb.chunk_expansion_enabled = off")
    return large


def test_a_page_of_a_hundred_is_full(forced: psycopg.Connection[Any]) -> None:
    # fault R-02
    rows = search(forced, vector=QUESTION.tolist(), top_k=100, candidates=100)
    assert len(rows) == 100


def test_a_thousand_candidates_are_considered(forced: psycopg.Connection[Any]) -> None:
    kept = value_of(
        forced,
        "select ((search.find(query_vec => %s, tsquery => null, candidates => 1000)).counts).kept",
        [text_of(QUESTION)],
    )
    assert kept == 1000


def test_a_rare_tag_far_from_the_question_is_answered_in_full(
    forced: psycopg.Connection[Any],
) -> None:
    # fault R-01
    index = search(forced, vector=QUESTION.tolist(), tags=["transport"], top_k=100)
    assert len(index) == RARE
    assert not index[0]["topic_fallback_used"]
    forced.execute("set local kb.exact_limit = 100000000")
    assert search(forced, vector=QUESTION.tolist(), tags=["transport"], top_k=100) == index


def test_the_retrieval_floor_drops_what_is_less_similar(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Alpha.", source="over", vector=near(3, 0.45))
    add(kb, "Beta.", source="under", vector=near(3, 0.38))
    kb.execute("set local kb.relevance_threshold = '-1'")
    kb.execute("set local kb.retrieval_floor = 0.4")
    assert found(search(kb, vector=axis(3))) == ["over"]
    kb.execute("set local kb.retrieval_floor = 0.3")
    assert found(search(kb, vector=axis(3))) == ["over", "under"]


# rule 5: the keyword leg


def test_a_chunk_no_vector_leads_to_is_found_by_its_words(kb: psycopg.Connection[Any]) -> None:
    # the whole visible corpus, not only the vector hits
    add(kb, "Something near.", source="near", vector=axis(3))
    add(kb, "A word like womp.", source="word", vector=axis(60))
    rows = search(kb, words="womp", vector=axis(3))
    assert {r["source"]: r["matched_by"] for r in rows} == {"near": "vector", "word": "keyword"}


def test_vector_first_only_scores_the_words_of_vector_hits(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Something near with womp.", source="near", vector=axis(3))
    add(kb, "A word like womp.", source="word", vector=axis(60))
    kb.execute("set local kb.keyword_mode = 'vector_first'")
    rows = search(kb, words="womp", vector=axis(3))
    assert {r["source"]: r["matched_by"] for r in rows} == {"near": "hybrid"}
    # with no vector there is nothing to come first
    assert sorted(found(search(kb, words="womp"))) == ["near", "word"]


def test_a_natural_question_matches_by_any_of_its_words(kb: psycopg.Connection[Any]) -> None:
    # fault F-01
    add(kb, "The tribunal hears appeals.", source="tribunal", vector=axis(3))
    question = "how long does a tribunal appeal usually take"
    (row,) = search(kb, words=question, vector=axis(3))
    assert row["matched_by"] == "hybrid"
    assert row["bm25_score"] > 0


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The duty under s.36 applies.", "section 36"),
        ("The duty under section 36 applies.", "s.36"),
        ("The duty under s36 applies.", "s 36"),
        ("The duty under § 36 applies.", "section 36"),
        ("See ticket INC-48211 for more.", "48211"),
        ("See ticket INC-48211 for more.", "INC 48211"),
        ("See ticket INC-48211 for more.", "inc-48211"),
        ("Ask the SEND/EHCP team.", "EHCP"),
        ("Ask the SEND/EHCP team.", "SEND"),
        ("As Section 4.3 of it says.", "Section 4.3"),
        ("Policy POL-001 holds.", "POL-001"),
    ],
)
def test_a_reference_is_found_however_it_is_written(
    kb: psycopg.Connection[Any], text: str, question: str
) -> None:
    # fault F-02
    added = add(kb, text, source="it", title="Note", vector=axis(60))
    add(kb, "Nothing of the kind.", source="other", title="Other", vector=axis(61))
    assert [r["chunk_id"] for r in search(kb, words=question)] == added.chunk_ids
    # and past the floor, though the vector leads elsewhere
    assert [r["chunk_id"] for r in search(kb, words=question, vector=axis(3))] == added.chunk_ids


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The duty under s.360 applies.", "s.36"),
        ("The duty under s.36 applies.", "s.360"),
        ("The duty under section 3 applies.", "section 36"),
        ("See ticket INC-48211 for more.", "INC-48212"),
        ("See ticket INC-482110 for more.", "INC-48211"),
        ("Policy POL-0011 holds.", "POL-001"),
        ("As Section 4.3 of it says.", "Section 4.30"),
    ],
)
def test_another_reference_does_not_pass_the_floor(
    kb: psycopg.Connection[Any], text: str, question: str
) -> None:
    add(kb, text, source="it", title="Note", vector=axis(60))
    assert search(kb, words=question, vector=axis(3)) == []


def test_an_exact_code_is_found_among_a_hundred_closer_chunks(kb: psycopg.Connection[Any]) -> None:
    # fault R-15
    for n in range(100):
        add(kb, f"Transport case {n}q.", source=f"case {n}q", vector=near(3, 0.9))
    coded = add(kb, "Transport case QX-77123.", source="coded", vector=axis(60))
    rows = search(kb, words="QX-77123", vector=axis(3))
    assert coded.chunk_ids[0] in [r["chunk_id"] for r in rows]
    assert rows[0]["similarity"] is not None
    assert [r["chunk_id"] for r in search(kb, words="QX-77123")] == coded.chunk_ids


@pytest.fixture
def costs(kb: psycopg.Connection[Any]) -> tuple[psycopg.Connection[Any], Added]:
    added = add(kb, "School transport costs after an exclusion.", source="costs", vector=axis(3))
    return kb, added


@pytest.mark.parametrize(
    "question",
    ["school -transport costs", "exclusion - what next", "-costs", "!costs", "NOT costs"],
)
def test_a_dash_or_a_not_excludes_nothing(
    costs: tuple[psycopg.Connection[Any], Added], question: str
) -> None:
    # fault F-05
    db, added = costs
    (row,) = search(db, words=question, vector=axis(3))
    assert (row["chunk_id"], row["matched_by"]) == (added.chunk_ids[0], "hybrid")


@pytest.mark.parametrize(
    "question",
    [
        "costs:*",
        "(costs",
        "costs)",
        "'",
        "costs '",
        'a name <mail@host.org> "costs"',
        '"school transport" OR "costs"',
        "costs & | ! <-> :A",
        "costs \\ \\' ''",
        "costs\t\r\n\x0b",
        "costs %s %(x)s $1 {} ; drop table corpus.chunk --",
        "<b>costs</b> & <!-- costs -->",
        "costs " + "(" * 500,
        "https://a.b/c?d=costs&e=%20#f costs",
    ],
)
def test_no_text_a_person_types_raises_an_error(
    costs: tuple[psycopg.Connection[Any], Added], question: str
) -> None:
    # fault F-03
    db, added = costs
    rows = search(db, words=question, vector=axis(3))
    assert [r["chunk_id"] for r in rows] == added.chunk_ids
    assert "costs" not in question or rows[0]["matched_by"] == "hybrid"


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    question=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
    | st.text("'\"\\:*&|!()<->#.§ ab1-/@%$\n", max_size=40)
)
def test_no_text_at_all_raises_an_error(
    costs: tuple[psycopg.Connection[Any], Added], question: str
) -> None:
    db, added = costs
    rows = search(db, words=question, vector=axis(3), expand=True)
    assert [r["chunk_id"] for r in rows] == added.chunk_ids


@pytest.mark.parametrize("question", ["what is the of", "???", "😀", "   ", "", None])
def test_a_question_without_words_leaves_the_vector_leg_as_it_is(
    costs: tuple[psycopg.Connection[Any], Added], question: str | None
) -> None:
    # fault F-04
    db, _ = costs
    with notices_of(db) as notices:
        assert search(db, words=question, vector=axis(3)) == search(db, vector=axis(3)) != []
        assert search(db, words=question) == []
    assert notices == []


def test_a_curly_apostrophe_brings_the_same_synonyms(kb: psycopg.Connection[Any]) -> None:
    # fault F-07, with a no-break space and a double space beside it
    add(kb, "About refusal to assess under section 36.", source="refusal", vector=axis(60))
    add(kb, "About the tooth fairy.", source="other", vector=axis(61))
    straight = search(kb, words="they won't assess my child", expand=True)
    assert found(straight) == ["refusal"]
    for question in (
        "they won’t assess my child",
        "they won\u2019t\u00a0assess my child",
        "THEY WON'T  ASSESS MY CHILD",
    ):
        assert search(kb, words=question, expand=True) == straight


def test_a_token_of_three_thousand_letters_does_no_harm(kb: psycopg.Connection[Any]) -> None:
    # fault F-06
    with notices_of(kb) as notices:
        add(kb, "Frim " + "x" * 3000 + " dralk womp.", source="long", vector=axis(60))
        assert found(search(kb, words="womp")) == ["long"]
        assert found(search(kb, words="womp " + "y" * 3000)) == ["long"]
        assert found(search(kb, words="frim")) == ["long"]
    assert notices == []


def test_a_text_of_two_hundred_thousand_words_is_searchable(kb: psycopg.Connection[Any]) -> None:
    # fault F-06: no vector of words over its limit of 1 MB
    kb.execute("set local kb.chunk_size = 8000")
    body = " ".join(f"w{n:x}" for n in range(200_000))
    staged = kb.execute(
        "select version_id from corpus.stage_document('big', 'Big', %s, 'txt')", [body]
    ).fetchone()
    assert staged is not None
    (longest, count) = kb.execute(
        "select max(pg_column_size(terms.to_index(content))), count(*) from corpus.chunk "
        "where version_id = %s and chunk_index < 20",
        staged,
    ).fetchone() or (0, 0)
    assert 0 < longest < 1_000_000
    assert count == 20


def test_a_question_of_eighty_thousand_words_is_answered_at_once(
    costs: tuple[psycopg.Connection[Any], Added],
) -> None:
    db, added = costs
    question = "transport costs " + "my son was excluded and then " * 13_334
    arguments: dict[str, Any] = {"words": question, "vector": axis(3), "expand": True}
    search(db, **arguments)
    took = []
    for _ in range(3):
        with ServerWork(db) as work:
            rows = search(db, **arguments)
        took.append(work.seconds)
    assert [r["chunk_id"] for r in rows] == added.chunk_ids
    assert min(took) < 0.2
