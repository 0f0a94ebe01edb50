-- 0041_advice_on_spare_indexes
-- why   the advice was to rebuild an index that upkeep is about to drop
-- lock  dba.index_health against readers of the view, for an instant
-- undo  create or replace view dba.index_health as in 0017; drop function dba.spare_indexes
-- definition needs dba.spare_indexes, which the view asks
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create function dba.spare_indexes()
returns table (index_name text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select 'embedding.' || x.index_name
    from embedding.set as e
    cross join lateral embedding.spare_indexes(e.set_id) as x;
$func$;
comment on function dba.spare_indexes is
'The vector indexes of all sets that upkeep is going to drop, or would drop were their set active, with their schema.';

create or replace view dba.index_health as
select
    h.index_name,
    h.table_name,
    h.kind,
    pg_size_pretty(h.bytes) as size,
    h.bytes,
    h.live_rows,
    h.valid,
    h.ready,
    h.bloat,
    h.dead_rows,
    h.churn,
    h.last_vacuum,
    h.last_analyze,
    h.scans,
    h.build_progress,
    case
        when h.build_progress is not null then 'is being built: ' || h.build_progress
        when (not h.valid or not h.ready) and h.leftover
            then 'left by a rebuild that broke off; no query uses it: drop index concurrently '
                || h.index_name || ';'
        when h.index_name in (select s.index_name from dba.spare_indexes() as s)
            then case
                when h.active
                    then 'upkeep drops it, as soon as every index that searches read is there'
                else 'of an embedding set that is not active, which does not need it either: '
                    'drop index concurrently ' || h.index_name || ';'
            end
        when not h.valid or not h.ready
            then 'a build broke off; no query uses it: reindex index concurrently '
                || h.index_name || ';'
        when h.churn >= h.rebuild_after
            then format(
                '%s %% of its rows were replaced since it was built: reindex index concurrently %s;',
                round(100 * h.churn), h.index_name
            )
        when h.bloat >= 0.5 and h.bytes >= 8 * 1024 * 1024
            then format(
                '%s %% of it is empty: reindex index concurrently %s;',
                round((100 * h.bloat)::numeric), h.index_name
            )
        when h.dead_rows >= 50 + 0.05 * h.live_rows
            then format('%s dead rows are in it: see dba.vacuum_plan', h.dead_rows)
        when not h.active and h.live_rows > 0
            then 'of an embedding set that is not active: no search uses it'
        else 'nothing to do'
    end as advice
from (
    select
        format('%I.%I', n.nspname, c.relname) as index_name,
        t.table_name,
        a.amname::text as kind,
        pg_relation_size(c.oid) as bytes,
        coalesce(
            v.live_rows,
            case
                when i.indpred is not null and c.reltuples >= 0 then c.reltuples::bigint
                else t.live_rows
            end
        ) as live_rows,
        i.indisvalid as valid,
        i.indisready as ready,
        c.relname ~ '_cc(new|old)[0-9]*$' as leftover,
        case
            when coalesce(v.fresh_bytes, b.fresh_bytes) is not null
                then round(greatest(0, 1 - coalesce(v.fresh_bytes, b.fresh_bytes)::numeric
                    / greatest(pg_relation_size(c.oid), 1)), 3)
        end as bloat,
        t.dead_rows,
        round(v.churn::numeric, 3) as churn,
        t.last_vacuum,
        t.last_analyze,
        pg_stat_get_numscans(c.oid) as scans,
        p.phase || coalesce(format(', %s %%', round((100 * p.done)::numeric)), '')
            || case when p.waits then ', waits for older transactions' else '' end
            as build_progress,
        v.active,
        (
            select s.value::numeric
            from config.settings as s
            where s.name = 'kb.rebuild_after'
        ) as rebuild_after
    from pg_index as i
    inner join pg_class as c on i.indexrelid = c.oid
    inner join pg_namespace as n on c.relnamespace = n.oid
    inner join pg_am as a on c.relam = a.oid
    inner join pg_class as r on i.indrelid = r.oid
    inner join dba.our_table as t on i.indrelid = t.table_oid
    left join dba.vector_index as v on c.oid = v.index_oid
    left join dba.index_build_progress as p on c.oid = p.index_oid
    left join lateral (
        -- a btree page of ours is filled to 90 %; equal keys packed together take less
        select
            8192 * (1 + ceil(greatest(c.reltuples, 0) / floor(
                8150 * 0.9 / (12 + 8 * ceil(k.key_bytes / 8.0))
            ))) as fresh_bytes
        from (
            select sum(coalesce(nullif(w.attlen, -1), s.avg_width, 32)) as key_bytes
            from pg_attribute as w
            left join pg_attribute as col
                on i.indrelid = col.attrelid and i.indkey[w.attnum - 1] = col.attnum
            left join pg_stats as s
                on n.nspname = s.schemaname and r.relname = s.tablename
                and col.attname = s.attname and not s.inherited
            where w.attrelid = c.oid
        ) as k
        where a.amname = 'btree' and i.indpred is null
    ) as b on true
    where c.relkind = 'i'
) as h
order by h.bytes desc, h.index_name asc;
