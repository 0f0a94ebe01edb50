"""search.keyword_leg: rule 5, BM25 over the whole visible corpus."""

import random
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest

from tests.bm25 import WORDS, Bm25, invented_texts
from tests.bulk import add_passages
from tests.bulk_corpus import NATIONAL, clustered
from tests.corpus import add
from tests.plans import plans_of
from tests.rows import Row, rows_of, value_of
from tests.sandbox import refused
from tests.timing import best_of_three

VISIBLE = ["approved", "pending"]


def leg(
    db: psycopg.Connection[Any],
    query: str | None,
    *,
    candidates: int = 50,
    scopes: list[int] | None = None,
    statuses: list[str] | None = None,
    tags: list[str] | None = None,
    within: list[int] | None = None,
) -> list[Row]:
    if scopes is None:
        scopes = value_of(db, "select array_agg(scope_id) from corpus.scope")
    return rows_of(
        db,
        "search.keyword_leg(%s::tsquery, %s, %s, %s, %s, null, %s)",
        [query, scopes, statuses or VISIBLE, tags, candidates, within],
    )


def scores(rows: list[Row]) -> dict[int, float]:
    return {row["chunk_id"]: row["bm25_score"] for row in rows}


def any_of(question: Mapping[str, float]) -> str:
    """The question as an any-term query; a word of less than full weight is a synonym's."""
    return " | ".join(f"'{w}'" + ("" if weight == 1 else ":D") for w, weight in question.items())


@pytest.fixture
def library(kb: psycopg.Connection[Any]) -> tuple[psycopg.Connection[Any], dict[int, list[str]]]:
    """Forty texts of invented words, the first word of each being its title."""
    texts: dict[int, list[str]] = {}
    for n, words in enumerate(invented_texts(40, seed=3)):
        added = add(kb, " ".join(words), source=f"text {n}", title=f"{words[0]} title{n}q")
        (chunk_id,) = added.chunk_ids
        texts[chunk_id] = [words[0], f"title{n}q", *words]
    return kb, texts


def questions(count: int) -> list[dict[str, float]]:
    draw = random.Random(8)  # noqa: S311 - questions, not secrets
    made = []
    for _ in range(count):
        typed = draw.sample(WORDS, draw.randint(1, 6))
        added = draw.sample(WORDS, draw.randint(0, 4))
        made.append(dict.fromkeys(added, 0.3) | dict.fromkeys(typed, 1.0))
    return made


Library = tuple[psycopg.Connection[Any], dict[int, list[str]]]


def test_scores_are_those_of_the_formula(library: Library) -> None:
    db, texts = library
    book = Bm25(texts)
    for question in questions(40):
        found = scores(leg(db, any_of(question), candidates=1000))
        assert found == pytest.approx(book.scores(question), abs=1e-9)


def test_scores_are_the_same_before_and_after_folding(library: Library) -> None:
    db, texts = library
    asked = questions(10)
    before = [leg(db, any_of(question)) for question in asked]
    db.execute("select search.fold_statistics()")
    assert [leg(db, any_of(question)) for question in asked] == before
    assert texts


def test_scores_stay_exact_after_replacement_and_deletion(library: Library) -> None:
    db, texts = library
    db.execute("select search.fold_statistics()")
    ids = sorted(texts)
    # one replaced by its own source, one removed, one superseded by title
    replaced = add(db, "bom dak dak fim", source="text 0", title="gub")
    del texts[ids[0]]
    texts[replaced.chunk_ids[0]] = ["gub", "bom", "dak", "dak", "fim"]
    db.execute(
        "delete from corpus.document where document_id = "
        "(select document_id from corpus.chunk where chunk_id = %s)",
        [ids[1]],
    )
    del texts[ids[1]]
    title = texts.pop(ids[2])[:2]
    newer = add(db, "bom bom", source="newer", title=" ".join(title))
    texts[newer.chunk_ids[0]] = [*title, "bom", "bom"]
    book = Bm25(texts)
    for question in questions(15):
        found = scores(leg(db, any_of(question), candidates=1000))
        assert found == pytest.approx(book.scores(question), abs=1e-9)


