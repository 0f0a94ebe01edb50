"""Posting lists of a scope of several blocks: they find what the index finds."""

from typing import Any

import psycopg
import pytest

from tests.corpus import add
from tests.rows import Row, rows_of, value_of

CHUNKS = 17_000
# of 17,000: fewer than 5,000 carry the first, more the second
FEW, MANY = "exclusion", "transport"


@pytest.fixture
def big(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """One scope of more than 16,000 chunks, listed; words common, middling and rare."""
    seed = add(kb, "the first of many", source="big")
    kb.execute(
        "with made as (insert into corpus.chunk (version_id, document_id, scope_id, chunk_index, "
        "start_at, content, content_hash, embedding_hash) select c.version_id, c.document_id, "
        "c.scope_id, n, 1, 'text ' || n, sha256(n::text::bytea), sha256(n::text::bytea) "
        "from corpus.chunk as c, generate_series(1, %(count)s) as n where c.chunk_id = %(seed)s "
        "returning chunk_id, scope_id, chunk_index as n), "
        "fact as (insert into corpus.chunk_fact (chunk_id, scope_id, status, tags, quality_score) "
        "select m.chunk_id, m.scope_id, 'pending', array_remove(array["
        "case when m.n %% 40 = 0 then %(few)s end, case when m.n %% 2 = 0 then %(many)s end], null)"
        ", 1 from made as m) "
        "insert into search.text_index (chunk_id, scope_id, lexemes, token_count) "
        "select m.chunk_id, m.scope_id, l.lexemes, terms.count_tokens(l.lexemes) from made as m, "
        "lateral (select to_tsvector('simple', concat_ws(' ', 'every', repeat('mid ', m.n %% 7), "
        "'w' || m.n %% 300, 'v' || m.n %% 11, repeat('pad ', m.n %% 23), "
        "case when m.n > 16500 then 'late' end, case when m.n %% 4001 = 1 then 'rare' end)) "
        "as lexemes) as l",
        {"count": CHUNKS, "seed": seed.chunk_ids[0], "few": FEW, "many": MANY},
    )
    kb.execute("select search.fold_statistics()")
    kb.execute("select search.refresh_postings()")
    assert value_of(kb, "select array_agg(block order by block) from search.listed_block") == [0, 1]
    return kb


def leg(db: psycopg.Connection[Any], query: str, tags: list[str] | None = None) -> list[Row]:
    return rows_of(
        db,
        "search.keyword_leg(%s::tsquery, (select array_agg(scope_id) from corpus.scope), "
        "'{approved,pending}', %s)",
        [query, tags],
    )


def test_with_lists_the_leg_finds_what_it_finds_without(big: psycopg.Connection[Any]) -> None:
    asked = [
        (query, tags)
        for query in (
            "'mid'", "'late'", "'rare'", "'every' | 'w17' | 'mid'", "'rare' | 'mid' | 'v3'",
            "'w5' | 'mid':D | 'v7':D", "'v4':D", "'late' | 'w250' | 'nowhere'",
        )
        for tags in (None, [FEW], [MANY], [FEW, MANY])
    ]  # fmt: skip
    big.execute(
        "update corpus.chunk_fact as f set status = 'rejected' from corpus.chunk as c "
        "where f.chunk_id = c.chunk_id and c.chunk_index % 5 = 0"
    )
    listed = [leg(big, *one) for one in asked]
    assert all(rows for rows, (query, tags) in zip(listed, asked, strict=True) if tags is None)
    big.execute("set local kb.keyword_budget = 1000000")
    big.execute("delete from search.listed_scope")
    for one, rows in zip(asked, listed, strict=True):
        assert rows == leg(big, *one), one


def test_where_few_of_the_best_are_visible_the_next_are_looked_at(
    big: psycopg.Connection[Any],
) -> None:
    best = [row["chunk_id"] for row in leg(big, "'mid'")]
    assert len(best) == 50
    big.execute(
        "update corpus.chunk_fact as f set status = 'rejected' from corpus.chunk as c "
        "where f.chunk_id = c.chunk_id and c.chunk_index % 7 > 3"
    )
    rest = leg(big, "'mid'")
    assert len(rest) == 50
    assert not {row["chunk_id"] for row in rest} & set(best)
    big.execute("set local kb.keyword_budget = 1000000")
    big.execute("delete from search.listed_scope")
    assert rest == leg(big, "'mid'")


def test_texts_of_a_scope_without_lists_do_not_stand_in_for_better_ones_that_are_listed(
    big: psycopg.Connection[Any],
) -> None:
    # as many as are scored in full, and each of them worse than what is listed
    body = "\n\n".join(
        "mid " + " ".join(f"x{part}y{word}" for word in range(90)) for part in range(240)
    )
    add(big, body, source="poor", la_code="E10000016")
    # of the best that are listed hardly any is visible
    best = [row["chunk_id"] for row in leg(big, "'mid'")]
    big.execute(
        "update corpus.chunk_fact as f set status = 'rejected' from corpus.chunk as c "
        "where f.chunk_id = c.chunk_id and f.scope_id = 1 and c.chunk_index % 7 > 4"
    )
    assert not value_of(
        big,
        "select count(*) from corpus.chunk_fact where status = 'pending' and chunk_id = any(%s)",
        [best],
    )
    found = leg(big, "'mid'")
    big.execute("set local kb.keyword_budget = 1000000")
    big.execute("delete from search.listed_scope")
    assert found == leg(big, "'mid'")
