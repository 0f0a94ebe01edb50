-- intake.purge_batches
-- Remove batches that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.
--
-- Documents stay: a batch is only the slip they were handed in with.
--
-- called by  ingest/intake/calls.py (worker upkeep)
-- writes     intake.batch, intake.page, queue.task
-- locks      the batches; two at once take different ones

create or replace function intake.purge_batches(
    kept_for interval default '24 hours',
    unfinished_for interval default '7 days'
)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _old uuid[];
begin
    select coalesce(array_agg(o.batch_id), '{}') into _old
    from (
        select b.batch_id
        from intake.batch as b
        where
            b.created_at < now() - purge_batches.kept_for
            and (
                b.created_at < now() - purge_batches.unfinished_for
                or (
                    not exists (
                        select from intake.page as p
                        where
                            p.batch_id = b.batch_id
                            and p.finished_at >= now() - purge_batches.kept_for
                    )
                    and not exists (
                        select from intake.page_states(b.batch_id) as s
                        where s.state in ('waiting', 'fetching', 'retrying', 'publishing')
                    )
                )
            )
        order by b.created_at
        limit 100
        for update skip locked
    ) as o;
    delete from queue.task as t
    using intake.page as p
    where p.batch_id = any(_old) and t.kind = 'fetch_page' and t.subject_id = p.page_id;
    delete from intake.batch as b where b.batch_id = any(_old);
    return cardinality(_old);
end;
$func$;

comment on function intake.purge_batches is
'Remove batches that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.';
