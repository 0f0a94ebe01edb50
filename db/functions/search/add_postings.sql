-- search.add_postings
-- The BM25 scores of every chunk of these listed scopes by these words, block by block, as far as their posting lists tell.
--
-- pgvector adds the lists up, so that a posting costs a few nanoseconds: no row is made for it.
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
declare
    _weight public.vector := case
        when exists (select from unnest(add_postings.words) as w where w.expansion)
            then array_fill(
                (add_postings.bm25).expansion_weight::real, array[16000]
            )::public.vector
    end;
begin
    return query
    select
        t.scope_id,
        t.block,
        case
            when t.added is null then t.typed
            when t.typed is null then a.scores
            else t.typed operator(public.+) a.scores
        end
    from (
        select
            p.scope_id,
            p.block,
            public.sum(p.scores::public.vector) filter (where not w.expansion) as typed,
            public.sum(p.scores::public.vector) filter (where w.expansion) as added
        from unnest(add_postings.words) as w
        inner join search.posting_list as p
            on w.lexeme = p.lexeme and p.scope_id = any(add_postings.scope_ids)
        group by p.scope_id, p.block
    ) as t
    cross join lateral (
        select
            t.added operator(public.*) public.subvector(
                _weight, 1, public.vector_dims(t.added)
            ) as scores
    ) as a;
end;
$func$;

comment on function search.add_postings is
'The BM25 scores of every chunk of these listed scopes by these words, block by block, as far as their posting lists tell.';
