-- dba.rebuild_plan
-- What rebuilding an index, or without a name every vector index, takes: the statements in their order, why, and whether memory suffices.
--
-- REINDEX CONCURRENTLY runs neither in a function nor in a procedure, so this tells what to run:
-- `pgkb rebuild-index` does, and in psql `select statement from dba.rebuild_plan() where needed`
-- with \gexec. What a rebuild that broke off left behind is dropped first. A vector index is built
-- in maintenance_work_mem; one whose graph is larger takes several times longer. One that upkeep is
-- going to drop (dba.spare_indexes) is not rebuilt before.
--
-- called by  admins, dba.upkeep_plan, ingest/upkeep/calls.py (rebuild)
-- raises     UP001 no such index of ours, UP003 an index that no search reads, ST002 unusable setting

create or replace function dba.rebuild_plan(index_name text default null)
returns table (
    step integer,
    target text,
    statement text,
    needed boolean,
    why text,
    live_rows bigint,
    disk_bytes bigint,
    graph_bytes bigint,
    memory_bytes bigint,
    fits boolean
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _wanted text;
    _spare text[] := array(select s.index_name from dba.spare_indexes() as s);
    _memory bigint := pg_size_bytes(current_setting('maintenance_work_mem'));
    _rebuild_after double precision := config.value('kb.rebuild_after')::double precision;
begin
    if rebuild_plan.index_name is not null then
        -- with its schema or, where only one is called so, without
        select min(h.index_name) into _wanted
        from dba.index_health as h
        where
            rebuild_plan.index_name in (h.index_name, split_part(h.index_name, '.', 2))
        having count(*) = 1;
        if _wanted is null then
            raise exception 'no index of ours is called %', rebuild_plan.index_name
                using errcode = 'UP001',
                      hint = 'See the names in dba.index_health and give the schema, too.';
        end if;
        if _wanted = any(_spare) then
            raise exception '% is an index that no search reads', _wanted
                using errcode = 'UP003',
                      hint = 'Upkeep drops it once all that searches read are there: pgkb upkeep.';
        end if;
    end if;
    return query
    with wanted_index as (
        select
            h.*,
            coalesce(v.fresh_bytes, h.bytes) as disk_bytes,
            v.graph_bytes,
            split_part(h.index_name, '.', 2) ~ '_cc(new|old)[0-9]*$'
            and not (h.valid and h.ready) as leftover,
            exists (
                select from dba.index_build_progress as p where p.table_name = h.table_name
            ) as busy
        from dba.index_health as h
        left join dba.vector_index as v on v.index_name = h.index_name
        where
            h.index_name <> all(_spare)
            and case
                when _wanted is null then h.kind = 'hnsw' or not (h.valid and h.ready)
                else
                    h.index_name = _wanted
                    or (
                        starts_with(h.index_name, _wanted || '_cc')
                        and not (h.valid and h.ready)
                    )
            end
    )

    select
        (row_number() over (order by not w.leftover, w.bytes, w.index_name))::integer,
        w.index_name,
        format(
            case
                when w.leftover then 'drop index concurrently if exists %s;'
                else 'reindex index concurrently %s;'
            end,
            w.index_name
        ),
        w.leftover or not (w.valid and w.ready) or coalesce(w.churn >= _rebuild_after, false)
        or (coalesce(w.bloat, 0) >= 0.5 and w.bytes >= 8 * 1024 * 1024),
        w.advice,
        w.live_rows,
        case when w.leftover then 0 else w.disk_bytes end,
        case when w.leftover then 0 else w.graph_bytes end,
        _memory,
        w.leftover or coalesce(w.graph_bytes <= _memory, true)
    from wanted_index as w
    -- another build works on the table: what looks left over may be its work
    where not (w.busy and w.leftover)
    order by 1;
end;
$func$;

comment on function dba.rebuild_plan is
'What rebuilding an index, or without a name every vector index, takes: the statements in their order, why, and whether memory suffices.';
