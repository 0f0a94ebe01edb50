-- search.keyword_pool_within
-- Of some chunks the visible ones that score best by these words: the pool where the filters are narrower than the words.
--
-- called by  search.keyword_leg
-- raises     nothing

create or replace function search.keyword_pool_within(
    words search.query_word[],
    bm25 search.bm25,
    within bigint[],
    scope_ids bigint[],
    statuses text[],
    tags text[],
    pool integer
)
returns setof search.text_index
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- each call is planned for its own chunks: few are looked up, of many the words are looked up first
set plan_cache_mode = force_custom_plan
as $func$
declare
    _k1 double precision := (keyword_pool_within.bm25).k1;
    _b double precision := (keyword_pool_within.bm25).b;
    _mean_length double precision := (keyword_pool_within.bm25).mean_length;
    _expansion_weight double precision := (keyword_pool_within.bm25).expansion_weight;
    _any_word tsquery := (
        select string_agg(terms.quote_lexeme(w.lexeme), ' | ')::tsquery
        from unnest(keyword_pool_within.words) as w
    );
begin
    return query
    with word as materialized (
        select
            w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
            terms.quote_lexeme(w.lexeme)::tsquery as term
        from unnest(keyword_pool_within.words) as w
    ),

    matching_text as materialized (
        select t.*
        from search.text_index as t
        inner join corpus.chunk_fact as f on t.chunk_id = f.chunk_id
        where
            t.chunk_id = any(keyword_pool_within.within)
            and search.scoped_lexemes(t.lexemes, t.scope_id) @@ _any_word
            and t.scope_id = any(keyword_pool_within.scope_ids)
            and f.status = any(keyword_pool_within.statuses)
            and (keyword_pool_within.tags is null or f.tags && keyword_pool_within.tags)
    )

    select b.*
    from matching_text as b
    inner join (
        select
            t.chunk_id,
            sum(w.worth * search.bm25_impact(i.tf, t.token_count, _mean_length, _k1, _b)) as worth
        from matching_text as t
        cross join word as w
        cross join lateral (
            select search.term_frequency(t.lexemes, w.term) as tf
            offset 0
        ) as i
        where i.tf > 0
        group by t.chunk_id
        order by worth desc, t.chunk_id
        limit keyword_pool_within.pool
    ) as p on b.chunk_id = p.chunk_id;
end;
$func$;

comment on function search.keyword_pool_within is
'Of some chunks the visible ones that score best by these words: the pool where the filters are narrower than the words.';
