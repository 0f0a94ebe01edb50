-- queue.retry_task
-- Bring back work that was given up, cancelled or waits for its next attempt: ready at once, with all its attempts; false when there is none such.
--
-- What somebody holds stays theirs. The reason of the last failure stays until the next.
--
-- called by  ingest/jobs/calls.py
-- writes     queue.task, audit.event

create or replace function queue.retry_task(task_id bigint, actor text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    update queue.task as t
    set dead = false, cancelled = false, attempts = 0, ready_at = clock_timestamp(), claimed_by = null
    where t.task_id = retry_task.task_id and t.lease_token is null;
    if not found then
        return false;
    end if;
    perform audit.write_event(
        'task_retried', 'task ' || retry_task.task_id, '{}', retry_task.actor
    );
    return true;
end;
$func$;

comment on function queue.retry_task is
'Bring back work that was given up, cancelled or waits for its next attempt: ready at once, with all its attempts; false when there is none such.';
