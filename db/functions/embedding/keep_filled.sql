-- embedding.keep_filled
-- Put checked vectors of chunks that waited where they belong, and the same for every waiting chunk of the same text; returns how many chunks got one.
--
-- Of those chunks so many were embedded for it, the others took a vector that was known.
--
-- called by  embedding.store_filled, embedding.claim_chunks
-- writes     what embedding.keep_vectors writes, embedding.wanted_vector, embedding.fill_batch
-- locks      the rows of the chunks and of those with the same text, in order
-- raises     what embedding.keep_vectors raises

create or replace function embedding.keep_filled(
    chunk_ids bigint[],
    vectors public.halfvec[],
    set_id integer,
    embedded integer
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _ids bigint[];
    _twins bigint[];
    _vectors public.halfvec[];
begin
    -- two workers whose texts are the same must not wait for each other
    perform
    from embedding.wanted_vector as w
    where
        w.set_id = keep_filled.set_id
        and w.chunk_id in (
            select t.chunk_id
            from corpus.chunk as c
            inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
            where c.chunk_id = any(keep_filled.chunk_ids)
        )
    order by w.chunk_id
    for update;
    select coalesce(array_agg(s.chunk_id), '{}'), coalesce(array_agg(s.given), '{}')
    into _twins, _vectors
    from (
        select distinct on (t.chunk_id) t.chunk_id, u.given
        from unnest(keep_filled.chunk_ids, keep_filled.vectors) as u (chunk_id, given)
        inner join corpus.chunk as c on u.chunk_id = c.chunk_id
        inner join corpus.chunk as t on c.embedding_hash = t.embedding_hash
        inner join embedding.wanted_vector as w
            on t.chunk_id = w.chunk_id and w.set_id = keep_filled.set_id
        where t.chunk_id <> all(keep_filled.chunk_ids)
    ) as s;
    _ids := keep_filled.chunk_ids || _twins;
    perform embedding.keep_vectors(_ids, keep_filled.vectors || _vectors, keep_filled.set_id);
    delete from embedding.wanted_vector as w
    where w.set_id = keep_filled.set_id and w.chunk_id = any(_ids);
    insert into embedding.fill_batch (set_id, embedded, reused)
    values (
        keep_filled.set_id, keep_filled.embedded, cardinality(_ids) - keep_filled.embedded
    );
    return cardinality(_ids);
end;
$func$;

comment on function embedding.keep_filled is
'Put checked vectors of chunks that waited where they belong, and the same for every waiting chunk of the same text; returns how many chunks got one.';
