-- search.level_vector
-- A vector of one number throughout: what scores are held against to see, all at once, which of them exceed it.
--
-- Doubled from a short one, which takes a third of the time of an array cast to a vector.
--
-- called by  search.count_above, search.keyword_pool
-- raises     nothing

create or replace function search.level_vector(level real, dims integer default 16000)
returns public.vector
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    -- 125 doubled seven times are the most dimensions that a vector may have
    _vector public.vector := array_fill(
        level_vector.level, array[least(125, level_vector.dims)]
    )::public.vector;
begin
    while public.vector_dims(_vector) < level_vector.dims loop
        _vector := _vector operator(public.||) _vector;
    end loop;
    return case
        when public.vector_dims(_vector) = level_vector.dims then _vector
        else public.subvector(_vector, 1, level_vector.dims)
    end;
end;
$func$;

comment on function search.level_vector is
'A vector of one number throughout: what scores are held against to see, all at once, which of them exceed it.';
