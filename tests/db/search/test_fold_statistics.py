"""search.fold_statistics and the trigger that notes the deltas: statistics are exact, always."""

from typing import Any

import psycopg

from tests.bm25 import invented_texts
from tests.corpus import Added, add, load_reference
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


def test_publishers_fold_by_themselves_once_enough_is_waiting(kb: psycopg.Connection[Any]) -> None:
    kb.execute("set local kb.fold_after = 3")
    waiting = []
    for number in range(8):
        add(kb, f"Words on number{number}q.", source=f"text {number}")
        waiting.append(value_of(kb, "select count(*) from search.scope_delta where scope_id = 0"))
    assert waiting == [1, 2, 3, 0, 1, 2, 3, 0]
    assert kept(kb) == recounted(kb)


def test_a_writer_that_keeps_seeing_the_past_does_not_fail_by_folding(
    db: psycopg.Connection[Any], db_url: str
) -> None:
    load_reference(db)
    add(db, "Womp.", source="a")
    with psycopg.connect(db_url) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("set kb.fold_after = 1")
        before = kept(reader)
        add(db, "Womp dralk.", source="b")
        assert fold(db) > 0
        db.commit()
        assert kept(reader) == before
        add(reader, "Womp.", source="c")
    assert kept(db) == recounted(db)


def test_a_search_reads_only_the_waiting_changes_of_its_own_words(
    large: psycopg.Connection[Any],
) -> None:
    words = ["subject7", "nation", "passag"]
    waiting = 200
    large.execute(
        "insert into search.lexeme_delta select w.lexeme, 0 from generate_series(1, %s) as s, "
        "(select lexeme from search.lexeme_stat order by lexeme = any(%s) desc, lexeme limit 500)"
        " as w",
        [waiting, words],
    )

    def read() -> tuple[int, int]:
        return large.execute(
            "select seq_tup_read, idx_tup_fetch from pg_stat_xact_user_tables "
            "where relid = 'search.lexeme_delta'::regclass"
        ).fetchone() or (0, 0)

    before = read()
    counted = large.execute(
        "select count(*) from search.query_words($$'subject7' | 'nation' | 'passag'$$)"
    ).fetchone()
    assert counted == (3,)
    in_order, by_index = (now - was for now, was in zip(read(), before, strict=True))
    assert in_order == 0, "a hundred thousand waiting changes were read in order"
    assert by_index == len(words) * waiting
