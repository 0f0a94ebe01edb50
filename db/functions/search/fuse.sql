-- search.fuse
-- Reciprocal Rank Fusion of the two legs: sum of weight / (k + rank), equal scores share a rank, absent counts zero.
--
-- Cormack, Clarke & Buettcher 2009. The rest of the row is filled by search.weigh.
--
-- called by  search.rank_candidates, eval.sweep
-- raises     nothing

create or replace function search.fuse(
    vector_hits search.vector_hit[],
    keyword_hits search.keyword_hit[],
    rrf_k double precision default 60,
    vector_weight double precision default 1,
    keyword_weight double precision default 1
)
returns setof search.ranked_hit
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        coalesce(v.chunk_id, k.chunk_id),
        null::bigint,
        null::bigint,
        null::text,
        v.similarity,
        v.rank,
        k.bm25_score,
        k.rank,
        case
            when k.chunk_id is null then 'vector'
            when v.chunk_id is null then 'keyword'
            else 'hybrid'
        end,
        coalesce(fuse.vector_weight / (fuse.rrf_k + v.rank), 0)
        + coalesce(fuse.keyword_weight / (fuse.rrf_k + k.rank), 0),
        null::double precision,
        null::double precision,
        null::double precision,
        null::double precision,
        coalesce(k.identifier_matched or k.rare_words_matched, false),
        coalesce(k.coverage, 0),
        false,
        null::text,
        null::bytea,
        null::text,
        null::integer
    from unnest(fuse.vector_hits) as v
    full outer join unnest(fuse.keyword_hits) as k on v.chunk_id = k.chunk_id;
$func$;

comment on function search.fuse is
'Reciprocal Rank Fusion of the two legs: sum of weight / (k + rank), equal scores share a rank, absent counts zero.';
