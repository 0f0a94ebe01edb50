-- queue.reap_tasks
-- Free the tasks whose holder is gone, and give up those that killed eight holders; returns how many were freed.
--
-- A holder is gone when its connection is, or when its lease ran out. Only the first is found
-- here: what has run out is ready anyway.
--
-- called by  queue.claim_tasks
-- writes     queue.task
-- locks      row locks on those tasks; rows that somebody works on are skipped

create or replace function queue.reap_tasks()
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _freed integer;
begin
    -- who is connected is read anew, not as this transaction saw it before
    perform pg_stat_clear_snapshot();
    with orphan_task as (
        select t.task_id
        from queue.task as t
        where
            t.holder_pid is not null
            and t.holder_pid not in (select a.pid from pg_stat_activity as a)
            -- whoever claimed since this statement began may have connected after the look
            and t.claimed_at < statement_timestamp()
        for update skip locked
    )

    update queue.task as t
    set ready_at = clock_timestamp(), holder_pid = null
    from orphan_task as o
    where t.task_id = o.task_id;
    get diagnostics _freed = row_count;
    -- work that kills its worker is never failed by it: the claim counts, and gives up
    update queue.task as t
    set
        dead = true,
        claimed_by = null,
        claimed_at = null,
        holder_pid = null,
        lease_token = null,
        last_error = 'given up: its holder was gone at the last attempt'
    from (
        select k.task_id
        from queue.task as k
        where
            k.ready_at <= clock_timestamp() and not k.dead and k.attempts >= 8
            and k.lease_token is not null
        for update skip locked
    ) as l
    where t.task_id = l.task_id;
    return _freed;
end;
$func$;

comment on function queue.reap_tasks is
'Free the tasks whose holder is gone, and give up those that killed eight holders; returns how many were freed.';
