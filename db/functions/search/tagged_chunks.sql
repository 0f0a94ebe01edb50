-- search.tagged_chunks
-- The visible chunks of these scopes that carry any of these tags, at most so many.
--
-- Of few scopes through the index of tags within scopes, which holds nothing of the others; of many,
-- that would be asked for too many words at once: there the index of tags alone, and each chunk's
-- scope is looked at.
--
-- called by  search.vector_leg, search.bit_hits, search.exact_hits, search.rank_candidates,
--            search.tagged_scores
-- raises     nothing

create or replace function search.tagged_chunks(
    tags text[],
    scope_ids bigint[],
    statuses text[],
    most bigint default null
)
returns table (chunk_id bigint, scope_id bigint)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
-- planned once for all calls, and that by an index
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $func$
begin
    if cardinality(tagged_chunks.tags) * cardinality(tagged_chunks.scope_ids) <= 64 then
        return query
        select f.chunk_id, f.scope_id
        from corpus.chunk_fact as f
        where
            corpus.scoped_tags(f.tags, array[f.scope_id])
            && corpus.scoped_tags(tagged_chunks.tags, tagged_chunks.scope_ids)
            and f.status = any(tagged_chunks.statuses)
        limit tagged_chunks.most;
        return;
    end if;
    return query
    -- first by tags alone: by scopes, where all are asked, every chunk would be read
    with tagged as materialized (
        select f.chunk_id, f.scope_id
        from corpus.chunk_fact as f
        where f.tags && tagged_chunks.tags and f.status = any(tagged_chunks.statuses)
    )

    select t.chunk_id, t.scope_id
    from tagged as t
    where t.scope_id in (select s.scope_id from unnest(tagged_chunks.scope_ids) as s (scope_id))
    limit tagged_chunks.most;
end;
$func$;

comment on function search.tagged_chunks is
'The visible chunks of these scopes that carry any of these tags, at most so many.';
