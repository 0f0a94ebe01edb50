-- search.tagged_chunks
-- The visible chunks of these scopes that carry any of these tags, at most so many.
--
-- Of few scopes through the index of tags within scopes, which holds nothing of the others; of many,
-- that would be asked for too many words at once: there the index of tags alone, and each chunk's
-- scope is looked at.
--
-- called by  search.vector_leg, search.bit_hits, search.exact_hits, search.keyword_leg,
--            search.keyword_pool
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
    select f.chunk_id, f.scope_id
    from corpus.chunk_fact as f
    where
        f.tags && tagged_chunks.tags
        -- not by an index of its own: of all scopes it holds every chunk
        and (f.scope_id = any(tagged_chunks.scope_ids)) is true
        and f.status = any(tagged_chunks.statuses)
    limit tagged_chunks.most;
end;
$func$;

comment on function search.tagged_chunks is
'The visible chunks of these scopes that carry any of these tags, at most so many.';
