-- embedding.check_numbers
-- Vectors of a set that are given as one row of numbers, one behind the other: each at unit length and half precision; refuse what is none.
--
-- A driver sends numbers in binary: reading them as text costs the server and the client five
-- times as much.
--
-- called by  embedding.store_numbers, embedding.store_filled
-- raises     VE001 zero vector, VE002 wrong width, VE003 not a vector, VE007 lists of different length

create or replace function embedding.check_numbers(
    numbers real[],
    vectors integer,
    expected_set embedding.set
)
returns public.halfvec[]
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _width integer := cardinality(check_numbers.numbers) / nullif(check_numbers.vectors, 0);
    _checked public.halfvec[];
begin
    if (
        check_numbers.vectors is not null
        and cardinality(check_numbers.numbers) = coalesce(check_numbers.vectors * _width, 0)
    ) is not true then
        raise exception 'chunks and vectors do not pair up'
            using errcode = 'VE007', hint = 'Give one vector for each chunk, each chunk once.';
    end if;
    if check_numbers.vectors = 0 then
        return '{}';
    end if;
    select array_agg(
        embedding.check_vector(
            check_numbers.numbers[(u.n - 1) * _width + 1 : u.n * _width]::public.vector,
            check_numbers.expected_set
        )
        order by u.n
    )
    into _checked
    from generate_series(1, check_numbers.vectors) as u (n);
    return _checked;
exception
    when data_exception or numeric_value_out_of_range or null_value_not_allowed
        or program_limit_exceeded
    then
        raise exception 'a vector of % (width %) is not a vector: %',
            (check_numbers.expected_set).model, (check_numbers.expected_set).width, sqlerrm
            using errcode = 'VE003', hint = 'It may hold NaN or infinity: embed the text again.';
end;
$func$;

comment on function embedding.check_numbers is
'Vectors of a set that are given as one row of numbers, one behind the other: each at unit length and half precision; refuse what is none.';
