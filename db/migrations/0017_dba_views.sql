-- 0017_dba_views
-- why   what to do about indexes, tables and settings, as a view each
-- lock  none that matters (new objects)
-- undo  drop view dba.settings, dba.storage, dba.vacuum_plan, dba.index_health;
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create view dba.index_health as
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
comment on view dba.index_health is
'Every index of ours, the largest first, with what to do about it. Cheap: reads counters, no index.';
comment on column dba.index_health.index_name is 'Its name with its schema.';
comment on column dba.index_health.table_name is 'Its table.';
comment on column dba.index_health.kind is 'hnsw, gin, btree or hash.';
comment on column dba.index_health.size is 'Its size for people.';
comment on column dba.index_health.bytes is 'Its size.';
comment on column dba.index_health.live_rows is 'Rows it holds, as the server counts them.';
comment on column dba.index_health.valid is 'Whether queries use it.';
comment on column dba.index_health.ready is 'Whether writes maintain it.';
comment on column dba.index_health.bloat is
'Share of it that a fresh one would not need, estimated; NULL where it cannot be told (gin).';
comment on column dba.index_health.dead_rows is 'Dead rows of its table, still in it.';
comment on column dba.index_health.churn is
'Rows deleted since it was built, as a share of those of the table; of vector indexes.';
comment on column dba.index_health.last_vacuum is 'When its table was last vacuumed.';
comment on column dba.index_health.last_analyze is 'When its table was last analyzed.';
comment on column dba.index_health.scans is 'How often it was read since the counting began.';
comment on column dba.index_health.build_progress is 'Where its build is; NULL when none runs.';
comment on column dba.index_health.advice is 'What to do, in words; "nothing to do" when all is well.';

create view dba.vacuum_plan as
select
    p.table_name,
    p.live_rows,
    p.dead_rows,
    p.autovacuum_at,
    p.last_vacuum,
    p.last_analyze,
    p.why,
    format(
        'reads %s%s', pg_size_pretty(p.bytes),
        case when p.graph_rows > 0 then format(
            ', repairs a graph of %s rows: hours apart, when few search, and after a rebuild '
            || 'rather than before', p.graph_rows
        ) else '' end
    ) as cost,
    p.statement
from (
    select
        s.*,
        case
            when s.dead_rows >= 50 + 0.05 * s.live_rows
                then format('%s of %s rows are dead', s.dead_rows, s.live_rows + s.dead_rows)
            when s.frozen_age > 0.9 * s.freeze_at
                then format('its oldest transaction is %s old', s.frozen_age)
            when s.last_analyze is null then 'it was never analyzed'
            else format('%s rows changed since it was analyzed', s.changed_rows)
        end as why,
        case
            when s.dead_rows >= 50 + 0.05 * s.live_rows or s.frozen_age > 0.9 * s.freeze_at
                then format('vacuum (analyze) %s;', s.table_name)
            else format('analyze %s;', s.table_name)
        end as statement
    from (
        select
            t.table_name,
            t.dead_rows,
            t.changed_rows,
            t.last_vacuum,
            t.last_analyze,
            case
                when t.partitioned then (
                    select coalesce(sum(q.live_rows), 0)::bigint
                    from pg_partition_tree(t.table_oid) as x
                    inner join dba.our_table as q on x.relid = q.table_oid
                    where x.isleaf
                ) else t.live_rows
            end as live_rows,
            pg_table_size(t.table_oid) + pg_indexes_size(t.table_oid) as bytes,
            case when t.partitioned then 0 else age(t.relfrozenxid) end as frozen_age,
            current_setting('autovacuum_freeze_max_age')::bigint as freeze_at,
            (
                coalesce(
                    (select o.option_value from pg_options_to_table(t.reloptions) as o
                    where o.option_name = 'autovacuum_vacuum_threshold'),
                    current_setting('autovacuum_vacuum_threshold')
                )::double precision
                + t.live_rows * coalesce(
                    (select o.option_value from pg_options_to_table(t.reloptions) as o
                    where o.option_name = 'autovacuum_vacuum_scale_factor'),
                    current_setting('autovacuum_vacuum_scale_factor')
                )::double precision
            )::bigint as autovacuum_at,
            (
                select coalesce(sum(v.live_rows), 0)::bigint
                from dba.vector_index as v
                where v.table_oid = t.table_oid
            ) as graph_rows
        from dba.our_table as t
    ) as s
    where
        s.dead_rows >= 50 + 0.05 * s.live_rows
        or s.frozen_age > 0.9 * s.freeze_at
        or (s.last_analyze is null and s.live_rows > 0)
        or s.changed_rows >= 50 + 0.1 * s.live_rows
) as p
order by p.dead_rows desc, p.table_name asc;
comment on view dba.vacuum_plan is
'Tables that need a vacuum or an analyze now. In psql: select statement from dba.vacuum_plan \gexec';
comment on column dba.vacuum_plan.table_name is 'The table.';
comment on column dba.vacuum_plan.live_rows is 'Rows.';
comment on column dba.vacuum_plan.dead_rows is 'Rows that are gone and still take room and time.';
comment on column dba.vacuum_plan.autovacuum_at is
'Dead rows at which the server would do it by itself.';
comment on column dba.vacuum_plan.last_vacuum is 'When it was last vacuumed.';
comment on column dba.vacuum_plan.last_analyze is 'When it was last analyzed.';
comment on column dba.vacuum_plan.why is 'Why now.';
comment on column dba.vacuum_plan.cost is 'What the statement reads and, with a vector index, when to run it.';
comment on column dba.vacuum_plan.statement is 'The statement; not inside a transaction.';

