-- search.score_cut
-- A score that between wanted and twice as many chunks of these blocks exceed; 0 where no more than that score at all.
--
-- Found by trial: what exceeds a level is counted as bits, a few microseconds a block. The count
-- falls about exponentially with the score, so the next trial is laid by its logarithm. Of many
-- chunks with one score more than wanted may exceed it, never fewer.
--
-- called by  search.keyword_pool
-- raises     nothing

create or replace function search.score_cut(
    blocks search.block_scores[],
    wanted integer,
    ceiling double precision
)
returns real
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _low double precision := 0;
    _high double precision := score_cut.ceiling;
    _above_low bigint;
    _above_high bigint := 1;
    _at double precision := 0;
    _level public.vector;
    _above bigint;
begin
    for _trial in 0 .. 14 loop
        if _trial > 0 then
            _at := _low + (_high - _low) * case
                -- by halves where the logarithm gets nowhere
                when _trial % 4 = 0 then 0.5
                else least(0.95, greatest(0.05,
                    (ln(_above_low) - ln(1.4 * score_cut.wanted))
                    / greatest(1e-6, ln(_above_low) - ln(greatest(1, _above_high)))
                ))
            end;
        end if;
        _level := array_fill(_at::real, array[16000])::public.vector;
        select coalesce(sum(bit_count(public.binary_quantize(
            b.scores operator(public.-) public.subvector(
                _level, 1, public.vector_dims(b.scores)
            )
        ))), 0)
        into _above
        from unnest(score_cut.blocks) as b;
        if _trial = 0 or _above >= score_cut.wanted then
            _low := _at;
            _above_low := _above;
        else
            _high := _at;
            _above_high := _above;
        end if;
        exit when _above_low <= 2 * score_cut.wanted;
    end loop;
    return _low;
end;
$func$;

comment on function search.score_cut is
'A score that between wanted and twice as many chunks of these blocks exceed; 0 where no more than that score at all.';
