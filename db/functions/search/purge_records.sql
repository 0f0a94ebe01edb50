-- search.purge_records
-- Remove the oldest search records and coverage misses whose time is over, one batch of each; returns how many went.
--
-- Records go after kb.record_days, coverage misses after kb.coverage_miss_days. Called again and
-- again it catches up with any backlog; two at once take different rows, and nobody who searches
-- or records waits.
--
-- definer because  nobody else may remove anything from the audit
-- called by  ingest/upkeep/calls.py (worker upkeep)
-- writes     search.record, audit.event
-- locks      the rows of the batch
-- raises     SE001 a batch without rows, ST002 unusable setting

create or replace function search.purge_records(batch_size integer default 10000)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $func$
declare
    _records integer;
    _misses integer;
begin
    if coalesce(purge_records.batch_size, 0) < 1 then
        raise exception 'batch_size % is out of range', purge_records.batch_size
            using errcode = 'SE001', hint = 'Give at least 1.';
    end if;
    delete from search.record as r
    where r.record_id in (
        select o.record_id
        from search.record as o
        where o.at < now() - make_interval(days => config.value('kb.record_days')::integer)
        order by o.at
        limit purge_records.batch_size
        for update skip locked
    );
    get diagnostics _records = row_count;
    delete from audit.event as e
    where e.event_id in (
        select o.event_id
        from audit.event as o
        where
            o.kind = 'la_coverage_miss'
            and o.at < now() - make_interval(days => config.value('kb.coverage_miss_days')::integer)
        order by o.at
        limit purge_records.batch_size
        for update skip locked
    );
    get diagnostics _misses = row_count;
    return _records + _misses;
end;
$func$;

comment on function search.purge_records is
'Remove the oldest search records and coverage misses whose time is over, one batch of each; returns how many went.';