create view dba.storage as
with sized_table as (
    select
        t.table_name,
        t.live_rows,
        t.table_oid,
        pg_relation_size(t.table_oid) as heap_bytes,
        pg_table_size(t.table_oid) - pg_relation_size(t.table_oid) as toast_bytes,
        pg_indexes_size(t.table_oid) as index_bytes,
        pg_total_relation_size(t.table_oid) as bytes
    from dba.our_table as t
    where not t.partitioned
),

corpus_size as (
    select
        greatest(1, coalesce((
            select z.chunks
            from search.scope_size as z
            where z.scope_id = 0
        ), 0)) as chunks,
        coalesce(sum(s.bytes), 0)::bigint as bytes
    from sized_table as s
),

part as (
    select
        1 as place,
        'total' as part,
        current_database()::text as name,
        c.chunks as live_rows,
        c.bytes
    from corpus_size as c
    union all
    select
        2 as place,
        'embedding set' as part,
        e.name,
        s.live_rows,
        s.bytes
    from embedding.set as e
    inner join sized_table as s on s.table_name = 'embedding.vector_' || e.set_id
    union all
    -- an estimate: a kind's share of the chunks
    select
        3 as place,
        'scope kind' as part,
        k.kind as name,
        sum(z.chunks)::bigint as live_rows,
        (c.bytes * sum(z.chunks) / c.chunks)::bigint as bytes
    from search.scope_size as z
    inner join corpus.scope as k on z.scope_id = k.scope_id
    cross join corpus_size as c
    group by k.kind, c.bytes, c.chunks
    union all
    select
        w.place,
        w.part,
        s.table_name as name,
        s.live_rows,
        w.bytes
    from sized_table as s
    cross join lateral (
        values (4, 'table', s.heap_bytes), (5, 'toast', s.toast_bytes)
    ) as w (place, part, bytes)
    union all
    select
        6 as place,
        'index' as part,
        format('%I.%I', n.nspname, x.relname) as name,
        greatest(x.reltuples, 0)::bigint as live_rows,
        pg_relation_size(x.oid) as bytes
    from sized_table as s
    inner join pg_index as i on s.table_oid = i.indrelid
    inner join pg_class as x on i.indexrelid = x.oid
    inner join pg_namespace as n on x.relnamespace = n.oid
)

select
    p.part,
    p.name,
    p.live_rows,
    p.bytes,
    pg_size_pretty(p.bytes) as size,
    round(p.bytes::numeric / c.chunks, 1) as bytes_per_chunk
from part as p
cross join corpus_size as c
where p.bytes > 0
order by p.place asc, p.bytes desc, p.name asc;
comment on view dba.storage is
'Where the bytes are: in all, by embedding set, kind of scope, table, its long values, and index.';
comment on column dba.storage.part is 'total, embedding set, scope kind, table, toast or index.';
comment on column dba.storage.name is
'Its name. A set counts with its indexes; a kind of scope is an estimate, its share of the chunks.';
comment on column dba.storage.live_rows is 'Rows; chunks of the total and of scopes.';
comment on column dba.storage.bytes is 'Bytes.';
comment on column dba.storage.size is 'The same for people.';
comment on column dba.storage.bytes_per_chunk is 'Bytes for each searchable chunk of the corpus.';

