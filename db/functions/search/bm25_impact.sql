-- search.bm25_impact
-- What a word adds to the BM25 score of a text, before its idf: tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)).
--
-- Robertson & Zaragoza 2009. Without a pinned path, so that it is inlined.
--
-- called by  search.keyword_pool, search.keyword_pool_within, search.score_texts, search.list_postings
-- raises     nothing

create or replace function search.bm25_impact(
    tf double precision,
    token_count integer,
    mean_length double precision,
    k1 double precision,
    b double precision
)
returns double precision
language sql
immutable
parallel safe
security invoker
as $func$
    select
        bm25_impact.tf * (bm25_impact.k1 + 1) / (
            bm25_impact.tf + bm25_impact.k1 * (
                1 - bm25_impact.b
                + bm25_impact.b * bm25_impact.token_count / bm25_impact.mean_length
            )
        );
$func$;

comment on function search.bm25_impact is
'What a word adds to the BM25 score of a text, before its idf: tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)).';
