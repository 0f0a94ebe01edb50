-- intake.purge_uploads
-- Remove uploads that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.
--
-- Documents stay: an upload is only the slip they were handed in with.
--
-- called by  ingest/uploads/calls.py (worker upkeep)
-- writes     intake.upload, intake.upload_file, queue.task
-- locks      the uploads; two at once take different ones

create or replace function intake.purge_uploads(
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
    _old bigint[];
begin
    select coalesce(array_agg(o.upload_id), '{}') into _old
    from (
        select u.upload_id
        from intake.upload as u
        where
            u.created_at < now() - purge_uploads.unfinished_for
            or (
                u.finished_at < now() - purge_uploads.kept_for
                and not exists (
                    select from intake.upload_states(u.upload_id) as s where s.state = 'publishing'
                )
            )
        order by u.created_at
        limit 100
        for update skip locked
    ) as o;
    delete from queue.task as t where t.kind = 'read_upload' and t.subject_id = any(_old);
    delete from intake.upload as u where u.upload_id = any(_old);
    return cardinality(_old);
end;
$func$;

comment on function intake.purge_uploads is
'Remove uploads that were done 24 hours ago, and unfinished ones after a week, with the tasks that are left of them; how many went.';
