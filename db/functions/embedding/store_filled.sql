-- embedding.store_filled
-- Store the vectors of claimed chunks, and the same for every waiting chunk of the same text; returns how many chunks got one.
--
-- A late worker does no harm: a chunk's text never changes, so its vector is right whoever made it.
--
-- called by  ingest/embedding/calls.py, embedding.claim_chunks
-- writes     what embedding.store_vectors writes, embedding.wanted_vector, embedding.fill_batch
-- locks      the rows of the chunks and of those with the same text, in order
-- raises     what embedding.store_vectors raises

create or replace function embedding.store_filled(
    set_name text,
    chunk_ids bigint[],
    vectors text[],
    embedded integer default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.named_set(store_filled.set_name);
    _given integer := cardinality(store_filled.chunk_ids);
    _ids bigint[];
    _twins bigint[];
    _vectors text[];
begin
    -- two workers whose texts are the same must not wait for each other
    perform
    from embedding.wanted_vector as w
    where
        w.set_id = _set.set_id
        and w.chunk_id in (
            select t.chunk_id
            from corpus.chunk as c
            inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
            where c.chunk_id = any(store_filled.chunk_ids)
        )
    order by w.chunk_id
    for update;
    perform embedding.store_vectors(store_filled.chunk_ids, store_filled.vectors, _set.name);
    select coalesce(array_agg(s.chunk_id), '{}'), coalesce(array_agg(s.given), '{}')
    into _twins, _vectors
    from (
        select distinct on (t.chunk_id) t.chunk_id, u.given
        from unnest(store_filled.chunk_ids, store_filled.vectors) as u (chunk_id, given)
        inner join corpus.chunk as c on u.chunk_id = c.chunk_id
        inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
        inner join embedding.wanted_vector as w
            on t.chunk_id = w.chunk_id and w.set_id = _set.set_id
        where t.chunk_id <> all(store_filled.chunk_ids)
    ) as s;
    if cardinality(_twins) > 0 then
        perform embedding.store_vectors(_twins, _vectors, _set.name);
    end if;
    _ids := store_filled.chunk_ids || _twins;
    delete from embedding.wanted_vector as w
    where w.set_id = _set.set_id and w.chunk_id = any(_ids);
    insert into embedding.fill_batch (set_id, embedded, reused)
    values (
        _set.set_id,
        coalesce(store_filled.embedded, _given),
        cardinality(_ids) - coalesce(store_filled.embedded, _given)
    );
    return cardinality(_ids);
end;
$func$;

comment on function embedding.store_filled is
'Store the vectors of claimed chunks, and the same for every waiting chunk of the same text; returns how many chunks got one.';
