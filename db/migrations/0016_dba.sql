-- 0016_dba
-- why   whoever runs the database sees what the indexes, tables and settings need, in SQL
-- lock  none that matters (new objects)
-- undo  drop schema dba cascade; delete from config.setting where name in
--       ('kb.recall_alert', 'kb.rebuild_after');
set local lock_timeout = '2s';
set local statement_timeout = '60s';

create schema dba;
comment on schema dba is
'What the indexes, tables and settings of this database need, and the statements that give it.';

insert into config.setting
    (name, kind, default_value, minimum, maximum, choices, unit, meaning)
values
    ('kb.recall_alert', 'number', '0.95', 0, 1, null, 'recall',
        'An audit whose mean recall in a band is under this is an alert.'),
    ('kb.rebuild_after', 'number', '0.5', 0.01, 100, null, 'share of rows',
        'Upkeep rebuilds a vector index when so many rows, against those of its table, were deleted since its last build.');

-- what is remembered

create table dba.index_build (
    index_name text not null,
    file_node oid not null,
    deletes_before bigint not null,
    noted_at timestamptz not null default now(),
    constraint index_build_pk primary key (index_name)
);
comment on table dba.index_build is
'The last build of each vector index as dba.note_builds saw it: what was deleted since is counted from there.';
comment on column dba.index_build.index_name is 'The index, with its schema.';
comment on column dba.index_build.file_node is 'Its file; a rebuilt index has another.';
comment on column dba.index_build.deletes_before is
'The server''s count of deleted rows of the table when the build was noted.';
comment on column dba.index_build.noted_at is 'When it was noted.';

create table dba.recall_run (
    run_id bigint generated always as identity,
    at timestamptz not null default now(),
    set_name text not null,
    chunks bigint not null,
    k integer not null,
    questions integer not null,
    real_questions integer not null,
    seconds double precision not null,
    constraint recall_run_pk primary key (run_id)
);
comment on table dba.recall_run is 'One recall audit: when, of what, with how many questions.';
comment on column dba.recall_run.run_id is 'Key; grows with time.';
comment on column dba.recall_run.at is 'When.';
comment on column dba.recall_run.set_name is 'The embedding set that was searched.';
comment on column dba.recall_run.chunks is 'Searchable chunks then.';
comment on column dba.recall_run.k is 'How many best chunks were compared.';
comment on column dba.recall_run.questions is 'How many questions were wanted; a band without anything to find has fewer.';
comment on column dba.recall_run.real_questions is
'How many of them somebody had asked; the others were made from stored chunks.';
comment on column dba.recall_run.seconds is 'How long it took.';

create table dba.recall_result (
    run_id bigint not null,
    band text not null,
    selectivity double precision,
    queries integer not null,
    mean_recall double precision,
    worst_recall double precision,
    mean_ms double precision,
    exact_ms double precision,
    plans text,
    constraint recall_result_pk primary key (run_id, band),
    constraint recall_result_run_fk
    foreign key (run_id) references dba.recall_run (run_id) on delete cascade
);
comment on table dba.recall_result is 'What an audit found in one band of selectivity.';
comment on column dba.recall_result.run_id is 'The audit.';
comment on column dba.recall_result.band is
'everything, authority (national and one authority''s), tag (everything with one tag) or tiny (one scope, not national where another is, with one tag).';
comment on column dba.recall_result.selectivity is
'Mean share of the searchable chunks that a question of this band could find.';
comment on column dba.recall_result.queries is 'Questions that had an answer to find.';
comment on column dba.recall_result.mean_recall is
'Mean share of the exact best k that the search found; NULL when no question had an answer.';
comment on column dba.recall_result.worst_recall is 'The same of the worst question.';
comment on column dba.recall_result.mean_ms is 'Mean milliseconds of the search as planned.';
comment on column dba.recall_result.exact_ms is 'Mean milliseconds of the exact search.';
comment on column dba.recall_result.plans is 'How scopes were read, e.g. exact, index.';

create view dba.recall as
select
    r.run_id,
    r.at,
    r.set_name,
    r.k,
    s.band,
    round(s.selectivity::numeric, 5) as selectivity,
    s.queries,
    round(s.mean_recall::numeric, 4) as mean_recall,
    round(s.worst_recall::numeric, 4) as worst_recall,
    round(s.mean_ms::numeric, 1) as mean_ms,
    round(s.exact_ms::numeric, 1) as exact_ms,
    s.plans,
    r.real_questions,
    coalesce(s.mean_recall < t.value::double precision, false) as alert
