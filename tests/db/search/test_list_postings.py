"""search.list_postings and what reads the lists: how fast words are found, never what is found."""

import random
from contextlib import closing
from typing import Any

import psycopg
import pytest

from tests.bm25 import invented_texts
from tests.bulk import add_passages
from tests.bulk_corpus import clustered
from tests.corpus import add, load_reference, stage
from tests.plans import plans_of
from tests.rows import Row, rows_of, value_of
from tests.sandbox import Held

KENT, BARNSLEY = "E10000016", "E08000038"
QUESTIONS = ["'bom'", "'dak' | 'bom':D", "'dak' | 'jat' | 'sorv'", "'frim' | 'gone'"]


def leg(db: psycopg.Connection[Any], query: str, scopes: list[int] | None = None) -> list[Row]:
    if scopes is None:
        scopes = value_of(db, "select array_agg(scope_id) from corpus.scope")
    return rows_of(db, "search.keyword_leg(%s::tsquery, %s, '{approved,pending}')", [query, scopes])


def list_all(db: psycopg.Connection[Any]) -> int:
    db.execute("set kb.list_scope = 1")
    made: int = value_of(db, "select search.refresh_postings()")
    return made


def unlisted(db: psycopg.Connection[Any], query: str) -> list[Row]:
    """What the leg finds without any list."""
    with db.transaction(force_rollback=True):
        db.execute("delete from search.listed_scope")
        return leg(db, query)


def many(
    db: psycopg.Connection[Any], source: str = "many", *, texts: int = 40, **facts: Any
) -> list[int]:
    """Chunks of few words."""
    passages = [" ".join(words[:9]) for words in invented_texts(texts, seed=3)]
    ids: list[int] = add_passages(
        db, passages, clustered(texts, clusters=4, seed=6), source=source, **facts
    ).chunk_ids
    return ids


def lists_of(db: psycopg.Connection[Any]) -> dict[str, dict[int, float]]:
    """By word, what it adds to the score of each chunk that is listed for it."""
    rows = db.execute(
        "select p.lexeme, b.chunk_ids, p.scores::vector::real[] from search.posting_list as p "
        "inner join search.listed_block as b on p.scope_id = b.scope_id and p.block = b.block"
    ).fetchall()
    lists: dict[str, dict[int, float]] = {}
    for word, ids, scores in rows:
        assert len(ids) == len(scores)
        held = {chunk: score for chunk, score in zip(ids, scores, strict=True) if score}
        lists.setdefault(word, {}).update(held)
    return lists


