-- dba.vital_signs
-- What monitoring looks at every few seconds: newest migration, extension, active set, broken indexes and the queue, as one row.
--
-- Reads catalogs and the queue, nothing of texts or people. oldest_ready_seconds is how long the
-- task that has waited longest could have been taken by a worker, 0 where none waits.
--
-- definer because  the app may not read the ledger and the queue themselves
-- called by  dba.readiness, app/operations/calls.py
-- raises     nothing

create or replace function dba.vital_signs()
returns table (
    migration text,
    pgvector_version text,
    active_set text,
    embedding_model text,
    embedding_width integer,
    invalid_indexes bigint,
    tasks_ready bigint,
    tasks_running bigint,
    tasks_dead bigint,
    oldest_ready_seconds double precision
)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $func$
    select
        (select max(m.name) from deploy.migration as m),
        (select e.extversion from pg_catalog.pg_extension as e where e.extname = 'vector'),
        s.name,
        s.model,
        s.width,
        (
            select count(*)
            from pg_catalog.pg_index as i
            inner join pg_catalog.pg_class as c on i.indexrelid = c.oid
            inner join pg_catalog.pg_namespace as n on c.relnamespace = n.oid
            where
                not i.indisvalid
                and n.nspname <> 'public'
                and n.nspname in (select split_part(f.path, '/', 2) from deploy.file as f)
                -- one that is being built is not broken
                and not exists (
                    select from pg_catalog.pg_stat_progress_create_index as b
                    where b.index_relid = i.indexrelid
                )
        ),
        q.ready,
        q.running,
        q.dead,
        coalesce(q.oldest_seconds, 0)
    from (
        select
            count(*) filter (where j.state = 'ready') as ready,
            count(*) filter (where j.state = 'running') as running,
            count(*) filter (where j.state = 'dead') as dead,
            extract(epoch from clock_timestamp() - min(j.ready_at) filter (where j.state = 'ready'))
                ::double precision as oldest_seconds
        from queue.job as j
    ) as q
    left join embedding.set as s on s.active;
$func$;

comment on function dba.vital_signs is
'What monitoring looks at every few seconds: newest migration, extension, active set, broken indexes and the queue, as one row.';
