-- search.calibrate
-- Measure on this machine how many chunks an exact scan reads in the time the index needs, and install it as kb.exact_limit.
--
-- Scans stored vectors as questions, warm: time of the index, time of an exact scan of one scope,
-- and so the number of chunks where both cost the same. With dry_run nothing is installed.
--
-- called by  a person at psql, pgkb upkeep
-- writes     config.setting, unless dry_run
-- raises     SE004 too few vectors to measure with, ST002 unusable setting

create or replace function search.calibrate(
    questions integer default 20,
    dry_run boolean default false
)
returns table (
    index_ms double precision,
    exact_ms_per_thousand double precision,
    measured_chunks bigint,
    exact_limit integer,
    installed boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _set embedding.set := embedding.active_set();
    _statuses text[] := regexp_split_to_array(config.value('kb.visible_statuses'), '\s*,\s*');
    _candidates integer := config.value('kb.candidates')::integer;
    -- the half of local text that holds most
    _half bigint[];
    _scope record;
    _query public.halfvec;
    _begun timestamptz;
    _index_ms double precision[] := '{}';
    _exact_ms double precision[] := '{}';
begin
    -- the largest scope that a search may still scan exactly
    select z.scope_id, z.chunks into _scope
    from search.scope_size as z
    where z.scope_id <> 0 and z.chunks between 1000 and 50000
    order by z.chunks desc
    limit 1;
    if not found then
        raise exception 'no scope holds 1,000 to 50,000 chunks: there is nothing to measure with'
            using errcode = 'SE004', hint = 'Keep kb.exact_limit as it is until there is more text.';
    end if;
    select array_agg(s.scope_id) into _half
    from corpus.scope as s
    left join search.scope_size as z on s.scope_id = z.scope_id
    where s.scope_id <> 1
    group by embedding.index_part(s.scope_id)
    order by sum(z.chunks) desc nulls last
    limit 1;
    for _query in
        select v.embedding
        from embedding.vector as v
        where v.set_id = _set.set_id
        order by hashint8(v.chunk_id)
        limit calibrate.questions + 1
    loop
        _begun := clock_timestamp();
        perform search.index_hits(_query, _set.set_id, _half, _statuses, null, _candidates);
        _index_ms := _index_ms || extract(epoch from clock_timestamp() - _begun)::double precision * 1000;
        _begun := clock_timestamp();
        perform search.exact_hits(
            _query, _set.set_id, array[_scope.scope_id], _statuses, null, _candidates
        );
        _exact_ms := _exact_ms || extract(epoch from clock_timestamp() - _begun)::double precision * 1000;
    end loop;
    -- the first of each was cold
    select percentile_cont(0.5) within group (order by m) into index_ms
    from unnest(_index_ms[2:]) as m;
    select
        percentile_cont(0.5) within group (order by m) / _scope.chunks * 1000
    into exact_ms_per_thousand
    from unnest(_exact_ms[2:]) as m;
    measured_chunks := _scope.chunks;
    -- twice the index's time buys a recall of one
    exact_limit := least(100000, greatest(2000, round(
        2000 * index_ms / exact_ms_per_thousand
    )));
    installed := not calibrate.dry_run;
    if installed then
        perform config.install_setting('kb.exact_limit', exact_limit::text);
    end if;
    return next;
end;
$func$;

comment on function search.calibrate is
'Measure on this machine how many chunks an exact scan reads in the time the index needs, and install it as kb.exact_limit.';