from dba.recall_run as r
inner join dba.recall_result as s on r.run_id = s.run_id
inner join config.settings as t on t.name = 'kb.recall_alert'
order by r.run_id desc, array_position(array['everything', 'authority', 'tag', 'tiny'], s.band) asc;
comment on view dba.recall is 'The recall audits, the latest first, a row for each band.';
comment on column dba.recall.run_id is 'The audit.';
comment on column dba.recall.at is 'When.';
comment on column dba.recall.set_name is 'The embedding set that was searched.';
comment on column dba.recall.k is 'How many best chunks were compared.';
comment on column dba.recall.band is 'everything, authority, tag or tiny.';
comment on column dba.recall.selectivity is 'Mean share of the searchable chunks a question could find.';
comment on column dba.recall.queries is 'Questions that had an answer to find.';
comment on column dba.recall.mean_recall is 'Mean recall.';
comment on column dba.recall.worst_recall is 'Recall of the worst question.';
comment on column dba.recall.mean_ms is 'Mean milliseconds of the search as planned.';
comment on column dba.recall.exact_ms is 'Mean milliseconds of the exact search.';
comment on column dba.recall.plans is 'How scopes were read.';
comment on column dba.recall.real_questions is 'How many questions of the audit somebody had asked.';
comment on column dba.recall.alert is 'Whether the mean is under kb.recall_alert.';

-- what there is: everything of ours belongs to pgkb_owner, so no list of schemas can be outdated

create view dba.our_table as
select
    c.oid as table_oid,
    format('%I.%I', n.nspname, c.relname) as table_name,
    c.relkind = 'p' as partitioned,
    c.reloptions,
    c.relfrozenxid,
    c.reltoastrelid,
    -- the statistics are gone after a crash; what the last vacuum saw is not
    coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0)::bigint)
        as live_rows,
    pg_stat_get_dead_tuples(c.oid) as dead_rows,
    pg_stat_get_tuples_deleted(c.oid) as deleted_rows,
    pg_stat_get_mod_since_analyze(c.oid) as changed_rows,
    greatest(pg_stat_get_last_vacuum_time(c.oid), pg_stat_get_last_autovacuum_time(c.oid))
        as last_vacuum,
    greatest(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid))
        as last_analyze
from pg_class as c
inner join pg_namespace as n on c.relnamespace = n.oid
where
    c.relkind in ('r', 'p')
    and c.relpersistence <> 't'
    and pg_get_userbyid(c.relowner) = 'pgkb_owner';
comment on view dba.our_table is 'Every table of ours, with what the server counts about it.';
comment on column dba.our_table.table_oid is 'Its oid.';
comment on column dba.our_table.table_name is 'Its name with its schema.';
comment on column dba.our_table.partitioned is 'Whether it only holds partitions.';
comment on column dba.our_table.reloptions is 'Settings of its own.';
comment on column dba.our_table.relfrozenxid is 'The oldest transaction id that may be in it.';
comment on column dba.our_table.reltoastrelid is 'The table of its long values; 0 is none.';
comment on column dba.our_table.live_rows is 'Rows, as the server counts them.';
comment on column dba.our_table.dead_rows is 'Rows that are gone and still take room.';
comment on column dba.our_table.deleted_rows is 'Rows deleted since the counting began.';
comment on column dba.our_table.changed_rows is 'Rows changed since it was analyzed.';
comment on column dba.our_table.last_vacuum is 'When it was last vacuumed, by hand or not.';
comment on column dba.our_table.last_analyze is 'When it was last analyzed, by hand or not.';

create view dba.index_build_progress as
select
    p.pid,
    p.relid as table_oid,
    p.index_relid as index_oid,
    (
        select format('%I.%I', n.nspname, c.relname)
        from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
        where c.oid = p.relid
    ) as table_name,
    (
        select format('%I.%I', n.nspname, c.relname)
        from pg_class as c inner join pg_namespace as n on c.relnamespace = n.oid
        where c.oid = p.index_relid
    ) as index_name,
    p.command,
    p.phase,
    coalesce(
        p.blocks_done::double precision / nullif(p.blocks_total, 0),
        p.tuples_done::double precision / nullif(p.tuples_total, 0)
    ) as done,
    p.lockers_total > p.lockers_done as waits
from pg_stat_progress_create_index as p
where p.datname = current_database();
comment on view dba.index_build_progress is
'Builds of indexes that run now. Builds of other logins are seen by superusers and pg_read_all_stats.';
comment on column dba.index_build_progress.pid is 'The server process.';
comment on column dba.index_build_progress.table_oid is 'The table.';
comment on column dba.index_build_progress.index_oid is 'The index being built; 0 when it has none yet.';
comment on column dba.index_build_progress.table_name is 'Name of the table.';
comment on column dba.index_build_progress.index_name is 'Name of the index.';
comment on column dba.index_build_progress.command is 'The command, e.g. REINDEX CONCURRENTLY.';
comment on column dba.index_build_progress.phase is 'The phase, as the server names it.';
comment on column dba.index_build_progress.done is 'Share of the phase that is done; NULL is not known.';
comment on column dba.index_build_progress.waits is 'Whether it waits for older transactions to end.';

