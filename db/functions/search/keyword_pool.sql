-- search.keyword_pool
-- The visible chunks that score best by these words alone: what the keyword leg scores exactly, by all words.
--
-- Reads at most budget postings of a word (NULL reads all), of the scopes alone where in_scopes
-- narrows the index to them; share is the part of the corpus that is visible. Of a word with more
-- postings than that the chunks come first that hold it three times or oftener: the others score
-- low by it. With within, only those chunks.
--
-- called by  search.keyword_leg
-- raises     nothing

create or replace function search.keyword_pool(
    words search.query_word[],
    bm25 search.bm25,
    scope_ids bigint[],
    in_scopes tsquery,
    statuses text[],
    tags text[],
    pool integer,
    budget bigint,
    share double precision default 1,
    within bigint[] default null
)
returns setof search.text_index
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- each call is planned for its own words: a generic plan would not know how common they are
set plan_cache_mode = force_custom_plan
as $func$
declare
    _k1 double precision := (keyword_pool.bm25).k1;
    _b double precision := (keyword_pool.bm25).b;
    _mean_length double precision := (keyword_pool.bm25).mean_length;
    _expansion_weight double precision := (keyword_pool.bm25).expansion_weight;
begin
    return query
    with chosen_word as materialized (
        select
            q.worth,
            q.term,
            case when q.too_common then q.often else q.term end
            && coalesce(keyword_pool.in_scopes, q.term) as first_read,
            case when q.too_common then q.term && !!q.often end
            && coalesce(keyword_pool.in_scopes, q.term) as then_read
        from (
            select
                w.idf * case when w.expansion then _expansion_weight else 1 end as worth,
                terms.quote_lexeme(w.lexeme)::tsquery as term,
                -- search.scoped_lexemes
                terms.quote_lexeme('^' || w.lexeme)::tsquery as often,
                w.chunks * keyword_pool.share > keyword_pool.budget as too_common
            from unnest(keyword_pool.words) as w
        ) as q
    ),

    posting as (
        select
            p.chunk_id,
            sum(
                w.worth * p.tf * (_k1 + 1)
                / (p.tf + _k1 * (1 - _b + _b * p.token_count / _mean_length))
            ) as worth
        from chosen_word as w
        cross join lateral (
            select
                r.chunk_id,
                r.token_count,
                -- ts_rank of one word with equal weights is the sum of 1/i^2 up to its frequency
                -- over pi^2/6; solved for the frequency, exact over a tsvector's 256 positions
                round(
                    1 / (1.64493406685
                    * (1 - ts_rank('{1,1,1,1}', r.lexemes, w.term)::double precision)) - 0.5
                ) as tf
            from (
                select t.chunk_id, t.token_count, t.lexemes
                from search.text_index as t
                where
                    search.scoped_lexemes(t.lexemes, t.scope_id) @@ w.first_read
                    and t.scope_id = any(keyword_pool.scope_ids)
                    and (keyword_pool.within is null or t.chunk_id = any(keyword_pool.within))
                union all
                select t.chunk_id, t.token_count, t.lexemes
                from search.text_index as t
                where
                    search.scoped_lexemes(t.lexemes, t.scope_id) @@ w.then_read
                    and t.scope_id = any(keyword_pool.scope_ids)
                    and (keyword_pool.within is null or t.chunk_id = any(keyword_pool.within))
                limit keyword_pool.budget
            ) as r
        ) as p
        group by p.chunk_id
    )

    select t.*
    from (
        select p.chunk_id
        from (
            select q.chunk_id, q.worth from posting as q order by q.worth desc, q.chunk_id
        ) as p
        -- looked up best first until enough are found: most are visible
        cross join lateral (
            select
            from corpus.chunk_fact as f
            where
                f.chunk_id = p.chunk_id
                and f.status = any(keyword_pool.statuses)
                and (keyword_pool.tags is null or f.tags && keyword_pool.tags)
            offset 0
        ) as f
        order by p.worth desc, p.chunk_id
        limit keyword_pool.pool
    ) as best
    inner join search.text_index as t on best.chunk_id = t.chunk_id;
end;
$func$;

comment on function search.keyword_pool is
'The visible chunks that score best by these words alone: what the keyword leg scores exactly, by all words.';
