-- embedding.store_numbers
-- Store vectors of chunks in a set (the active one when not named), given as one row of numbers, the vectors one behind the other; returns how many were new. All or none.
--
-- A driver sends numbers in binary: reading them as text costs the server and the client five
-- times as much.
--
-- called by  ingest/embedding/calls.py
-- writes     what embedding.keep_vectors writes
-- raises     VE001 zero vector, VE002 wrong width, VE003 not a vector, VE005 unknown set, VE007 lists of different length

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
    _chunks integer := cardinality(store_numbers.chunk_ids);
    _width integer := cardinality(store_numbers.numbers) / nullif(_chunks, 0);
    _checked public.halfvec[];
begin
    if cardinality(store_numbers.numbers) is distinct from coalesce(_chunks * _width, 0) then
        raise exception 'chunks and vectors do not pair up'
            using errcode = 'VE007', hint = 'Give one vector for each chunk, each chunk once.';
    end if;
    if _chunks = 0 then
        return 0;
    end if;
    begin
        select array_agg(
            embedding.check_vector(
                store_numbers.numbers[(u.n - 1) * _width + 1 : u.n * _width]::public.vector, _set
            )
            order by u.n
        )
        into _checked
        from generate_series(1, _chunks) as u (n);
    exception
        when data_exception or numeric_value_out_of_range or null_value_not_allowed
            or program_limit_exceeded
        then
            raise exception 'a vector of % (width %) is not a vector: %',
                _set.model, _set.width, sqlerrm
                using errcode = 'VE003', hint = 'It may hold NaN or infinity: embed the text again.';
    end;
    return embedding.keep_vectors(store_numbers.chunk_ids, _checked, _set.set_id);
end;
$func$;

comment on function embedding.store_numbers is
'Store vectors of chunks in a set (the active one when not named), given as one row of numbers, the vectors one behind the other; returns how many were new. All or none.';
