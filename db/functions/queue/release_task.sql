-- queue.release_task
-- Give work back unfinished and blameless, when its worker is stopped or the service it needs is down: the attempt is not counted.
--
-- It is ready at once, or after a wait, with the reason for it.
--
-- called by  ingest/queue/calls.py, crawl.next_step
-- writes     queue.task

create or replace function queue.release_task(
    task_id bigint,
    lease_token uuid,
    reason text default null,
    wait interval default '0'
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with released_task as (
        update queue.task as t
        set
            claimed_by = null,
            claimed_at = null,
            holder_pid = null,
            lease_token = null,
            attempts = greatest(0, t.attempts - 1),
            last_error = coalesce(left(release_task.reason, 500), t.last_error),
            ready_at = clock_timestamp() + release_task.wait
        where t.task_id = release_task.task_id and t.lease_token = release_task.lease_token
        returning 1
    )

    select exists (select from released_task);
$func$;

comment on function queue.release_task is
'Give work back unfinished and blameless, when its worker is stopped or the service it needs is down: the attempt is not counted.';
