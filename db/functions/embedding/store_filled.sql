-- embedding.store_filled
-- Store the vectors of claimed chunks, given as one row of numbers, and the same for every waiting chunk of the same text; returns how many chunks got one.
--
-- A late worker does no harm: a chunk's text never changes, so its vector is right whoever made it.
--
-- called by  ingest/embedding/calls.py
-- writes     what embedding.keep_filled writes
-- locks      what embedding.keep_filled locks
-- raises     VE005 unknown set, and what embedding.check_numbers and embedding.keep_vectors raise

create or replace function embedding.store_filled(
    set_name text,
    chunk_ids bigint[],
    numbers real[]
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
    _chunks integer := cardinality(store_filled.chunk_ids);
begin
    return embedding.keep_filled(
        store_filled.chunk_ids,
        embedding.check_numbers(store_filled.numbers, _chunks, _set),
        _set.set_id,
        embedded => _chunks
    );
end;
$func$;

comment on function embedding.store_filled is
'Store the vectors of claimed chunks, given as one row of numbers, and the same for every waiting chunk of the same text; returns how many chunks got one.';
