-- queue.list_jobs
-- The tasks of these states, of all when none is named, newest first, a page at a time; the next page begins before the last one's id.
--
-- called by  app/admin/operations/calls.py
-- raises     nothing; a page holds at most 500

create or replace function queue.list_jobs(
    states text[] default null,
    kind text default null,
    before bigint default null,
    page_size integer default 50
)
returns setof queue.job
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    select j.*
    from queue.job as j
    where
        (coalesce(cardinality(list_jobs.states), 0) = 0 or j.state = any(list_jobs.states))
        and (list_jobs.kind is null or j.kind = list_jobs.kind)
        and (list_jobs.before is null or j.task_id < list_jobs.before)
    order by j.task_id desc
    limit least(500, greatest(1, list_jobs.page_size));
$func$;

comment on function queue.list_jobs is
'The tasks of these states, of all when none is named, newest first, a page at a time; the next page begins before the last one''s id.';
