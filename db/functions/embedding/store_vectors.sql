-- embedding.store_vectors
-- Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.
--
-- called by  DBAs, bench/churn.py
-- writes     what embedding.keep_vectors writes
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
begin
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

    return embedding.keep_vectors(store_vectors.chunk_ids, _checked, _set.set_id);
end;
$func$;

comment on function embedding.store_vectors is
'Store vectors of chunks in a set (the active one when not named); returns how many were new. All or none.';
