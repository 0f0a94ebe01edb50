"""search.fold_statistics and the trigger that notes the deltas: statistics are exact, always."""

from typing import Any

import psycopg

from tests.bm25 import invented_texts
from tests.corpus import Added, add
from tests.db.search.counting import kept, recounted
from tests.rows import value_of


def add_text(db: psycopg.Connection[Any], words: list[str], name: str, **facts: Any) -> Added:
    return add(db, " ".join(words), source=name, **facts)


def fold(db: psycopg.Connection[Any]) -> int:
    folded: int = value_of(db, "select search.fold_statistics()")
    return folded


def deltas(db: psycopg.Connection[Any]) -> int:
    count: int = value_of(
        db,
        "select (select count(*) from search.lexeme_delta) + "
        "(select count(*) from search.scope_delta)",
    )
    return count


def test_an_empty_index_has_empty_statistics(kb: psycopg.Connection[Any]) -> None:
    assert kept(kb) == recounted(kb) == ({}, {})
    assert fold(kb) == 0


def test_statistics_equal_a_recount_through_additions_replacement_and_deletion(
    kb: psycopg.Connection[Any],
) -> None:
    texts = invented_texts(12, seed=1)
    added = [
        add_text(kb, text, f"t{n}", la_code=("E10000016" if n % 3 == 0 else None))
        for n, text in enumerate(texts)
    ]
    assert kept(kb) == recounted(kb)
    assert len(recounted(kb)[1]) == 3, "the whole corpus and two scopes"

    fold(kb)
    assert kept(kb) == recounted(kb)

    again = add_text(kb, ["entirely", "other", "words"], "t1")
    assert again.document_id == added[1].document_id
    assert kept(kb) == recounted(kb)
    assert "entir" in kept(kb)[0]

    kb.execute("delete from corpus.document where document_id = %s", [added[3].document_id])
    assert kept(kb) == recounted(kb)
    kb.execute("delete from search.text_index")
    assert kept(kb) == recounted(kb) == ({}, {})


def test_a_document_superseded_by_title_leaves_the_statistics(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Ancient words.", source="old", title="Travel to school 2023")
    add(kb, "Modern phrases.", source="new", title="Travel to school 2024")
    assert kept(kb) == recounted(kb)
    assert "ancient" not in kept(kb)[0]


def test_folding_takes_every_delta_and_changes_no_number(kb: psycopg.Connection[Any]) -> None:
    add(kb, "One two three transport.", source="a")
    add(kb, "Transport four.", source="b")
    before = kept(kb)
    assert deltas(kb) > 0
    assert fold(kb) > 0
    assert deltas(kb) == 0
    assert kept(kb) == before == recounted(kb)
    assert fold(kb) == 0


def test_a_word_no_chunk_holds_any_more_is_forgotten(kb: psycopg.Connection[Any]) -> None:
    add(kb, "Ephemeral.", source="a", title="Note")
    fold(kb)
    add(kb, "Permanent.", source="a", title="Note")
    fold(kb)
    known = {
        row[0] for row in kb.execute("select lexeme from search.lexeme_stat where chunks <= 0")
    }
    assert known == set()
    assert value_of(kb, "select count(*) from search.lexeme_stat where lexeme ~ 'ephemer'") == 0


def test_status_and_tags_change_no_statistics(kb: psycopg.Connection[Any]) -> None:
    added = add(kb, "Words about transport.", source="a")
    before = kept(kb)
    kb.execute("select corpus.set_status(%s, 'rejected')", [added.chunk_ids])
    kb.execute("select corpus.set_tags(%s, '{transport}')", [added.chunk_ids])
    assert kept(kb) == before
