-- queue.claim_tasks
-- Hand a worker the ready tasks of highest priority, oldest first, and hide them from others while it lives, for one lease at most.
--
-- The claim is void when the connection that made it is gone; the lease matters where a server
-- keeps the connection of a dead worker. kinds are those the worker knows, all when not given.
--
-- called by  ingest/queue/calls.py
-- writes     queue.task
-- locks      row locks on the claimed tasks; rows another worker holds are skipped
-- raises     QU001 batch size or lease out of range

create or replace function queue.claim_tasks(
    worker text,
    batch_size integer default 1,
    lease interval default '5 minutes',
    kinds text[] default null
)
returns setof queue.task
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
begin
    if (
        claim_tasks.batch_size between 1 and 100
        and claim_tasks.lease between interval '1 second' and interval '1 day'
    ) is not true then
        raise exception 'batch size % with lease % is out of range',
            claim_tasks.batch_size, claim_tasks.lease
            using errcode = 'QU001',
                  hint = 'A batch holds 1 to 100 tasks, a lease lasts one second to one day.';
    end if;
    perform queue.reap_tasks();
    return query
    with ready_task as (
        select t.task_id
        from queue.task as t
        where
            t.ready_at <= clock_timestamp()
            and not t.dead
            and (claim_tasks.kinds is null or t.kind = any(claim_tasks.kinds))
        order by t.priority desc, t.ready_at, t.task_id
        limit claim_tasks.batch_size
        for update skip locked
    )

    update queue.task as t
    set
        claimed_by = claim_tasks.worker,
        claimed_at = clock_timestamp(),
        holder_pid = pg_backend_pid(),
        lease_token = gen_random_uuid(),
        ready_at = clock_timestamp() + claim_tasks.lease,
        attempts = t.attempts + 1
    from ready_task as r
    where t.task_id = r.task_id
    returning t.*;
end;
$func$;

comment on function queue.claim_tasks is
'Hand a worker the ready tasks of highest priority, oldest first, and hide them from others while it lives, for one lease at most.';