def expected_lists(db: psycopg.Connection[Any]) -> dict[str, Any]:
    """What lists made now are to hold, of the words that eight chunks of a scope have."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for word, scope, chunk, score in db.execute(
        "select u.lexeme, t.scope_id, t.chunk_id, "
        "search.bm25_impact(coalesce(cardinality(u.positions), 1), "
        "t.token_count, b.mean_length, b.k1, b.b) * search.idf(b.chunks, n.chunks) "
        "from search.text_index as t, unnest(t.lexemes) as u, search.bm25_settings() as b, "
        "lateral (select count(*) as chunks from search.text_index as o "
        "where u.lexeme = any(tsvector_to_array(o.lexemes))) as n"
    ):
        found.setdefault((word, scope), {})[chunk] = score
    expected: dict[str, dict[int, float]] = {}
    for (word, _), chunks in found.items():
        if len(chunks) >= 8:
            expected.setdefault(word, {}).update(chunks)
    return {word: pytest.approx(chunks) for word, chunks in expected.items()}


def test_a_list_holds_every_chunk_with_the_word_and_what_the_word_adds_to_its_score(
    kb: psycopg.Connection[Any],
) -> None:
    many(kb)
    assert list_all(kb) == 1
    made = lists_of(kb)
    assert made == expected_lists(kb)
    assert {"bom", "dak", "jat"} <= set(made), "the words that these tests ask for"


@pytest.mark.parametrize("seed", range(4))
def test_a_search_finds_the_same_with_lists_after_any_history(
    kb: psycopg.Connection[Any], seed: int
) -> None:
    draw = random.Random(seed)  # noqa: S311 - steps, not secrets
    many(kb)
    assert list_all(kb) == 1
    for number, words in enumerate(invented_texts(36, seed=seed)):
        step = draw.choice(["add", "add", "add", "many", "delete", "decide", "list"])
        source = f"source {draw.randrange(5)}"
        place: dict[str, Any] = {"la_code": draw.choice([None, KENT])}
        if step == "many":
            many(kb, source, **place)
        elif step == "add":
            add(kb, " ".join(words), source=source, **place)
        elif step == "delete":
            kb.execute("delete from corpus.document where source = %s", [source])
        elif step == "list":
            list_all(kb)
        else:
            kb.execute(
                "update corpus.chunk_fact set status = 'rejected' where chunk_id %% 7 = %s "
                "and status = 'pending'",
                [number % 7],
            )
        if number % 6 == 5:
            for question in QUESTIONS:
                assert leg(kb, question) == unlisted(kb, question)


def test_what_came_since_and_what_has_gone_is_known(kb: psycopg.Connection[Any]) -> None:
    ids = many(kb)
    list_all(kb)
    new = add(kb, "bom bom bom", source="new")
    kb.execute("delete from corpus.chunk where chunk_id = any(%s)", [ids[:10]])
    found = {row["chunk_id"] for row in leg(kb, "'bom'")}
    assert new.chunk_ids[0] in found
    assert not found & set(ids[:10])
    assert value_of(kb, "select array_agg(chunk_id) from search.recent_text") == new.chunk_ids


def postings_read(
    db: psycopg.Connection[Any], tsquery: str, scopes: list[int] | None = None
) -> float:
    """Rows that came from the index of words."""
    with plans_of(db, analyze=True) as collected:
        leg(db, tsquery, scopes)
    rows: float = sum(
        node["Actual Rows"] * node["Actual Loops"]
        for node in collected.of("chosen_word").nodes()
        if node.get("Index Name") == "text_index_scoped_idx"
    )
    return rows


def test_lists_are_read_in_place_of_the_index(kb: psycopg.Connection[Any]) -> None:
    many(kb, texts=120)  # of a hundred each would be looked at
    assert postings_read(kb, "'bom'") > 0
    list_all(kb)
    assert postings_read(kb, "'bom'") == 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_small_scope_without_lists_is_read_whole_and_finds_what_the_index_does(
    kb: psycopg.Connection[Any], question: str
) -> None:
    places: list[dict[str, Any]] = [{}, {"la_code": KENT}, {"la_code": BARNSLEY}]
    held = [many(kb, f"many {number}", **place) for number, place in enumerate(places)]
    scopes = value_of(kb, "select array_agg(scope_id order by scope_id) from corpus.scope")

    def scores(*asked: int) -> dict[int, float]:
        rows = kb.execute(
            "select chunk_id, bm25_score from search.keyword_leg(%s::tsquery, %s, "
            "'{approved,pending}', candidates => 200)",
            [question, list(asked)],
        ).fetchall()
        return dict(rows)

    assert postings_read(kb, question, scopes[:2]) == 0, "eighty texts"
    assert postings_read(kb, question, scopes) > 0, "a hundred and twenty"
    by_index = scores(*scopes)
    last = scores(scopes[2])
    assert last
    assert last == {chunk: by_index[chunk] for chunk in held[2] if chunk in by_index}
    assert scores(*scopes[:2]) | last == by_index


def test_lists_are_passed_over_when_too_much_came_since(kb: psycopg.Connection[Any]) -> None:
    many(kb)
    list_all(kb)
    scopes = value_of(kb, "select array_agg(scope_id) from search.listed_scope")
    kb.execute("set kb.list_recent = 2")
    for number in range(3):
        assert value_of(kb, "select search.listed_scopes(%s)", [scopes]) == scopes
        add(kb, f"bom again{number}q", source=f"new {number}")
    assert value_of(kb, "select search.listed_scopes(%s)", [scopes]) == []
    assert leg(kb, "'bom'") == unlisted(kb, "'bom'")


def test_a_scope_is_listed_once_it_is_large_and_again_when_a_twentieth_changed(
    kb: psycopg.Connection[Any],
) -> None:
    def due() -> list[int]:
        return [row["chunks"] for row in rows_of(kb, "search.scopes_to_list()")]

    ids = many(kb)
    assert due() == [], "40 are not 500"
    kb.execute("set kb.list_scope = 40")
    assert due() == [40]
    assert list_all(kb) == 1
    assert due() == []
    add(kb, "bom", source="one more")
    add(kb, "bom two", source="two more")
    assert due() == [], "two of forty"
    kb.execute("delete from corpus.chunk where chunk_id = %s", [ids[0]])
    assert due() == [41]
    assert list_all(kb) == 1
    assert due() == []


def test_of_two_builders_of_a_scope_one_passes(db: psycopg.Connection[Any], db_url: str) -> None:
    load_reference(db)
    many(db)
    db.commit()
    scope = value_of(db, "select scope_id from corpus.scope where kind = 'national'")
    assert value_of(db, "select search.list_postings(%s)", [scope]) > 0
    with psycopg.connect(db_url) as other:
        assert value_of(other, "select search.list_postings(%s)", [scope]) == 0


def test_a_document_published_while_lists_are_made_is_found(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    many(db)
    db.commit()
    with closing(Held.connect(db_url)) as publisher:  # nothing is committed by the way
        late = add(publisher, "bom at the last moment", source="late")
        list_all(db)
        db.commit()
        assert late.chunk_ids[0] not in {row["chunk_id"] for row in leg(db, "'bom'")}
        psycopg.Connection.commit(publisher)
        gone = add(publisher, "bom for a moment", source="late")
    found = {row["chunk_id"] for row in leg(db, "'bom'")}
    assert late.chunk_ids[0] in found
    assert not found & set(gone.chunk_ids)
    assert leg(db, "'bom'") == unlisted(db, "'bom'")


def test_taking_a_document_away_while_lists_are_made_waits_for_nothing(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    many(db)
    db.commit()
    with psycopg.connect(db_url) as other:
        other.execute("delete from corpus.document")
        db.execute("set lock_timeout = '2s'")
        assert list_all(db) == 1
        db.commit()
        other.commit()
    assert leg(db, "'bom'") == []


def test_the_budget_of_postings_cuts_no_list(kb: psycopg.Connection[Any]) -> None:
    passages = [" ".join(["bom"] * (1 + n // 40) + ["dak"]) for n in range(400)]
    added = add_passages(kb, passages, clustered(400, clusters=4, seed=6), source="many")
    list_all(kb)
    kb.execute("set local kb.keyword_budget = 100")
    best = {row["chunk_id"] for row in leg(kb, "'bom'")}
    assert len(best) == 50
    assert best <= set(added.chunk_ids[320:]), "those that hold it oftenest"


@pytest.mark.parametrize("title", ["Handbook", "Bom bom bom bom"])
def test_a_text_whose_title_was_corrected_counts_once_and_as_it_is_now(
    kb: psycopg.Connection[Any], title: str
) -> None:
    """More passages than the leg scores exactly must not push better ones out."""
    body = "\n\n".join(
        ("bom " if title == "Handbook" else "") + " ".join(f"w{part}x{word}" for word in range(90))
        for part in range(260)
    )
    add(kb, body, source="long", title=title)
    for number in range(9):
        words = " ".join(f"v{number}x{word}" for word in range(90))
        add(kb, "bom bom " + words, source=f"short {number}", title=f"Short {number}")
    assert list_all(kb) == 1
    assert stage(kb, body, source="long", title="Manual")["outcome"] == "updated"
    assert leg(kb, "'bom'") == unlisted(kb, "'bom'")


def test_a_word_that_became_rare_since_it_was_listed_counts_as_it_does_now(
    kb: psycopg.Connection[Any],
) -> None:
    """What is listed early was listed in a small corpus: nearly all of it said the same then."""

    def texts(word: str, count: int) -> list[str]:
        return [" ".join([word] * (1 + n % 3) + [f"{word}{n}"] * (n % 5)) for n in range(count)]

    def add_all(passages: list[str], source: str, **facts: Any) -> None:
        vectors = clustered(len(passages), clusters=4, seed=6)
        add_passages(kb, passages, vectors, source=source, **facts)
        assert list_all(kb) == 1

    add_all(texts("bom", 150), "first")
    add_all(texts("dak", 900) + texts("frim", 1200), "second", la_code=KENT)
    for question in ("'bom' | 'dak'", "'bom':D | 'dak'", "'dak' | 'frim':D"):
        assert leg(kb, question) == unlisted(kb, question), question


def test_all_scopes_are_listed_again_when_texts_have_become_longer(
    kb: psycopg.Connection[Any],
) -> None:
    many(kb)
    list_all(kb)
    words = " ".join(f"q{number}" for number in range(10, 34))
    vectors = clustered(40, clusters=4, seed=6)
    add_passages(kb, [f"dak {words}"] * 40, vectors, source="long", la_code=KENT)
    due = rows_of(kb, "search.scopes_to_list()")
    assert [row["chunks"] for row in due] == [40, 40]
    assert {"tokens on average" in row["why"] for row in due} == {True, False}
    assert list_all(kb) == 2
    assert rows_of(kb, "search.scopes_to_list()") == []
    assert leg(kb, "'bom' | 'dak'") == unlisted(kb, "'bom' | 'dak'")


@pytest.mark.parametrize(("setting", "value"), [("kb.bm25_k1", "0.4"), ("kb.bm25_b", "0.1")])
def test_all_scopes_are_listed_again_when_a_parameter_of_bm25_is_another(
    kb: psycopg.Connection[Any], setting: str, value: str
) -> None:
    def planned() -> list[Row]:
        return [row for row in rows_of(kb, "dba.upkeep_plan()") if row["task"] == "list"]

    many(kb)
    many(kb, "of Kent", la_code=KENT)
    assert list_all(kb) == 2
    assert planned() == []
    kb.execute("select set_config(%s, %s, true)", [setting, value])
    due = planned()
    assert len(due) == 2
    for row in due:
        assert "was listed with kb.bm25_k1 1.2 and kb.bm25_b 0.75" in row["why"]
        assert value in row["why"]
        kb.execute(row["statement"].encode())
    assert planned() == []
    assert lists_of(kb) == expected_lists(kb)
    kb.execute("select set_config(%s, %s, true)", [setting, value + "0"])
    assert planned() == [], "the same number, written otherwise"


def test_lists_of_before_their_parameters_were_kept_are_made_again(
    kb: psycopg.Connection[Any],
) -> None:
    many(kb)
    list_all(kb)
    kb.execute("update search.listed_scope set k1 = null, b = null")
    (due,) = rows_of(kb, "search.scopes_to_list()")
    assert "kb.bm25_k1 unknown" in due["why"]
    assert list_all(kb) == 1
    assert rows_of(kb, "search.scopes_to_list()") == []


def test_wrong_statistics_make_no_list_empty(kb: psycopg.Connection[Any]) -> None:
    many(kb)
    kb.execute("select search.fold_statistics()")
    kb.execute("delete from search.lexeme_stat where lexeme = 'bom'")
    kb.execute("update search.lexeme_stat set chunks = -1 where lexeme = 'dak'")
    list_all(kb)
    lists = lists_of(kb)
    assert len(lists["bom"]) >= 8
    assert len(lists["dak"]) >= 8
