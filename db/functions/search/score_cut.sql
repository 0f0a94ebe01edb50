-- search.score_cut
-- A score that between wanted and twice as many chunks of these blocks exceed; 0 where no more than that score at all.
--
-- Found by trial (search.count_above, search.guess_level): first on an eighth of each block, which
-- leaves one or two trials on the whole. Of many chunks with one score more than wanted may exceed
-- it, never fewer.
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
    _target double precision := 1.4 * score_cut.wanted;
    _low double precision := 0;
    _high double precision := score_cut.ceiling;
    _above_low double precision;
    _above_high double precision := 1;
    _at double precision;
    _above double precision;
    _slope double precision;   -- so much higher, and an e-th of the chunks exceed it
    _chunks bigint;
    _sample search.block_scores[];
    _share double precision;   -- of the chunks that are in the sample
    _sample_low double precision := 0;
    _sample_high double precision := score_cut.ceiling;
    _above_sample_low double precision;
    _above_sample_high double precision := 0;
begin
    select
        -- no score is below zero
        coalesce(sum(bit_count(public.binary_quantize(b.scores))), 0),
        sum(public.vector_dims(b.scores))
    into _above_low, _chunks
    from unnest(score_cut.blocks) as b;
    if _above_low <= 2 * score_cut.wanted then
        return 0;
    end if;

    _at := search.guess_level(_low, _above_low, _high, _above_high, _target, 1);
    -- of less the whole is counted as quickly
    if _chunks >= 16000 then
        _sample := array(
            select row(
                b.scope_id, b.block,
                public.subvector(
                    b.scores, 1 + public.vector_dims(b.scores) * 7 / 16,
                    greatest(1, public.vector_dims(b.scores) / 8)
                )
            )::search.block_scores
            from unnest(score_cut.blocks) as b
        );
        _share := (select sum(public.vector_dims(s.scores)) from unnest(_sample) as s)
            / _chunks::double precision;
        _above_sample_low := _above_low * _share;
        for _trial in 1 .. 8 loop
            _above := search.count_above(_sample, _at::real);
            if _above >= _target * _share then
                _sample_low := _at;
                _above_sample_low := _above;
            else
                _sample_high := _at;
                _above_sample_high := _above;
            end if;
            exit when _above between 0.7 * _target * _share and 1.4 * _target * _share;
            _at := search.guess_level(
                _sample_low, _above_sample_low, _sample_high, _above_sample_high,
                _target * _share, _trial + 1
            );
        end loop;
        _slope := (_sample_high - _sample_low) / greatest(
            1e-6, ln(_above_sample_low) - ln(greatest(0.5, _above_sample_high))
        );
    end if;

    for _trial in 1 .. 14 loop
        _above := search.count_above(score_cut.blocks, _at::real);
        if _above >= score_cut.wanted then
            _low := _at;
            _above_low := _above;
        else
            _high := _at;
            _above_high := _above;
        end if;
        exit when _above_low <= 2 * score_cut.wanted;
        _at := _at + _slope * ln(greatest(1, _above) / _target);
        -- the sample's slope is good for one step, and only where it leads between what is known
        _slope := null;
        if (_at > _low and _at < _high) is not true then
            _at := search.guess_level(
                _low, _above_low, _high, _above_high, _target, _trial + 1
            );
        end if;
    end loop;
    return _low;
end;
$func$;

comment on function search.score_cut is
'A score that between wanted and twice as many chunks of these blocks exceed; 0 where no more than that score at all.';
