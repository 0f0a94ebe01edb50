-- search.index_hits
-- The most similar visible chunks of these scopes by the HNSW index, scanned on while the filter leaves too few.
--
-- The planner settings leave the index as the only way that needs no sort; they and the hnsw
-- settings hold inside this call only (a SET clause restores what set_config changes).
-- Relaxed order keeps hits that strict order throws away; search.vector_leg ranks them anew.
-- Parallel unsafe, and so is all that calls it: in a parallel query no setting can be changed.
--
-- called by  search.vector_leg
-- raises     nothing

create or replace function search.index_hits(
    query public.halfvec,
    set_id integer,
    scope_ids bigint[],
    statuses text[],
    tags text[] default null,
    candidates integer default 50
)
returns setof search.vector_hit
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set hnsw.ef_search = 100
set hnsw.iterative_scan = relaxed_order
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_hashjoin = off
set enable_mergejoin = off
as $func$
declare
    _width integer := public.vector_dims(index_hits.query);
begin
    -- the list must hold what is asked for; pgvector refuses more than 1000
    perform set_config(
        'hnsw.ef_search',
        least(1000, greatest(
            index_hits.candidates, config.value('kb.ef_search')::integer
        ))::text,
        true
    );
    return query execute format(
        $query$
        select h.chunk_id, 1 - h.distance, 0
        from (
            select
                v.chunk_id,
                v.embedding::public.halfvec(%1$s) operator(public.<=>) $1::public.halfvec(%1$s)
                as distance
            from embedding.%2$I as v
            inner join corpus.chunk_fact as f on v.chunk_id = f.chunk_id
            where
                v.scope_id = any($2)
                and f.status = any($3)
                and ($4 is null or f.tags && $4)
            order by v.embedding::public.halfvec(%1$s) operator(public.<=>) $1::public.halfvec(%1$s)
            limit $5
        ) as h
        $query$,
        _width, 'vector_' || index_hits.set_id
    )
    using
        index_hits.query, index_hits.scope_ids, index_hits.statuses, index_hits.tags,
        index_hits.candidates;
end;
$func$;

comment on function search.index_hits is
'The most similar visible chunks of these scopes by the HNSW index, scanned on while the filter leaves too few.';