@pytest.mark.parametrize(("k1", "b"), [(0.0, 0.75), (2.0, 0.0), (1.2, 1.0), (0.9, 0.4)])
def test_saturation_and_length_follow_their_settings(library: Library, k1: float, b: float) -> None:
    db, texts = library
    db.execute("select set_config('kb.bm25_k1', %s, true)", [str(k1)])
    db.execute("select set_config('kb.bm25_b', %s, true)", [str(b)])
    book = Bm25(texts, k1=k1, b=b)
    question = {"bom": 1.0, "sab": 1.0}
    assert scores(leg(db, any_of(question), candidates=1000)) == pytest.approx(
        book.scores(question), abs=1e-9
    )


def test_statistics_are_those_of_the_whole_corpus_whatever_the_scope(library: Library) -> None:
    db, _ = library
    every = scores(leg(db, "'bom' | 'dak'", candidates=1000))
    kept = sorted(every)[:5]
    assert scores(leg(db, "'bom' | 'dak'", within=kept)) == {c: every[c] for c in kept}


def test_a_chunk_without_a_match_is_not_there(library: Library) -> None:
    db, texts = library
    found = scores(leg(db, "'womp'", candidates=1000))
    assert set(found) == {c for c, words in texts.items() if "womp" in words}
    assert min(found.values()) > 0
    assert leg(db, "'nobodywrotethis'") == []


def test_any_word_is_enough(kb: psycopg.Connection[Any]) -> None:
    # fault F-01: a natural question never holds only words of the text
    added = add(kb, "The tribunal hears appeals.", source="a")
    query = value_of(
        kb, "select terms.build_tsquery('how long does a tribunal appeal usually take')"
    )
    assert set(scores(leg(kb, query))) == set(added.chunk_ids)


