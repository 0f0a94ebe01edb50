-- search.bm25_settings
-- The settings of BM25 and the size of the corpus, read once for a search.
--
-- called by  search.keyword_leg, search.list_postings, search.scopes_to_list
-- raises     ST002 unusable setting

create or replace function search.bm25_settings()
returns search.bm25
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        config.value('kb.bm25_k1')::double precision,
        config.value('kb.bm25_b')::double precision,
        n.chunks,
        greatest(1, n.tokens) / n.chunks,
        config.value('kb.expansion_weight')::double precision,
        -- in a small corpus a word in three chunks is still rare
        greatest(3, config.value('kb.rare_share')::double precision * n.chunks)
    from (
        select
            greatest(1, coalesce(sum(z.chunks), 0))::double precision as chunks,
            coalesce(sum(z.tokens), 0)::double precision as tokens
        from search.scope_size as z
        where z.scope_id = 0
    ) as n;
$func$;

comment on function search.bm25_settings is
'The settings of BM25 and the size of the corpus, read once for a search.';
