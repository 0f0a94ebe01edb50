-- queue.cancel_task
-- Call work off: nobody starts it, and who is at it can no longer finish it; false when there is no such task.
--
-- Its row stays, and queue.retry_task brings it back, until upkeep discards what it was of.
--
-- called by  ingest/jobs/calls.py
-- writes     queue.task, audit.event

create or replace function queue.cancel_task(task_id bigint, actor text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    update queue.task as t
    set
        dead = true,
        cancelled = true,
        claimed_by = null,
        claimed_at = null,
        holder_pid = null,
        lease_token = null
    where t.task_id = cancel_task.task_id;
    if not found then
        return false;
    end if;
    perform audit.write_event(
        'task_cancelled', 'task ' || cancel_task.task_id, '{}', cancel_task.actor
    );
    return true;
end;
$func$;

comment on function queue.cancel_task is
'Call work off: nobody starts it, and who is at it can no longer finish it; false when there is no such task.';