def test_no_word_is_no_hit(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Some text.", source="a")
    assert leg(kb, None) == []
    assert leg(kb, "") == []
    assert leg(kb, "!'text'") == []
    assert leg(kb, "'text'", scopes=[]) == []


def test_equal_scores_share_a_rank(kb: psycopg.Connection[Any]) -> None:
    # fault R-11
    for n in range(20):
        add(kb, f"bom dak fim{n}q", source=f"zat{n}q one")
    add(kb, "dak bom bom bom", source="zat99q one")
    rows = leg(kb, "'bom'")
    assert [row["rank"] for row in rows] == [1] + [2] * 20
    assert [row["chunk_id"] for row in rows[1:]] == sorted(row["chunk_id"] for row in rows[1:])
    assert leg(kb, "'bom'") == rows


def test_only_visible_states_scopes_and_tags_are_found(kb: psycopg.Connection[Any]) -> None:
    shown = add(kb, "bom one", source="a", tags=["transport"])
    other = add(kb, "bom two", source="b", la_code="E10000016", tags=["transport"])
    untagged = add(kb, "bom three", source="c")
    hidden = add(kb, "bom four", source="d", tags=["transport"])
    kb.execute("select corpus.set_status(%s, 'rejected')", [hidden.chunk_ids])
    national = value_of(kb, "select array_agg(scope_id) from corpus.scope where kind = 'national'")
    assert set(scores(leg(kb, "'bom'", scopes=national, tags=["transport"]))) == set(
        shown.chunk_ids
    )
    assert set(scores(leg(kb, "'bom'"))) == {
        *shown.chunk_ids,
        *other.chunk_ids,
        *untagged.chunk_ids,
    }


def test_the_title_of_a_document_counts(kb: psycopg.Connection[Any]) -> None:
    added = add(kb, "Nothing of it in here.", source="a", title="Womp rules")
    assert set(scores(leg(kb, "'womp'"))) == set(added.chunk_ids)


def test_an_identifier_is_told_apart_and_counts(kb: psycopg.Connection[Any]) -> None:
    added = add(kb, "The duty under s.36 applies.", source="a")
    add(kb, "The duty under s.360 applies.", source="b")
    (row,) = leg(kb, "'#s36'")
    assert row["chunk_id"] == added.chunk_ids[0]
    assert row["identifier_matched"]


def test_an_identifier_a_synonym_brought_is_no_proof(kb: psycopg.Connection[Any]) -> None:
    add(kb, "The duty under s.36 applies.", source="a")
    (row,) = leg(kb, "'#s36':D")
    assert not row["identifier_matched"]


def test_rare_words_match_only_when_every_one_does(kb: psycopg.Connection[Any]) -> None:
    both = add(kb, "bom dak", source="a")
    one = add(kb, "bom fim", source="b")
    rows = {r["chunk_id"]: r["rare_words_matched"] for r in leg(kb, "'bom' | 'dak'")}
    assert rows == {both.chunk_ids[0]: True, one.chunk_ids[0]: False}
    rows = {r["chunk_id"]: r["rare_words_matched"] for r in leg(kb, "'bom' | 'nobodywrotethis'")}
    assert set(rows.values()) == {False}


def test_a_question_of_common_words_has_no_rare_ones(kb: psycopg.Connection[Any]) -> None:
    for n in range(5):
        add(kb, f"bom {WORDS[n + 5]}", source=f"{WORDS[n]} text")
    assert {r["rare_words_matched"] for r in leg(kb, "'bom'")} == {False}


def test_coverage_is_the_share_of_what_the_question_weighs(kb: psycopg.Connection[Any]) -> None:
    both = add(kb, "bom dak", source="a")
    one = add(kb, "bom fim", source="b")
    book = Bm25({1: ["a", "bom", "dak"], 2: ["b", "bom", "fim"]})
    rows = {r["chunk_id"]: r["coverage"] for r in leg(kb, "'bom' | 'dak' | 'fim':D")}
    assert rows[both.chunk_ids[0]] == pytest.approx(1.0)
    # all of the synonyms is as good as all of what was typed
    assert rows[one.chunk_ids[0]] == pytest.approx(1.0)
    rows = {r["chunk_id"]: r["coverage"] for r in leg(kb, "'bom' | 'dak'")}
    assert rows[one.chunk_ids[0]] == pytest.approx(
        book.idf("bom") / (book.idf("bom") + book.idf("dak"))
    )


def test_a_rare_word_is_found_however_many_chunks_hold_the_common_one(
    large: psycopg.Connection[Any],
) -> None:
    # all hold "passage", a few postings may be read: the rare word comes first
    added = add_passages(
        large, ["passage with womp"], clustered(1, clusters=1, seed=4), source="one"
    )
    large.execute("set local kb.keyword_budget = 100")
    rows = leg(large, "'passag' | 'womp'")
    assert rows[0]["chunk_id"] == added.chunk_ids[0]
    assert len(rows) == 50, "the rest is filled up from the common one"


@pytest.mark.parametrize("others", [70, 400])
def test_an_identifier_is_found_however_many_chunks_hold_all_other_words(
    kb: psycopg.Connection[Any], others: int
) -> None:
    # fault R-15: more than the leg brings, and more than are scored
    words = "womp dralk frim bom dak plin sorv tuld garm hesp"
    passages = [words] * others + ["nothing but gardens"] * 400
    vectors = clustered(len(passages), clusters=4, seed=6)
    add_passages(kb, passages, vectors, source="many")
    added = add(kb, f"See s.36. {'gardens ' * 110}", source="policy")
    query = value_of(kb, "select terms.build_tsquery(%s)::text", [f"Under section 36: {words}?"])
    rows = leg(kb, query)
    assert len(rows) == 50
    (row,) = [row for row in rows if row["chunk_id"] == added.chunk_ids[0]]
    assert row["identifier_matched"]
    # among the places, but not above its score
    assert row["rank"] > 50
    assert [r["rank"] for r in rows] == sorted(r["rank"] for r in rows)


@pytest.mark.parametrize(("holding", "pools"), [(3, 2), (15, 2), (16, 1), (40, 1)])
def test_identifiers_are_looked_for_again_only_where_they_do_not_fill_the_places_kept_for_them(
    kb: psycopg.Connection[Any], holding: int, pools: int
) -> None:
    words = "womp dralk frim bom dak plin sorv tuld garm hesp"
    passages = [f"See s.36. {words}"] * holding + [words] * 200
    add_passages(kb, passages, clustered(len(passages), clusters=4, seed=6), source="many")
    query = value_of(kb, "select terms.build_tsquery(%s)::text", [f"Under section 36: {words}?"])
    with plans_of(kb) as collected:
        rows = leg(kb, query)
    assert len(collected.of("with chosen_word").documents) == pools
    assert sum(row["identifier_matched"] for row in rows) == holding


def test_few_visible_chunks_are_found_however_common_their_words_are_elsewhere(
    large: psycopg.Connection[Any],
) -> None:
    # the filter leaves a handful of two thousand postings, the budget reads a hundred of them
    large.execute("set local kb.keyword_budget = 100")
    everything = leg(large, "'passag' | 'nation'", candidates=1000)
    few = sorted(scores(everything))[-7:]
    large.execute(
        "update corpus.chunk_fact set tags = '{tribunal}' where chunk_id = any(%s)", [few]
    )
    found = leg(large, "'passag' | 'nation'", tags=["tribunal"])
    assert sorted(scores(found)) == few
    large.execute(
        "update corpus.chunk_fact set status = 'rejected' where chunk_id <> all(%s)", [few]
    )
    assert sorted(scores(leg(large, "'passag' | 'nation'"))) == few


def test_the_budget_is_spent_in_the_visible_scopes(large: psycopg.Connection[Any]) -> None:
    # two thousand national chunks hold the word; whoever asks about a small scope pays for that one
    add_passages(
        large,
        [f"passage of a school subject{n}" for n in range(60)],
        clustered(60, clusters=2, seed=8),
        source="small",
        la_code="E08000038",
    )
    (scope,) = value_of(
        large, "select array_agg(scope_id) from corpus.scope where la_code = 'E08000038'"
    )
    large.execute("set local kb.keyword_budget = 150")
    with plans_of(large, analyze=True, enable_seqscan=True) as collected:
        rows = leg(large, "'passag' | 'school' | 'subject3'", scopes=[scope], candidates=60)
    assert len(rows) == 60
    read = sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in collected.of("chosen_word").nodes()
        if node.get("Relation Name") == "text_index"
    )
    # once for each word, once more to score: never the two thousand of another scope
    assert 60 <= read < 500


