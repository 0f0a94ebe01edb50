-- embedding.store_vectors
-- Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.
--
-- called by  ingest/calls.py, embedding.store_filled
-- writes     embedding.cold_vector of staged and superseded chunks, embedding.vector of published ones
-- raises     VE001 zero vector, VE002 wrong width, VE003 not a vector, VE005 unknown set, VE007 lists of different length

create or replace function embedding.store_vectors(
    chunk_ids bigint[],
    vectors text[],
    set_name text default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(store_vectors.set_name);
    _checked public.halfvec[];
    _cold integer;
    _live integer;
begin
    if cardinality(store_vectors.chunk_ids) is distinct from cardinality(store_vectors.vectors)
        or array_position(store_vectors.chunk_ids, null) is not null
        or cardinality(store_vectors.chunk_ids) <> (
            select count(distinct u.id) from unnest(store_vectors.chunk_ids) as u (id)
        )
    then
        raise exception 'chunks and vectors do not pair up'
            using errcode = 'VE007', hint = 'Give one vector for each chunk, each chunk once.';
    end if;
    begin
        select array_agg(embedding.check_vector(u.given::public.vector, _set) order by u.n)
        into _checked
        from unnest(store_vectors.vectors) with ordinality as u (given, n);
    exception
        when invalid_text_representation or data_exception or numeric_value_out_of_range
            or program_limit_exceeded
        then
            raise exception 'a vector of % (width %) is not a vector: %',
                _set.model, _set.width, sqlerrm
                using errcode = 'VE003', hint = 'It may hold NaN or infinity: embed the text again.';
    end;

    -- a chunk that is published or withdrawn meanwhile must not get its vector on the wrong side
    perform from corpus.version as v
    where v.version_id in (
        select c.version_id from corpus.chunk as c where c.chunk_id = any(store_vectors.chunk_ids)
    )
    order by v.version_id
    for share;

    insert into embedding.cold_vector (set_id, chunk_id, embedding)
    select _set.set_id, c.chunk_id, u.checked
    from unnest(store_vectors.chunk_ids, _checked) as u (chunk_id, checked)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state <> 'published'
    on conflict do nothing;
    get diagnostics _cold = row_count;

    insert into embedding.vector (set_id, chunk_id, scope_id, embedding)
    select _set.set_id, c.chunk_id, c.scope_id, u.checked
    from unnest(store_vectors.chunk_ids, _checked) as u (chunk_id, checked)
    inner join corpus.chunk as c on u.chunk_id = c.chunk_id
    inner join corpus.version as v on c.version_id = v.version_id
    where v.state = 'published'
    on conflict do nothing;
    get diagnostics _live = row_count;
    return _cold + _live;
end;
$func$;

comment on function embedding.store_vectors is
'Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.';
