-- search.similarities
-- Cosine similarity of named chunks, whichever leg found them; chunks without a vector in the set are left out.
--
-- called by  search.rank_candidates, search.explain_miss
-- raises     nothing

create or replace function search.similarities(
    query public.halfvec,
    set_id integer,
    chunk_ids bigint[]
)
returns table (chunk_id bigint, similarity double precision)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select v.chunk_id, 1 - (v.embedding operator(public.<=>) similarities.query)
    from embedding.vector as v
    where v.set_id = similarities.set_id and v.chunk_id = any(similarities.chunk_ids)
    union all
    select v.chunk_id, 1 - (v.embedding operator(public.<=>) similarities.query)
    from embedding.cold_vector as v
    where v.set_id = similarities.set_id and v.chunk_id = any(similarities.chunk_ids);
$func$;

comment on function search.similarities is
'Cosine similarity of named chunks, whichever leg found them; chunks without a vector in the set are left out.';
