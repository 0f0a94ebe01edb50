-- embedding.check_vector
-- The vector at unit length and half precision; refuse a zero vector and another width, naming model and widths.
--
-- called by  embedding.store_vectors, embedding.check_numbers, embedding.remember_query, search.resolve_request,
--            search.word_question, eval.store_vectors
-- raises     VE001 zero vector, VE002 wrong width, VE003 not a vector

create or replace function embedding.check_vector(given public.vector, expected_set embedding.set)
returns public.halfvec
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if check_vector.given is null then
        raise exception 'a vector of % is missing', (check_vector.expected_set).model
            using errcode = 'VE003', hint = 'Embed the text again.';
    end if;
    if public.vector_dims(check_vector.given) <> (check_vector.expected_set).width then
        raise exception 'the vector has % dimensions, % of set % has %',
            public.vector_dims(check_vector.given), (check_vector.expected_set).model,
            (check_vector.expected_set).name, (check_vector.expected_set).width
            using errcode = 'VE002',
                  hint = 'Embed with the model of the active set: select * from embedding.active_set();';
    end if;
    if public.vector_norm(check_vector.given) = 0 then
        raise exception 'the vector is all zero (model %, width %)',
            (check_vector.expected_set).model, (check_vector.expected_set).width
            using errcode = 'VE001', hint = 'A zero vector has no direction: embed the text again.';
    end if;
    return public.l2_normalize(check_vector.given)::public.halfvec;
end;
$func$;

comment on function embedding.check_vector is
'The vector at unit length and half precision; refuse a zero vector and another width, naming model and widths.';
