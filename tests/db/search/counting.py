"""What the statistics of the text index must come to: everything counted again."""

from typing import Any

import psycopg

Counts = tuple[dict[str, int], dict[int, tuple[int, int]]]


def kept(db: psycopg.Connection[Any]) -> Counts:
    """Chunks by lexeme, chunks and tokens by scope, as the search reads them; no zeros."""
    lexemes = db.execute(
        "select lexeme, sum(chunks)::int from ("
        "select lexeme, chunks from search.lexeme_stat union all "
        "select lexeme, chunks from search.lexeme_delta) as s "
        "group by lexeme having sum(chunks) <> 0"
    ).fetchall()
    scopes = db.execute(
        "select scope_id, chunks, tokens from search.scope_size where chunks <> 0 or tokens <> 0"
    ).fetchall()
    return dict(lexemes), {scope: (chunks, tokens) for scope, chunks, tokens in scopes}


def recounted(db: psycopg.Connection[Any]) -> Counts:
    """The same from the postings themselves."""
    lexemes = db.execute(
        "select u.lexeme, count(*)::int from search.text_index as t, unnest(t.lexemes) as u "
        "group by u.lexeme"
    ).fetchall()
    scopes = db.execute(
        "select coalesce(scope_id, 0), count(*), sum(token_count) from search.text_index "
        "group by grouping sets ((scope_id), ()) having count(*) > 0"
    ).fetchall()
    return dict(lexemes), {scope: (chunks, tokens) for scope, chunks, tokens in scopes}