create view dba.settings as
with fact as (
    select
        coalesce(max(v.graph_bytes), 0) as graph_bytes,
        coalesce(max(v.live_rows), 0) as graph_rows,
        coalesce(sum(v.bytes) filter (where v.active), 0)::bigint
        + pg_indexes_size('search.text_index') as hot_bytes
    from dba.vector_index as v
),

known as (
    select
        f.graph_bytes,
        f.graph_rows,
        f.hot_bytes,
        pg_size_bytes(current_setting('shared_buffers')) as buffers
    from fact as f
),

advised as (
    select
        a.name,
        current_setting(a.name) as value,
        a.recommended,
        a.good,
        a.why
    from known as k
    cross join lateral (
        values
        (
            'shared_buffers', pg_size_pretty(k.hot_bytes) || ' or more',
            k.buffers >= k.hot_bytes,
            'The vector and text indexes in use are read at random: what does not fit here is '
            || 'read from the system again and again. Not above a quarter of the memory.'
        ),
        (
            'effective_cache_size', pg_size_pretty(2 * k.buffers) || ' or more',
            pg_size_bytes(current_setting('effective_cache_size')) >= 2 * k.buffers,
            'Tells the planner that indexes are cached; half of the memory is a good value.'
        ),
        (
            'maintenance_work_mem', pg_size_pretty(k.graph_bytes) || ' or more',
            pg_size_bytes(current_setting('maintenance_work_mem')) >= k.graph_bytes,
            'The graph of the largest vector index is built in it; a build that does not fit '
            || 'takes several times longer.'
        ),
        (
            'work_mem', '4 MB or more', pg_size_bytes(current_setting('work_mem')) >= 4194304,
            'A filtered search goes on in the vector index until this, times '
            || 'hnsw.scan_mem_multiplier, is used up.'
        ),
        (
            'max_parallel_maintenance_workers',
            case when k.graph_rows < 50000 then '0 or more' else '1 or more' end,
            k.graph_rows < 50000
            or current_setting('max_parallel_maintenance_workers')::integer > 0,
            'So many helpers build a vector index: as many as there are cores, up to 4.'
        ),
        (
            'random_page_cost', '1.1, not above 2',
            current_setting('random_page_cost')::double precision <= 2,
            'On solid state disks a random page costs hardly more than the next one; with 4 the '
            || 'planner turns from indexes to scans.'
        ),
        (
            'jit', 'off', current_setting('jit') = 'off',
            'Searches are short: compiling them costs more than it saves.'
        ),
        (
            'autovacuum', 'on', current_setting('autovacuum') = 'on',
            'Without it dead rows stay, and the planner knows no sizes.'
        ),
        (
            'track_counts', 'on', current_setting('track_counts') = 'on',
            'Without it nobody knows what is dead: not autovacuum, and not these views.'
        )
    ) as a (name, recommended, good, why)
    union all
    select
        'autovacuum of ' || t.table_name as name,
        coalesce((
            select string_agg(o.option_name || ' = ' || o.option_value, ', ')
            from pg_options_to_table(t.reloptions) as o
            where o.option_name like 'autovacuum%'
        ), 'as everywhere') as value,
        'not off' as recommended,
        not exists (
            select
            from pg_options_to_table(t.reloptions) as o
            where
                o.option_name = 'autovacuum_enabled'
                and o.option_value in ('off', 'false', 'no', '0')
        ) as good,
        'Rows of it are deleted or changed all the time.' as why
    from dba.our_table as t
    where
        not t.partitioned
        and (
            exists (
                select
                from pg_options_to_table(t.reloptions) as o
                where o.option_name like 'autovacuum%'
            )
            or t.table_oid in (select v.table_oid from dba.vector_index as v)
        )
)

select
    a.name,
    a.value,
    a.recommended,
    case when a.good then 'ok' else 'look' end as state,
    a.why
from advised as a
order by a.good, a.name;
comment on view dba.settings is
'Settings of the server that matter to this corpus: value, recommendation and reason; state look is one to look at.';
comment on column dba.settings.name is 'The setting.';
comment on column dba.settings.value is 'Its value in this session.';
comment on column dba.settings.recommended is
'What this corpus wants; the memory of the machine is not known in SQL.';
comment on column dba.settings.state is 'ok or look.';
comment on column dba.settings.why is 'What it does here.';
