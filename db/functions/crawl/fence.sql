-- crawl.fence
-- The visit a worker is at, if it still holds the run's task and the run goes on; no row otherwise.
--
-- A run that was paused lets what is under way be finished.
--
-- called by  crawl.*
-- locks      the task and the run, so that nobody else records meanwhile
-- writes     nothing but the end of a task whose run is over

create or replace function crawl.fence(task_id bigint, lease_token uuid, visit_id bigint)
returns setof crawl.visit
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _job_id bigint;
begin
    select t.subject_id into _job_id
    from queue.task as t
    where
        t.task_id = fence.task_id and t.lease_token = fence.lease_token and t.kind = 'crawl_job'
    for update;
    if not found then
        return;
    end if;
    perform from crawl.job as j
    where j.job_id = _job_id and j.state in ('running', 'paused')
    for update;
    if not found then
        perform queue.finish_task(fence.task_id, fence.lease_token);
        update crawl.host as h
        set held_by_task = null, held_token = null
        where h.held_by_task = fence.task_id and h.held_token = fence.lease_token;
        return;
    end if;
    return query
    select v.*
    from crawl.visit as v
    where v.visit_id = fence.visit_id and v.job_id = _job_id and v.outcome is null;
end;
$func$;

comment on function crawl.fence is
'The visit a worker is at, if it still holds the run''s task and the run goes on; no row otherwise.';
