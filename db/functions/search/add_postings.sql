-- search.add_postings
-- The BM25 scores of every chunk of these listed scopes by these words, block by block, as far as their posting lists tell.
--
-- pgvector adds the lists up, so that a posting costs a few nanoseconds: no row is made for it.
-- A word whose idf is no longer what its list was made with is weighed by the difference, as one
-- that synonyms brought is by kb.expansion_weight: in steps of a tenth, so that words of one
-- weight, nearly always all, are added up before they are weighed.
-- A word without a list in a scope, and what came since the scope was listed, are not in it.
--
-- called by  search.keyword_pool
-- raises     nothing

create or replace function search.add_postings(
    words search.query_word[],
    bm25 search.bm25,
    scope_ids bigint[]
)
returns setof search.block_scores
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- planned once for all calls: every word's lists are looked up
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $func$
begin
    return query
    select
        t.scope_id,
        t.block,
        public.sum(
            case
                when t.weight = 1 then t.scores
                else t.scores operator(public.*) array_fill(
                    t.weight, array[public.vector_dims(t.scores)]
                )::public.vector
            end
        )
    from (
        select
            p.scope_id,
            p.block,
            n.weight,
            public.sum(p.scores::public.vector) as scores
        from unnest(add_postings.words) as w
        inner join search.posting_list as p
            on w.lexeme = p.lexeme and p.scope_id = any(add_postings.scope_ids)
        cross join lateral (
            select (
                exp(round(10 * ln(w.idf / p.idf)) / 10)
                * case when w.expansion then (add_postings.bm25).expansion_weight else 1 end
            )::real as weight
        ) as n
        group by p.scope_id, p.block, n.weight
    ) as t
    group by t.scope_id, t.block;
end;
$func$;

comment on function search.add_postings is
'The BM25 scores of every chunk of these listed scopes by these words, block by block, as far as their posting lists tell.';
