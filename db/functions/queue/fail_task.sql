-- queue.fail_task
-- Give work back after a failure: again later, each time later, and dead after eight attempts or at once when final.
--
-- Whoever turned the work away may have said when to come back: wait is the least time, a day at
-- most.
--
-- called by  ingest/queue/calls.py, corpus.publish_tasks
-- writes     queue.task

create or replace function queue.fail_task(
    task_id bigint,
    lease_token uuid,
    reason text,
    final boolean default false,
    wait interval default null
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with failed_task as (
        update queue.task as t
        set
            claimed_by = null,
            claimed_at = null,
            holder_pid = null,
            lease_token = null,
            last_error = left(fail_task.reason, 500),
            dead = fail_task.final or t.attempts >= 8,
            -- 10 s, 20 s, 40 s ... one hour, spread by a quarter so that failures do not march in step
            ready_at = clock_timestamp() + greatest(
                least(interval '1 hour', interval '10 seconds' * power(2, t.attempts - 1))
                * (1 + random() / 4),
                least(interval '1 day', coalesce(fail_task.wait, interval '0'))
            )
        where t.task_id = fail_task.task_id and t.lease_token = fail_task.lease_token
        returning 1
    )

    select exists (select from failed_task);
$func$;

comment on function queue.fail_task is
'Give work back after a failure: again later, each time later, and dead after eight attempts or at once when final.';
