-- queue.finish_task
-- Remove work that is done; false when somebody else holds the task by now.
--
-- called by  ingest/queue/calls.py, corpus.publish_claims, intake.stage_page, intake.refuse_page,
--            intake.finish_upload, validation.judge_batch, crawl.close_visit, crawl.fence,
--            crawl.next_step
-- writes     queue.task

create or replace function queue.finish_task(task_id bigint, lease_token uuid)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    with finished_task as (
        delete from queue.task as t
        where t.task_id = finish_task.task_id and t.lease_token = finish_task.lease_token
        returning 1
    )

    select exists (select from finished_task);
$func$;

comment on function queue.finish_task is
'Remove work that is done; false when somebody else holds the task by now.';
