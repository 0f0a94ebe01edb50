-- embedding.chunks_to_embed
-- Chunks of a version that still lack a vector in a set (the active one when not named), after reusing the vectors of equal text.
--
-- called by  ingest/embedding/calls.py
-- writes     embedding.cold_vector (reused vectors)
-- raises     VE005 unknown set, KB009 unknown version

create or replace function embedding.chunks_to_embed(
    version_id bigint,
    batch_size integer default 64,
    set_name text default null
)
returns table (chunk_id bigint, embedding_text text)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _set embedding.set := embedding.named_set(chunks_to_embed.set_name);
    _version corpus.version;
begin
    select v.* into _version
    from corpus.version as v
    where v.version_id = chunks_to_embed.version_id;
    if not found then
        raise exception 'there is no version %', chunks_to_embed.version_id
            using errcode = 'KB009', hint = 'It may have been discarded; stage the document again.';
    end if;

    -- the same title and passage were embedded by this set before
    if _version.state = 'staged' then
        insert into embedding.cold_vector (set_id, chunk_id, embedding)
        select distinct on (c.chunk_id) _set.set_id, c.chunk_id, r.embedding
        from corpus.chunk as c
        inner join corpus.chunk as twin
            on c.embedding_hash = twin.embedding_hash and twin.chunk_id <> c.chunk_id
        cross join lateral (
            select v.embedding
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
            union all
            select v.embedding
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = twin.chunk_id
        ) as r
        where c.version_id = chunks_to_embed.version_id
        on conflict do nothing;
    end if;

    return query
    select c.chunk_id, embedding.text_of(_version.title, c.content)
    from corpus.chunk as c
    where
        c.version_id = chunks_to_embed.version_id
        and not exists (
            select
            from embedding.cold_vector as v
            where v.set_id = _set.set_id and v.chunk_id = c.chunk_id
        )
        and not exists (
            select
            from embedding.vector as v
            where v.set_id = _set.set_id and v.chunk_id = c.chunk_id
        )
    order by c.chunk_index
    limit chunks_to_embed.batch_size;
end;
$func$;

comment on function embedding.chunks_to_embed is
'Chunks of a version that still lack a vector in a set (the active one when not named), after reusing the vectors of equal text.';