def test_the_best_of_many_are_the_best_by_the_formula(kb: psycopg.Connection[Any]) -> None:
    # more chunks match than are scored exactly: which ones are must follow the formula too
    draw = random.Random(4)  # noqa: S311 - texts, not secrets
    passages = [
        " ".join(["womp"] * draw.randint(1, 12) + draw.choices(WORDS[:9], k=draw.randint(0, 7)))
        for _ in range(400)
    ]
    added = add_passages(
        kb, passages, clustered(400, clusters=4, seed=6), source="many", title="bom title"
    )
    kb.execute("set local kb.chunk_size = 8000")
    texts = {
        chunk: ["bom", "titl", *passage.split()]
        for chunk, passage in zip(added.chunk_ids, passages, strict=True)
    }
    for n, count in enumerate((40, 120, 250)):
        words = ["womp"] * count + ["dralk"] * (count // 2)
        long = add(kb, " ".join(words), source=f"long{n}q", title=f"long{n}q")
        texts[long.chunk_ids[0]] = [f"long{n}q", *words]
    book = Bm25(texts)
    for question in ({"womp": 1.0}, {"womp": 1.0, "dak": 1.0}, {"womp": 1.0, "dralk": 0.3}):
        rows = leg(kb, any_of(question), candidates=50)
        expected = book.scores(question)
        best = sorted(expected.values(), reverse=True)[:50]
        assert [row["bm25_score"] for row in rows] == pytest.approx(best, abs=1e-9)
        assert all(
            row["bm25_score"] == pytest.approx(expected[row["chunk_id"]], abs=1e-9) for row in rows
        )


def test_a_common_word_alone_is_bounded_to_the_candidates(
    large: psycopg.Connection[Any],
) -> None:
    rows = leg(large, "'nation'", candidates=30)
    assert len(rows) == 30 < NATIONAL
    assert rows[0]["rank"] == 1


def test_ninety_four_common_words_do_not_take_long(large: psycopg.Connection[Any]) -> None:
    query = " | ".join(["'nation'", "'passag'", *(f"'subject{n}'" for n in range(92))])
    leg(large, query)
    assert best_of_three(lambda: leg(large, query)) < 1


def test_an_unusable_setting_is_named(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.bm25_b = '2'")
    with refused(kb, "ST002") as caught:
        leg(kb, "'bom'")
    assert "kb.bm25_b" in str(caught.value)
