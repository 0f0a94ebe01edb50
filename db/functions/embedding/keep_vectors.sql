-- embedding.keep_vectors
-- Put checked vectors of chunks where they belong; returns how many were new.
--
-- called by  embedding.store_vectors, embedding.store_numbers, embedding.keep_filled
-- writes     embedding.cold_vector of staged and superseded chunks, embedding.vector of published ones
-- locks      rows: the versions of the chunks, shared
-- raises     VE007 lists of different length

create or replace function embedding.keep_vectors(
    chunk_ids bigint[],
    vectors public.halfvec[],
    set_id integer
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _cold integer;
    _live integer;
begin
    if cardinality(keep_vectors.chunk_ids)
        is distinct from coalesce(cardinality(keep_vectors.vectors), 0)
        or array_position(keep_vectors.chunk_ids, null) is not null
        or cardinality(keep_vectors.chunk_ids) <> (
            select count(distinct u.id) from unnest(keep_vectors.chunk_ids) as u (id)
        )
    then
        raise exception 'chunks and vectors do not pair up'
            using errcode = 'VE007', hint = 'Give one vector for each chunk, each chunk once.';
    end if;

    -- a chunk that is published or withdrawn meanwhile must not get its vector on the wrong side
    perform from corpus.version as v
    where v.version_id in (
        select c.version_id from corpus.chunk as c where c.chunk_id = any(keep_vectors.chunk_ids)
    )
    order by v.version_id
    for share;

    insert into embedding.cold_vector (set_id, chunk_id, embedding)
    select keep_vectors.set_id, c.chunk_id, u.embedding
    from unnest(keep_vectors.chunk_ids, keep_vectors.vectors) as u (chunk_id, embedding)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state <> 'published'
    on conflict do nothing;
    get diagnostics _cold = row_count;

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select keep_vectors.set_id, c.chunk_id, c.scope_id, u.embedding
    from unnest(keep_vectors.chunk_ids, keep_vectors.vectors) as u (chunk_id, embedding)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state = 'published'
    on conflict do nothing;
    get diagnostics _live = row_count;
    return _cold + _live;
end;
$func$;

comment on function embedding.keep_vectors is
'Put checked vectors of chunks where they belong; returns how many were new.';
