-- dba.upkeep_plan
-- What upkeep would do now, in its order: housekeeping, posting lists, vector indexes missing or to be rebuilt after churn, vacuums.
--
-- Rebuilds come before the vacuum of their table: the vacuum of a fresh graph has nothing to
-- repair. A rebuild whose graph does not fit into maintenance_work_mem is told, with fits false.
--
-- called by  admins, ingest/upkeep/calls.py (upkeep)
-- raises     ST002 unusable setting

create or replace function dba.upkeep_plan()
returns table (
    step integer,
    task text,
    target text,
    statement text,
    why text,
    disk_bytes bigint,
    graph_bytes bigint,
    memory_bytes bigint,
    fits boolean
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with planned_step as (
        select
            1 as place, 1 as within, 'fold' as task, 'search.scope_delta' as target,
            'select search.fold_statistics();' as statement,
            format('%s changes of the text index wait', count(*)) as why,
            null::bigint as disk_bytes, null::bigint as graph_bytes,
            null::bigint as memory_bytes, true as fits
        from search.scope_delta as d
        where d.scope_id = 0
        having count(*) > 0
        union all
        select 1, h.within, 'purge', h.target, h.statement, h.why, null, null, null, true
        from (
            values
            (
                2, 'embedding.query_cache', 'select embedding.purge_queries();',
                'cached questions whose time is over'
            ),
            (
                3, 'search.record', 'select search.purge_records();',
                'records whose time is over'
            ),
            (
                4, 'corpus.version', 'select corpus.discard_abandoned();',
                'documents nobody finished'
            )
        ) as h (within, target, statement, why)
        union all
        select
            1, 4 + (row_number() over (order by t.chunks desc, t.scope_id))::integer, 'list',
            'search.posting_list', format('select search.list_postings(%s);', t.scope_id),
            format('scope %s: %s', t.scope_id, t.why), null, null, null, true
        from search.scopes_to_list() as t
        union all
        -- before, so that churn up to now is the old build's, and after
        select
            n.place, 1, 'note', 'dba.index_build', 'select dba.note_builds();',
            'churn is counted from the last build', null, null, null, true
        from unnest(array[2, 4]) as n (place)
        union all
        select
            3, 1000 + (row_number() over (order by m.index_name))::integer, 'index',
            'embedding.' || m.index_name, m.statement || ';',
            'searches read it', null, null, null, true
        from embedding.set as e
        cross join lateral embedding.missing_indexes(e.set_id) as m
        -- a broken one is among the rebuilds
        where e.active and not m.broken
        union all
        select
            3, 2000 + (row_number() over (order by x.index_name))::integer, 'drop',
            'embedding.' || x.index_name,
            format('drop index concurrently if exists embedding.%I;', x.index_name),
            'no search reads it any more', null, null, null, true
        from embedding.set as e
        cross join lateral embedding.spare_indexes(e.set_id) as x
        -- until then it is read
        where not exists (select from embedding.missing_indexes(e.set_id))
        union all
        select
            3, r.step, 'rebuild', r.target, r.statement, r.why, r.disk_bytes, r.graph_bytes,
            r.memory_bytes, r.fits
        from dba.rebuild_plan() as r
        where r.needed
        union all
        select
            5, (row_number() over (order by v.dead_rows, v.table_name))::integer, 'vacuum',
            v.table_name, v.statement, v.why || '; ' || v.cost, null, null, null, true
        from dba.vacuum_plan as v
    )

    select
        (row_number() over (order by p.place, p.within))::integer,
        p.task, p.target, p.statement, p.why, p.disk_bytes, p.graph_bytes, p.memory_bytes, p.fits
    from planned_step as p
    order by 1;
$func$;

comment on function dba.upkeep_plan is
'What upkeep would do now, in its order: housekeeping, posting lists, vector indexes missing or to be rebuilt after churn, vacuums.';
