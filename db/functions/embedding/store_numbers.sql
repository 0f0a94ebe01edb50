-- embedding.store_numbers
-- Store vectors of chunks in a set (the active one when not named), given as one row of numbers, the vectors one behind the other; returns how many were new. All or none.
--
-- called by  ingest/embedding/calls.py
-- writes     what embedding.keep_vectors writes
-- raises     VE005 unknown set, and what embedding.check_numbers and embedding.keep_vectors raise

create or replace function embedding.store_numbers(
    chunk_ids bigint[],
    numbers real[],
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
    _set embedding.set := embedding.named_set(store_numbers.set_name);
begin
    return embedding.keep_vectors(
        store_numbers.chunk_ids,
        embedding.check_numbers(
            store_numbers.numbers, cardinality(store_numbers.chunk_ids), _set
        ),
        _set.set_id
    );
end;
$func$;

comment on function embedding.store_numbers is
'Store vectors of chunks in a set (the active one when not named), given as one row of numbers, the vectors one behind the other; returns how many were new. All or none.';