create view dba.vector_index as
select
    h.index_oid,
    h.index_name,
    h.table_oid,
    h.table_name,
    h.active,
    h.m,
    h.ef_construction,
    h.partial,
    h.live_rows,
    h.bytes,
    -- as pgvector lays it out: a row's element and its neighbours on one page, both aligned
    8192 * (1 + ceil(h.live_rows / greatest(1, floor(
        8160.0 / (8 * ceil((72 + h.value_bytes) / 8.0) + 8 * ceil((4 + 12 * h.m) / 8.0) + 8)
    ))))::bigint as fresh_bytes,
    -- measured with pgvector 0.8.5: the vector, 16 bytes for each neighbour, and 200
    (h.live_rows * (h.value_bytes + 32 * h.m + 200))::bigint as graph_bytes,
    h.deleted_since_build,
    -- of a partial index nobody counts what was deleted: its table stands for it
    h.deleted_since_build::double precision / greatest(h.table_rows, 1) as churn
from (
    select
        i.indexrelid as index_oid,
        format('%I.%I', n.nspname, c.relname) as index_name,
        t.table_oid,
        t.table_name,
        coalesce((
            select o.option_value::integer
            from pg_options_to_table(c.reloptions) as o
            where o.option_name = 'm'
        ), 16) as m,
        coalesce((
            select o.option_value::integer
            from pg_options_to_table(c.reloptions) as o
            where o.option_name = 'ef_construction'
        ), 64) as ef_construction,
        i.indpred is not null as partial,
        case
            when i.indpred is not null and c.reltuples >= 0 then c.reltuples::bigint
            else t.live_rows
        end as live_rows,
        t.live_rows as table_rows,
        pg_relation_size(i.indexrelid) as bytes,
        8 + case y.typname
            when 'halfvec' then 2 * k.atttypmod
            when 'bit' then ceil(k.atttypmod / 8.0)
            else 4 * k.atttypmod
        end as value_bytes,
        coalesce(
            t.table_name = (
                select 'embedding.vector_' || s.set_id
                from embedding.set as s
                where s.active
            ), false
        ) as active,
        -- a count that went back was reset: all that is counted came after the build
        t.deleted_rows - case
            when b.file_node = pg_relation_filenode(i.indexrelid)
                and b.deletes_before <= t.deleted_rows then b.deletes_before
            else 0
        end as deleted_since_build
    from pg_index as i
    inner join pg_class as c on i.indexrelid = c.oid
    inner join pg_namespace as n on c.relnamespace = n.oid
    inner join pg_am as a on c.relam = a.oid and a.amname = 'hnsw'
    inner join dba.our_table as t on i.indrelid = t.table_oid
    inner join pg_attribute as k on c.oid = k.attrelid and k.attnum = 1
    inner join pg_type as y on k.atttypid = y.oid
    left join dba.index_build as b on b.index_name = format('%I.%I', n.nspname, c.relname)
    where c.relkind = 'i'
) as h;
comment on view dba.vector_index is
'Every HNSW index of ours with what building it anew takes, whatever its name, width or condition.';
comment on column dba.vector_index.index_oid is 'Its oid.';
comment on column dba.vector_index.index_name is 'Its name with its schema.';
comment on column dba.vector_index.table_oid is 'Its table.';
comment on column dba.vector_index.table_name is 'Name of the table.';
comment on column dba.vector_index.active is 'Whether it is of the active embedding set.';
comment on column dba.vector_index.m is 'Neighbours of a row in the graph.';
comment on column dba.vector_index.ef_construction is 'Candidates looked at for each row while building.';
comment on column dba.vector_index.partial is 'Whether it holds only the rows of a condition.';
comment on column dba.vector_index.live_rows is 'Rows it holds, as the server counts them.';
comment on column dba.vector_index.bytes is 'Its size.';
comment on column dba.vector_index.fresh_bytes is 'What a fresh one of these rows would take, within some 5 %.';
comment on column dba.vector_index.graph_bytes is
'Memory that a build needs to be quick, to be compared with maintenance_work_mem.';
comment on column dba.vector_index.deleted_since_build is
'Rows of the table deleted since the build, or since the counting began.';
comment on column dba.vector_index.churn is 'The same as a share of the rows of the table.';
