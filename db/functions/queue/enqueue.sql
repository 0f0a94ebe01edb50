-- queue.enqueue
-- Put work in the queue, once per subject; with a holder it is already leased to that holder and its connection.
--
-- Enqueued again it starts afresh: whoever holds it can no longer finish it.
--
-- called by  corpus.stage_document, intake.create_batch, intake.receive_upload,
--            validation.judge_batch, validation.start_run, crawl.close_visit, crawl.open_job,
--            crawl.record_failed, crawl.record_robots, crawl.resume_job
-- writes     queue.task

create or replace function queue.enqueue(
    kind text,
    subject_id bigint,
    holder text default null,
    lease interval default '5 minutes',
    priority integer default 0
)
returns queue.task
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
    insert into queue.task as t (
        kind, subject_id, ready_at, claimed_by, claimed_at, holder_pid, lease_token, attempts,
        priority
    )
    values (
        enqueue.kind,
        enqueue.subject_id,
        clock_timestamp()
        + case when enqueue.holder is null then interval '0' else enqueue.lease end,
        enqueue.holder,
        case when enqueue.holder is not null then clock_timestamp() end,
        case when enqueue.holder is not null then pg_backend_pid() end,
        case when enqueue.holder is not null then gen_random_uuid() end,
        case when enqueue.holder is null then 0 else 1 end,
        enqueue.priority
    )
    on conflict on constraint task_one_per_subject do update set
        ready_at = excluded.ready_at,
        claimed_by = excluded.claimed_by,
        claimed_at = excluded.claimed_at,
        holder_pid = excluded.holder_pid,
        lease_token = excluded.lease_token,
        attempts = excluded.attempts,
        priority = greatest(t.priority, excluded.priority),
        dead = false,
        cancelled = false,
        last_error = null
    returning t.*;
$func$;

comment on function queue.enqueue is
'Put work in the queue, once per subject; with a holder it is already leased to that holder and its connection.';
