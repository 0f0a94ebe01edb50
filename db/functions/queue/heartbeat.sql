-- queue.heartbeat
-- Renew a lease; false when somebody else holds the task by now.
--
-- called by  ingest/queue/calls.py, intake.refuse_upload_file, intake.stage_upload_file
-- writes     queue.task

create or replace function queue.heartbeat(
    task_id bigint,
    lease_token uuid,
    lease interval default '5 minutes'
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with renewed_task as (
        update queue.task as t
        set ready_at = clock_timestamp() + heartbeat.lease
        where t.task_id = heartbeat.task_id and t.lease_token = heartbeat.lease_token
        returning 1
    )

    select exists (select from renewed_task);
$func$;

comment on function queue.heartbeat is
'Renew a lease; false when somebody else holds the task by now.';
