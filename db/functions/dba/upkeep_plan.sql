-- dba.upkeep_plan
-- What upkeep would do now, in its order: housekeeping, rebuilds of vector indexes after churn, vacuums.
--
-- Rebuilds come before the vacuum of their table: the vacuum of a fresh graph has nothing to
-- repair. A rebuild whose graph does not fit into maintenance_work_mem is told, with fits false.
--
-- called by  admins, ingest/calls.py (upkeep)
-- raises     nothing

create or replace function dba.upkeep_plan()
returns table (step integer, task text, statement text, why text, fits boolean)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select
        (row_number() over (order by p.place, p.within))::integer,
        p.task, p.statement, p.why, p.fits
    from (
        select
            1 as place, 1 as within, 'fold' as task,
            'select search.fold_statistics();' as statement,
            format('%s changes of the text index wait', count(*)) as why, true as fits
        from search.scope_delta as d
        where d.scope_id = 0
        having count(*) > 0
        union all
        select 1, h.within, 'purge', h.statement, h.why, true
        from (
            values
                (2, 'select embedding.purge_queries();', 'cached questions whose time is over'),
                (3, 'select search.purge_records();', 'records whose time is over'),
                (4, 'select corpus.discard_abandoned();', 'documents nobody finished')
        ) as h (within, statement, why)
        union all
        select 2, r.step, 'rebuild', r.statement, r.why, r.fits
        from dba.rebuild_plan() as r
        where r.needed
        union all
        select 2, 2147483647, 'note', 'select dba.note_builds();', 'churn counts from here', true
        union all
        select
            3, (row_number() over (order by v.dead_rows, v.table_name))::integer, 'vacuum',
            v.statement, v.why || '; ' || v.cost, true
        from dba.vacuum_plan as v
    ) as p
    order by 1;
$func$;

comment on function dba.upkeep_plan is
'What upkeep would do now, in its order: housekeeping, rebuilds of vector indexes after churn, vacuums.';
